/**
 * Proof redelivery: every message is delivered three times and the consumer group is dealt out anew every 2 s: 10,000 jobs give
 * 10,000 articles, 1 % poison ends as exactly those dead letters, and nothing lags in Kafka.
 */
import type { Consumer, Kafka } from "kafkajs"
import { crawlTopics } from "../../src/domain/topics.ts"
import { clientOf, topicName } from "../../src/infra/kafka/client.ts"
import { finished, judge, promptWeb, seed } from "./distributed.ts"
import { fleetOf, frozenBinary, servers } from "./fleet.ts"
import { type Bench, prove } from "./proof.ts"

const HOSTS = Number(process.env.HOSTS ?? 200)
const ARTICLES = Number(process.env.ARTICLES ?? 50)
const POISON_SHARE = 0.01
const REBALANCE_MS = 2000
const END_SECONDS_MAX = Number(process.env.END_SECONDS ?? 1800)
const LAG_SECONDS_MAX = 120
const copyMark = "proof-copy"

/** Sends every message of the crawl topics twice more. */
const repeat = async (bench: Bench, kafka: Kafka, names: ReadonlyArray<string>) => {
  const consumer = kafka.consumer({ groupId: `${names[0]}.repeater` })
  const producer = kafka.producer()
  await Promise.all([consumer.connect(), producer.connect()])
  bench.later(() => Promise.all([consumer.disconnect(), producer.disconnect()]))
  let repeated = 0
  await consumer.subscribe({ topics: [...names], fromBeginning: true })
  await consumer.run({
    eachBatch: async ({ batch: { topic, messages } }) => {
      const first = messages.filter((it) => it.headers?.[copyMark] === undefined)
      if (first.length === 0) return
      const copies = first.map(({ key, value, headers }) => ({ key, value, headers: { ...headers, [copyMark]: "1" } }))
      await producer.send({ topic, messages: [...copies, ...copies] })
      repeated += first.length
    }
  })
  return () => repeated
}

/** A member that joins and leaves: partitions move every 2 s, and what it is given it neither works on nor commits. */
const unsettle = (bench: Bench, kafka: Kafka, group: string, names: ReadonlyArray<string>) => {
  let over = false
  let times = 0
  const turn = async (): Promise<void> => {
    while (!over) {
      const member: Consumer = kafka.consumer({ groupId: group, heartbeatInterval: 500, sessionTimeout: 10_000 })
      try {
        await member.connect()
        await member.subscribe({ topics: [...names], fromBeginning: true })
        await member.run({ autoCommit: false, eachBatch: async () => undefined })
        await Bun.sleep(REBALANCE_MS)
        times += 1
      } catch (error) {
        console.error(String(error))
      }
      await member.disconnect().catch(() => undefined)
      await Bun.sleep(REBALANCE_MS)
      times += 1
    }
  }
  const turning = turn()
  const end = async () => {
    over = true
    await turning
    return times
  }
  bench.later(end)
  return end
}

/** Half are bytes that no program could read, half are envelopes whose job is none. */
const poison = async (kafka: Kafka, name: string, count: number) => {
  const producer = kafka.producer()
  await producer.connect()
  const messages = Array.from({ length: count }, (_, n) => {
    const envelope = {
      id: `poison-${n}`,
      topic: "crawl.normal",
      key: "poison.example",
      occurred_at: 1,
      attempt: 0,
      trace_id: ""
    }
    const value =
      n % 2 === 0 ? `not an envelope ${n} \u0000 \ufffe` : JSON.stringify({ ...envelope, headers: {}, payload: { n } })
    return { key: "poison.example", value }
  })
  await producer.send({ topic: name, messages })
  await producer.disconnect()
}

/** Messages between what a group has committed and the end of its topics. */
const lagOf = async (kafka: Kafka, group: string, names: ReadonlyArray<string>): Promise<number> => {
  const admin = kafka.admin()
  await admin.connect()
  const committed = await admin.fetchOffsets({ groupId: group, topics: [...names] })
  const ends = await Promise.all(names.map((topic) => admin.fetchTopicOffsets(topic)))
  await admin.disconnect()
  return names.reduce((sum, topic, at) => {
    const done = committed.find((it) => it.topic === topic)?.partitions ?? []
    return (
      sum +
      (ends[at] ?? []).reduce((all, { partition, high, low }) => {
        const offset = Number(done.find((it) => it.partition === partition)?.offset ?? -1)
        return all + Number(high) - (offset < 0 ? Number(low) : offset)
      }, 0)
    )
  }, 0)
}

await prove(async (bench) => {
  const executable = await frozenBinary(bench)
  const { env, database } = await servers(bench, "redelivery")
  const site = await promptWeb(bench, ["--hosts", String(HOSTS), "--articles", String(ARTICLES)])
  const pace = { FETCH_DELAY: "0ms", BUS_LEASE: "15s", BUS_POLL: "200ms" }
  const settings = { ...env, ...pace, SOURCE_BACKLOG: "3650d", ARTICLE_REVISITS: "off" }
  const fleet = fleetOf(bench, executable, settings, [null, null], 18_520)
  await seed(bench, fleet, site)
  const prefix = env.KAFKA_PREFIX ?? ""
  const kafka = clientOf((env.KAFKA_BROKERS ?? "").split(","))
  const names = crawlTopics.map((topic) => topicName(prefix, topic))
  const group = `${prefix}crawl`
  const repeated = await repeat(bench, kafka, names)
  await Promise.all(fleet.members.map((it) => it.start()))
  const settleDown = unsettle(bench, kafka, group, names)
  const poisoned = Math.round(HOSTS * ARTICLES * POISON_SHARE)
  await poison(kafka, topicName(prefix, "crawl.normal"), poisoned)

  const done = await finished(database, HOSTS * ARTICLES, END_SECONDS_MAX)
  const rebalances = await settleDown()
  let lag = Number.POSITIVE_INFINITY
  for (let look = 0; look < LAG_SECONDS_MAX && lag > 0; look += 1) {
    await Bun.sleep(1000)
    lag = await lagOf(kafka, group, names)
  }
  const verdict = await judge(database, site, 0)
  const [letters] = await database`select count(*)::int as n,
    count(*) filter (where code = 'decode' and (id like 'kafka:%' or id like 'poison-%'))::int as poison from dead_letters`
  await Promise.all(fleet.members.map((it) => it.stop()))
  const { lost, doubled, foreign, refetches } = verdict
  const exact = letters.n === poisoned && letters.poison === poisoned
  return {
    rows: [
      {
        articles: verdict.articles,
        lost,
        doubled,
        foreign,
        refetches,
        repeated: repeated(),
        rebalances,
        "dead letters": letters.n,
        poisoned,
        lag
      }
    ],
    figure: `redelivery: ${HOSTS * ARTICLES} jobs delivered three times through ${rebalances} rebalances gave ${verdict.articles} articles (${lost} lost, ${doubled} doubled); ${letters.poison} of ${poisoned} poison messages in the dead letters and ${letters.n - letters.poison} others; lag ${lag}`,
    holds: done && lost === 0 && doubled === 0 && foreign === 0 && exact && lag === 0 && rebalances > 0
  }
})
