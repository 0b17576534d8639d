import { type Admin, Kafka, logLevel, type Producer } from "kafkajs"
import { Topic } from "../../domain/topics.ts"

/** A broker that does not take a connection within this (ms) is down. */
const connectMsMax = 3000
/** A request that is not answered within this (ms) has failed. */
const answerMsMax = 10_000
/** Looks at a cluster before a call fails: a restarting broker is back within seconds, and callers try again by themselves. */
const retry = { initialRetryTime: 200, maxRetryTime: 2000, retries: 5 }

/** Silent: what fails is reported by the call that failed. */
export const clientOf = (brokers: ReadonlyArray<string>): Kafka =>
  new Kafka({
    clientId: "crawler",
    brokers: [...brokers],
    connectionTimeout: connectMsMax,
    requestTimeout: answerMsMax,
    enforceRequestTimeout: true,
    retry,
    logLevel: logLevel.NOTHING
  })

export const topicName = (prefix: string, topic: Topic): string => `${prefix}${topic}`
export const topicOf = (prefix: string, name: string): Topic | undefined =>
  Topic.literals.find((it) => topicName(prefix, it) === name)

/** Set by the relay: the message is a row of `messages`, which alone says whether it is still to be worked on. */
export const storedHeader = "crawler-stored"

/** Idempotent, one request at a time: the broker keeps the order and drops what a retry sends twice. */
export const producerOf = (kafka: Kafka): Producer =>
  kafka.producer({ idempotent: true, maxInFlightRequests: 1, allowAutoTopicCreation: false, retry })

/** A broker tells of a topic's leaders a moment after it made the topic, a busy one long after (ms). */
const leadersMsMax = 60_000
const lookMs = 200

/** Waits until every partition has a leader; the client's own wait gives up within a second. */
const led = async (admin: Admin, names: ReadonlyArray<string>): Promise<void> => {
  const end = performance.now() + leadersMsMax
  while (true) {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [...names] })
      if (topics.every((it) => it.partitions.length > 0 && it.partitions.every(({ leader }) => leader >= 0))) return
    } catch (cause) {
      if (performance.now() > end) throw cause
    }
    if (performance.now() > end) throw new Error(`no leader within ${leadersMsMax} ms`)
    await Bun.sleep(lookMs)
  }
}

/** Makes the topics that are not there. Answers the names of those made. */
export const makeTopics = async (
  brokers: ReadonlyArray<string>,
  prefix: string,
  partitions: number
): Promise<ReadonlyArray<string>> => {
  const admin = clientOf(brokers).admin()
  await admin.connect()
  try {
    const there = new Set(await admin.listTopics())
    const missing = Topic.literals.map((it) => topicName(prefix, it)).filter((it) => !there.has(it))
    if (missing.length > 0) {
      // The number of copies is the cluster's own default: one on a single broker, three where the operator said so.
      const topics = missing.map((topic) => ({ topic, numPartitions: partitions, replicationFactor: -1 }))
      await admin.createTopics({ topics, waitForLeaders: false })
      await led(admin, missing)
    }
    return missing
  } finally {
    await admin.disconnect()
  }
}

/** Topics of ours that the cluster lacks; fails when no broker answers. */
export const missingTopics = async (brokers: ReadonlyArray<string>, prefix: string): Promise<ReadonlyArray<string>> => {
  const admin = clientOf(brokers).admin()
  try {
    await admin.connect()
    const there = new Set(await admin.listTopics())
    return Topic.literals.map((it) => topicName(prefix, it)).filter((it) => !there.has(it))
  } finally {
    await admin.disconnect()
  }
}

/** Removes our topics and what is in them, for good. */
export const dropTopics = async (brokers: ReadonlyArray<string>, prefix: string): Promise<void> => {
  const admin = clientOf(brokers).admin()
  try {
    await admin.connect()
    const ours = new Set(Topic.literals.map((it) => topicName(prefix, it)))
    const topics = (await admin.listTopics()).filter((it) => ours.has(it))
    if (topics.length > 0) await admin.deleteTopics({ topics })
  } finally {
    await admin.disconnect()
  }
}
