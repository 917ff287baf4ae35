/** What each figure of EXPLAIN's JSON says, in one sentence. Keys not listed are shown without. */
const MEANINGS: Record<string, string> = {
  "Node Type": "What the node does, in PostgreSQL's names.",
  "Parent Relationship": "How the node hangs on its parent: its outer or inner input, a member of a list, or a sub-select.",
  "Relation Name": "The table that is read.",
  Alias: "The name that the query gives the table.",
  "Startup Cost": "The planner's estimate of the work before the first row, in page reads.",
  "Total Cost": "The planner's estimate of all the work, in page reads.",
  "Plan Rows": "Rows the planner expected from one loop.",
  "Plan Width": "Bytes the planner expected in a row.",
  "Actual Rows": "Rows that came out of one loop, on average.",
  "Actual Loops": "How often the node was run from the start.",
  "Actual Startup Time": "Milliseconds until the first row of a loop, children included.",
  "Actual Total Time": "Milliseconds of a loop, children included.",
  "Own Time": "Milliseconds spent in the node itself, over all loops, children excluded.",
  "Rows In": "Rows that the node's inputs handed to it, over all loops.",
  "Rows Out": "Rows that the node handed up, over all loops.",
  "Batches Out": "Hand-overs to the parent; one carries up to batch_rows rows.",
  Steps: "How often the driver called the node.",
  "Peak Memory": "The most memory the node held at once, by PostgreSQL's sizes.",
  Pipeline: "The chain of nodes that a batch runs through without being kept.",
  "Scan Keys": "Conditions that the table access method applies itself, and whether it promises they hold exactly.",
  Filter: "Conditions that the executor evaluates for each row it is given.",
  "Not Pushed": "Conditions that could not become scan keys, each with its reason.",
  "Rows Removed by Scan Keys": "Visible rows that the access method dropped before the executor saw them.",
  "Rows Removed by Filter": "Rows that the executor was given and then dropped.",
  "Rows Rechecked": "Rows that passed the scan keys and were tested by the executor once more.",
  "Key Evaluations": "How often a scan key was compared with a column, inside the access method.",
  "Qual Evaluations": "How often the executor evaluated a condition of the filter.",
  "Pages Read": "8 kB pages that the scan visited.",
  "Pages Skipped": "8 kB pages that the scan did not have to visit.",
  "Join Type": "Which rows without a partner are kept.",
  "Hash Cond": "The equality that the hash table answers.",
  "Join Filter": "Conditions on pairs of rows beyond the join's key.",
  "Rows Removed by Join Filter": "Pairs of rows that the join filter dropped.",
  "Merge Cond": "The equality that the merge of two sorted inputs answers.",
  Strategy: "How groups are formed: all rows at once, by hashing, or from sorted input.",
  "Group Key": "The expressions that rows of a group share.",
  "Sort Key": "The expressions that the rows are ordered by.",
  "Sort Method": "Which algorithm ordered the rows.",
  "Sort Space Used": "Kilobytes that the sort took.",
  "Sort Space Type": "Whether the sort stayed in memory.",
  "Hash Buckets": "Slots of the hash table.",
  "Original Hash Buckets": "Slots of the hash table as planned.",
  "Hash Batches": "Parts that the hash table was cut into to fit work_mem.",
  "Original Hash Batches": "Parts of the hash table as planned.",
  "Peak Memory Usage": "Kilobytes that the hash table or the cache took at most.",
  "Cache Key": "The parameters by which rows of the inner side are kept.",
  "Cache Mode": "How keys are compared: binary, byte by byte.",
  "Cache Hits": "Runs whose rows were kept from an earlier one.",
  "Cache Misses": "Runs that computed their rows.",
  "Cache Evictions": "Entries that made room for others.",
  "Cache Overflows": "Runs whose rows alone were too many to keep.",
  Groups: "Groups that were formed.",
  Output: "The expressions that make up a row.",
  "Subplan Name": "The name by which the query refers to the sub-select.",
  "Function Name": "The function whose rows are read.",
  "Function Call": "The call whose rows are read.",
  "Push-Down": "What decided whether conditions of this table may become scan keys: the setting or the table's own option.",
  "Batches In": "Hand-overs from the node's inputs.",
  "Rows Changed": "Rows that were inserted, updated or deleted.",
  "Inner Unique": "Whether the planner knows that the inner input has at most one partner for a row.",
  Operation: "What is done to the table.",
  "Partial Mode": "Whether the groups are formed in one step or in several.",
  "HashAgg Batches": "Parts that the groups were cut into to fit work_mem.",
  "Planned Partitions": "Parts that the planner expected to cut the groups into.",
  "Disk Usage": "Kilobytes that did not fit into memory.",
};

/** The sentence for a key, or an empty text. */
export function meaning(key: string): string {
  return MEANINGS[key] ?? "";
}

/** The sections of the side panel: what was counted and timed, what was expected, what the node is. */
export const SECTIONS = ["Counted", "Timed", "Estimated", "Described"] as const;
export type Section = (typeof SECTIONS)[number];

/** Where a key belongs, by what its value says. */
export function section(key: string, value: string | number | boolean): Section {
  if (/ Time$/.test(key)) return "Timed";
  if (/ Cost$|^Plan (Rows|Width)$|^Planned /.test(key)) return "Estimated";
  return typeof value === "number" && key !== "Pipeline" ? "Counted" : "Described";
}

/** Times and sizes have units that the key does not name. */
export const UNITS: Record<string, "ms" | "bytes" | "kB"> = {
  "Actual Startup Time": "ms",
  "Actual Total Time": "ms",
  "Own Time": "ms",
  "Peak Memory": "bytes",
  "Peak Memory Usage": "kB",
  "Sort Space Used": "kB",
};

/** Keys that the panel shows elsewhere or that only tools need. */
export const APART = new Set(["Node Type", "Parent Relationship", "Scan Keys", "Filter", "Not Pushed", "Parallel Aware", "Async Capable"]);
