/**
 * Writes a file that never ends into the load test "one" of a store, its only argument. Prints a line once some of it
 * is stored; `kept-files.slow.test.ts` kills it then.
 */

import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";

const [file = ""] = process.argv.slice(2);
const store = await openSqliteStore(file, { now: Date.now });
const writer = store.files.begin({ loadTestId: "one", name: "endless" });
for (let megabytes = 0; ; megabytes++) {
  await writer.write(randomBytes(1024 * 1024));
  if (megabytes === 40) writeSync(1, "stored\n");
}
