import type { Shared } from "../share/link";
import { TITLES, queryName } from "./titles";

/** A demo whose scripts are loaded when it is picked. */
export interface LazyDemo {
  id: string;
  group: string;
  title: string;
  load: () => Promise<Shared>;
}

/** TPC-H's queries over its smallest data here. */
export const TPCH_DEMOS: LazyDemo[] = TITLES.map((title, i) => ({
  id: `tpch-${i + 1}`,
  group: "TPC-H (scale factor 0.01)",
  title: `${queryName(i + 1)}: ${title}`,
  load: async () => (await import("./scripts")).tpchNotebook(i + 1, 0.01, "numeric"),
}));
