/** What the address shows. */
export type Page = "notebook" | "lab1" | "lab4" | "tpch";

/** The pages in the order of the navigation. */
export const PAGES: readonly { page: Page; hash: string; name: string; title: string }[] = [
  { page: "notebook", hash: "#notebook", name: "Notebook", title: "Tuplescope" },
  { page: "lab1", hash: "#lab=1", name: "Lab 1", title: "Lab 1: qual push-down – Tuplescope" },
  { page: "lab4", hash: "#lab=4", name: "Lab 4", title: "Lab 4: pull and push – Tuplescope" },
  { page: "tpch", hash: "#tpch", name: "TPC-H", title: "TPC-H – Tuplescope" },
];

/** The page of a fragment; a link and an unknown fragment show the notebook. */
export function pageAt(hash: string): Page {
  return PAGES.find((it) => it.hash === hash)?.page ?? "notebook";
}
