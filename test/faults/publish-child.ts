/**
 * Publishes the source that is staged in the store of a directory, its only argument, and merges its small
 * blocks. Prints a line when it begins; `publish-kill.slow.test.ts` kills it some time later.
 */

import { writeSync } from "node:fs";
import { published } from "../support/batches.ts";
import { openCompactedStore } from "../support/compacted-store.ts";

const [directory = ""] = process.argv.slice(2);
const store = openCompactedStore(directory, { now: Date.now });
writeSync(1, "begins\n");
await store.points.publish(published("file"));
writeSync(1, "published\n");
await store.close();
