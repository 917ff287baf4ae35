// TPC-H's rows for engines: our own generator's, as text for the peers.
import { Remote } from "../peers/remote.mjs";
import { TABLES, generated, schema } from "./queries.mjs";

/** The script that makes the tables in our engine, by storage: `heap` or `columnar`. */
export function ownScript(scale, money, storage) {
  const fills = TABLES.map((table) => `INSERT INTO ${table} ${generated(table, scale, money)};`);
  return `SET default_table_access_method = '${storage}';\n${schema(money)}\n${fills.join("\n")}\nVACUUM;\nANALYZE;`;
}

/** Every table's rows as shared memory, generated once for all peers. */
export async function tableTexts(scale, money) {
  const generator = new Remote("tuplescope.mjs", {}, async () => undefined);
  try {
    const texts = [];
    for (const name of TABLES) texts.push({ name, ...(await generator.call("text", generated(name, scale, money))) });
    return texts;
  } finally {
    await generator.close();
  }
}
