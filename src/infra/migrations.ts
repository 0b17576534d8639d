import store from "../../sql/0001_store.sql" with { type: "text" }
import distributed from "../../sql/0002_distributed.sql" with { type: "text" }
import fetcherLearning from "../../sql/0003_fetcher_learning.sql" with { type: "text" }
import priority from "../../sql/0004_priority.sql" with { type: "text" }
import aiJobs from "../../sql/0005_ai_jobs.sql" with { type: "text" }
import research from "../../sql/0006_research.sql" with { type: "text" }
import rawsElsewhere from "../../sql/0007_raws_elsewhere.sql" with { type: "text" }
import switches from "../../sql/0008_switches.sql" with { type: "text" }
import ruleLearning from "../../sql/0009_rule_learning.sql" with { type: "text" }
import hostRules from "../../sql/0010_host_rules.sql" with { type: "text" }
import sectionCrawl from "../../sql/0011_section_crawl.sql" with { type: "text" }
import hostTraits from "../../sql/0012_host_traits.sql" with { type: "text" }
import cheaperWrites from "../../sql/0013_cheaper_writes.sql" with { type: "text" }
import sourceResults from "../../sql/0014_source_results.sql" with { type: "text" }

export interface Migration {
  readonly version: number
  readonly name: string
  readonly text: string
}

/** Every step of the schema, in order, embedded in the executable. Forward only; a step never changes once released. */
export const migrations: ReadonlyArray<Migration> = [
  { version: 1, name: "store", text: store },
  { version: 2, name: "distributed", text: distributed },
  { version: 3, name: "fetcher_learning", text: fetcherLearning },
  { version: 4, name: "priority", text: priority },
  { version: 5, name: "ai_jobs", text: aiJobs },
  { version: 6, name: "research", text: research },
  { version: 7, name: "raws_elsewhere", text: rawsElsewhere },
  { version: 8, name: "switches", text: switches },
  { version: 9, name: "rule_learning", text: ruleLearning },
  { version: 10, name: "host_rules", text: hostRules },
  { version: 11, name: "section_crawl", text: sectionCrawl },
  { version: 12, name: "host_traits", text: hostTraits },
  { version: 13, name: "cheaper_writes", text: cheaperWrites },
  { version: 14, name: "source_results", text: sourceResults }
]
