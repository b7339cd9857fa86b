/**
 * Four senders append live batches without end while the store compacts. Each continues after its last
 * acknowledged batch, like a sender with retries. A fault run records what it writes (`disk/record-appender.ts`). Arguments:
 * the store's directory; `beside` if a second thread compacts and checkpoints; the first sequence number of
 * each sender. Prints `sender sequence` for every acknowledged batch.
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
// Starts the second thread before the first batch.
if (isBeside) await store.background.checkpoint();
store.compactor.sweep();

await Promise.all(firsts.map((first, sender) => send(sender, Number(first))));

async function send(sender: number, first: number): Promise<void> {
  for (let sequence = first; ; sequence++) {
    await store.points.append(killedBatch(sender, sequence));
    writeSync(1, `${sender} ${sequence}\n`);
  }
}
