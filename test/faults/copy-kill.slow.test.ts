/**
 * Kills `tachograph copy` at random instants (8, or TACHOGRAPH_KILLS of them), each run continuing from what
 * the previous ones left. After a last run to completion the copy returns the same data as the original.
 */

import { setTimeout } from "node:timers/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";
import { collect } from "../support/batches.ts";
import { fillForCopy } from "../support/copied-data.ts";
import { answersOf } from "../support/copying.ts";
import { randomFrom } from "../support/dense-points.ts";
import { runTachograph, startTachograph } from "../support/run-tachograph.ts";
import { temporaryDirectory } from "../support/store-directory.ts";

const KILLS = Number(process.env["TACHOGRAPH_KILLS"] ?? 8);

/** The program alone needs this long until it copies, and until it has copied everything. */
const [EARLIEST_MS, LATEST_MS] = [100, 1200];

const LOAD_TESTS = ["first", "second"];

test(
  "a copy that is killed repeatedly ends complete and without duplicates",
  async () => {
    const [from, to] = [temporaryDirectory(), temporaryDirectory()];
    const original = await open(from);
    for (const id of LOAD_TESTS) await fillForCopy(original, id, 2000);
    const words = ["copy", "--from", from, "--to", to, "--keys"];
    const random = randomFrom(Date.now());
    for (let kill = 0; kill < KILLS; kill++) {
      const copy = startTachograph(words);
      await setTimeout(EARLIEST_MS + random() * (LATEST_MS - EARLIEST_MS));
      copy.process.kill("SIGKILL");
      await copy.outcome;
    }
    const { exitCode, out } = await runTachograph(words);
    expect([exitCode, out]).toEqual([0, expect.stringContaining("2 runs, ")]);
    const copied = await open(to);
    for (const id of LOAD_TESTS) {
      expect(await answersOf(copied, id)).toEqual(await answersOf(original, id));
      expect(await copied.points.sources(id)).toHaveLength(2);
    }
    expect(await collect(copied.verify())).toEqual([]);
  },
  30_000 + KILLS * 5000,
);

/** The store of a data directory, closed after the test. */
async function open(directory: string): Promise<Store> {
  const store = await openSqliteStore(path.join(directory, "tachograph.sqlite"), { now: Date.now });
  onTestFinished(() => store.close());
  return store;
}
