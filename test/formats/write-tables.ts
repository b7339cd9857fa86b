/** Writes the tables of docs/tools/README.md, which `npm run fix` then aligns: `npm run task docs:formats`. */

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { toolsTables, withTables } from "./tools-tables.ts";

const page = path.join(import.meta.dirname, "../../docs/tools/README.md");
writeFileSync(page, withTables(readFileSync(page, "utf8"), toolsTables()));
