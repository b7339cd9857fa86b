/**
 * Kills a process that appends and compacts live batches at random instants (20, or TACHOGRAPH_KILLS of them)
 * and reopens its store each time: every acknowledged batch is stored once, none in part, and retries
 * duplicate nothing.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { collect } from "../support/batches.ts";
import { randomFrom } from "../support/dense-points.ts";
import { loadTest } from "../support/load-tests.ts";
import { openCompactedStore } from "../support/compacted-store.ts";
import { openStoreIn, temporaryDirectory } from "../support/store-directory.ts";
import { SENDERS } from "./killed-batch.ts";
import { storedBatches } from "./stored-batches.ts";

const KILLS = Number(process.env["TACHOGRAPH_KILLS"] ?? 20);

test.each([
  { where: "in turns", withinMs: 60 },
  { where: "beside", withinMs: 400 },
])(
  "kill -9 neither loses nor duplicates an acknowledged batch, compacted $where",
  async ({ where, withinMs }) => {
    const directory = temporaryDirectory();
    const empty = await openStoreIn(directory);
    await empty.loadTests.create(loadTest());
    await empty.close();

    const random = randomFrom(Date.now());
    /** Acknowledged batches of each sender. */
    const acknowledged = Array.from({ length: SENDERS }, () => 0);
    for (let kill = 0; kill < KILLS; kill++) {
      await killWhileAppending([directory, where], acknowledged, random() * withinMs);
      const found = await storedBatches(directory);
      for (let sender = 0; sender < SENDERS; sender++) {
        const unacknowledged = (found[sender] ?? 0) - (acknowledged[sender] ?? 0);
        expect([0, 1], `batches of sender ${sender} after kill ${kill}`).toContain(unacknowledged);
      }
    }
    expect(Math.min(...acknowledged)).toBeGreaterThan(0);
    const store = openCompactedStore(directory, { now: Date.now });
    const { blocks = 0 } = store.file.reading.loadTests.get(1) ?? {};
    // A batch is three blocks: points, failures and users.
    expect(blocks).toBeLessThan(3 * acknowledged.reduce((sum, batches) => sum + batches, 0));
    expect(await collect(store.verify())).toEqual([]);
    await store.close();
  },
  30_000 + KILLS * 5000,
);

/** Lets the child append until it is killed, and records what it acknowledged. */
async function killWhileAppending(
  store: readonly string[],
  acknowledged: number[],
  delayMs: number,
): Promise<void> {
  const script = path.join(import.meta.dirname, "append-child.ts");
  const child = spawn(process.execPath, [script, ...store, ...acknowledged.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let isFirst = true;
  for await (const line of createInterface({ input: child.stdout })) {
    const [sender = NaN, sequence = NaN] = line.split(" ").map(Number);
    acknowledged[sender] = sequence + 1;
    if (isFirst) setTimeout(() => child.kill("SIGKILL"), delayMs);
    isFirst = false;
  }
  expect(await exited).toEqual([null, "SIGKILL"]);
}
