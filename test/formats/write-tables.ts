/** Writes the tables of docs/tools/README.md and docs/samples.md, which `npm run fix` then aligns: `npm run task docs:formats`. */

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { detailsTable, toolsTables, withTables } from "./tools-tables.ts";

write("tools/README.md", toolsTables());
write("samples.md", [detailsTable()]);

function write(name: string, tables: readonly string[]): void {
  const page = path.join(import.meta.dirname, "../../docs", name);
  writeFileSync(page, withTables(readFileSync(page, "utf8"), tables));
}
