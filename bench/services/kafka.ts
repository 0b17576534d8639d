/**
 * Apache Kafka in single-node KRaft mode, from the Maven artifact of its server and what that needs at run time. There is no
 * Debian package and no archive in a registry; Maven resolves and checks the very jars of a release.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { inPlace, type Ports } from "./places.ts"
import { end, launch, listens, ready, runningAs, tool } from "./processes.ts"

const VERSION = "4.1.0"
/** Any 22 characters of base64url will do: it names the log's format, not a secret. */
const CLUSTER = "Y3Jhd2xlci1zY3JhdGNoMQ"
const jars = inPlace("kafka", `jars-${VERSION}`)

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>crawler</groupId><artifactId>broker</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies><dependency>
    <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${VERSION}</version>
  </dependency></dependencies>
</project>
`

/** Brings the jars once. */
export const install = (): void => {
  if (existsSync(jars) && readdirSync(jars).some((it) => it.startsWith("kafka_2.13"))) return
  mkdirSync(inPlace("kafka"), { recursive: true })
  writeFileSync(inPlace("kafka", "pom.xml"), pom)
  const goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", `-DoutputDirectory=${jars}`]
  tool(["mvn", "--quiet", "--batch-mode", ...goal], inPlace("kafka"))
}

const properties = ({ kafka: port, controller, behind, before }: Ports): string =>
  Object.entries({
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.quorum.voters": `1@127.0.0.1:${controller}`,
    "controller.listener.names": "CONTROLLER",
    // A broker tells its clients where to go: those that came through a proxy are sent there again.
    listeners: `PLAINTEXT://127.0.0.1:${port},BEHIND://127.0.0.1:${behind},CONTROLLER://127.0.0.1:${controller}`,
    "advertised.listeners": `PLAINTEXT://127.0.0.1:${port},BEHIND://127.0.0.1:${before}`,
    "inter.broker.listener.name": "PLAINTEXT",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,BEHIND:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "log.dirs": inPlace("kafka", "log"),
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 4,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    // Topics are made by `crawler migrate`: a name that is not there is a mistake.
    "auto.create.topics.enable": false,
    "group.initial.rebalance.delay.ms": 0,
    "log.segment.bytes": 64 * 1024 * 1024,
    "log.retention.bytes": 256 * 1024 * 1024
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join("")

const java = (heap: string, ...rest: ReadonlyArray<string>): ReadonlyArray<string> => [
  "java",
  heap,
  "-XX:+UseSerialGC",
  "-XX:TieredStopAtLevel=1",
  "-cp",
  `${jars}/*`,
  ...rest
]

export const start = async (ports: Ports): Promise<void> => {
  if (runningAs("kafka") !== null) return
  install()
  const config = inPlace("kafka", "server.properties")
  writeFileSync(config, properties(ports))
  if (!existsSync(inPlace("kafka", "log", "meta.properties"))) {
    tool(java("-Xmx256m", "kafka.tools.StorageTool", "format", "--cluster-id", CLUSTER, "--config", config))
  }
  launch("kafka", java("-Xmx512m", "kafka.Kafka", config))
  await ready("kafka", () => listens(ports.kafka))
}

export const stop = (signal: NodeJS.Signals = "SIGTERM") => end("kafka", signal)
