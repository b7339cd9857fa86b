/**
 * Four senders that append live batches without end, each going on where its line of acknowledged
 * batches ends, as a sender with retries does, while the store compacts all the time.
 * `append-kill.slow.test.ts` kills it.
 *
 * Arguments: the store's directory, `beside` where a second thread compacts and checkpoints, then for each sender its
 * first sequence number. For every batch that is acknowledged it prints `sender sequence`.
 */

import { writeSync } from "node:fs";
import { openCompactedStore } from "../support/compacted-store.ts";
import { killedBatch } from "./killed-batch.ts";

const [directory = "", where, ...firsts] = process.argv.slice(2);
const isBeside = where === "beside";
const store = openCompactedStore(directory, {
  now: Date.now,
  runsCompacted: 3,
  isBeside,
  logPages: 40,
});
// It takes part from the first batch on.
if (isBeside) await store.background.checkpoint();
store.compactor.sweep();

await Promise.all(firsts.map((first, sender) => send(sender, Number(first))));

async function send(sender: number, first: number): Promise<void> {
  for (let sequence = first; ; sequence++) {
    await store.points.append(killedBatch(sender, sequence));
    writeSync(1, `${sender} ${sequence}\n`);
  }
}
