/** Writes `docs/cli.md` anew: `npm run docs:cli`. */

import { writeFileSync } from "node:fs";
import path from "node:path";
import { referenceText } from "./reference-text.ts";

// Help is as wide as a terminal; a page is not.
process.stdout.isTTY = false;
writeFileSync(path.join(import.meta.dirname, "../../docs/cli.md"), await referenceText());
