/** Generates `docs/cli.md`: `npm run task docs:cli`. */

import { writeFileSync } from "node:fs";
import path from "node:path";
import { referenceText } from "./reference-text.ts";

// Help wraps at the terminal's width; a page does not.
process.stdout.isTTY = false;
writeFileSync(path.join(import.meta.dirname, "../../docs/cli.md"), await referenceText());
