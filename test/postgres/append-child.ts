/**
 * Opens a store of its own and appends the batches of a sender, from a given one on, until it is killed or fails:
 *
 *     node test/postgres/append-child.ts URL SENDER BATCHES
 *
 * Prints the number of each batch when the store has acknowledged it, and whether it was a duplicate. What the store
 * refuses because the database is away is sent again, as senders do.
 */

import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "../../src/model/errors.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { killedBatch } from "../faults/killed-batch.ts";

const [url = "", sender = "", batches = ""] = process.argv.slice(2);
const store = await openPostgresStore(url, { now: Date.now });
for (let sequence = 0; sequence < Number(batches);) {
  try {
    const { duplicate } = await store.points.append(killedBatch(Number(sender), sequence));
    console.log(`${sequence} ${duplicate ? "duplicate" : "stored"}`);
    sequence += 1;
  } catch (error) {
    const isAway = error instanceof UserError && error.code === "store-unreachable";
    if (!isAway) throw error;
    await delay(50);
  }
}
await store.close();
