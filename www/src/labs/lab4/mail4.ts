import type { Assignment } from "../../engine/messages";

/** One line of mail 4's table (Arseny Sher, pgsql-hackers): medians of 24 runs, in seconds. */
export interface PublishedQuery {
  query: number;
  /** PostgreSQL with the push-based executor. */
  reversed: number;
  /** The master branch of the time: pull. */
  master: number;
  /** The speed-up in percent, as the mail prints it. */
  speedup: string;
}

export const PUBLISHED: readonly PublishedQuery[] = [
  { query: 1, reversed: 128.53, master: 138.94, speedup: "8.1" },
  { query: 3, reversed: 61.53, master: 67.29, speedup: "9.36" },
  { query: 4, reversed: 86.27, master: 95.95, speedup: "11.22" },
  { query: 5, reversed: 54.44, master: 56.82, speedup: "4.37" },
  { query: 10, reversed: 55.44, master: 59.88, speedup: "8.01" },
  { query: 12, reversed: 69.59, master: 76.65, speedup: "10.15" },
];

/** The queries that the mail's nodes could run; q14 is named in its text and missing from its table. */
export const QUERIES = [1, 3, 4, 5, 10, 12, 14] as const;

/** Runs that the mail took the median of. */
export const RUNS = 24;

/** The mail's lines for nodes that it had not built; all but q1 would have been planned with them. */
export const SWITCHES: Assignment[] = [
  ["enable_indexscan", "off"],
  ["enable_indexonlyscan", "off"],
  ["enable_material", "off"],
  ["enable_bitmapscan", "off"],
  ["enable_nestloop", "off"],
  ["enable_sort", "off"],
];

/** The rest of the mail's postgresql.conf. */
export const CONFIGURATION = `shared_buffers = 128GB
maintenance_work_mem = 1GB
work_mem = 8GB
effective_cache_size = 128GB
max_wal_senders = 0
max_parallel_workers_per_gather = 0`;
