/**
 * Kills a process that publishes a source and merges its small blocks, at instants from before the first
 * write to after the last one (6, or TACHOGRAPH_KILLS of them): readers see all of the source or nothing, and
 * when the next process has finished, the store is as if no process had been killed.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { collect, published, stored } from "../support/batches.ts";
import { densePoints } from "../support/dense-points.ts";
import { loadTest } from "../support/load-tests.ts";
import { openCompactedStore, type CompactedStore } from "../support/compacted-store.ts";
import { temporaryDirectory } from "../support/store-directory.ts";

const KILLS = Number(process.env["TACHOGRAPH_KILLS"] ?? 6);
const SECONDS = 30;
const ENDPOINTS = 480;
/** The next process runs this much later, when staged blocks count as abandoned. */
const LATER_MS = 3_600_000;

async function stage(directory: string): Promise<void> {
  const store = openCompactedStore(directory, { now: Date.now });
  await store.loadTests.create(loadTest());
  const labels = Array.from({ length: ENDPOINTS }, (_, index) => `endpoint ${1000 + index}`);
  for (let sequence = 0; sequence < SECONDS; sequence++) {
    const firstSecond = 1_790_000_000 + sequence;
    const shape = { endpoints: ENDPOINTS, seconds: 1, requestsPerPoint: 2, firstSecond };
    const batch = { loadTestId: "run", sourceId: "file", sequence, labels };
    const points = densePoints(shape, sequence);
    await store.points.append({ ...batch, visibility: "staged", points });
  }
  await store.close();
}

/**
 * Runs the child on a copy and kills it `killAfterMs` after its begin. Returns the copy and the duration.
 */
async function publishIn(staged: string, killAfterMs: number) {
  const directory = temporaryDirectory();
  cpSync(staged, directory, { recursive: true });
  const script = path.join(import.meta.dirname, "publish-child.ts");
  const child = spawn(process.execPath, [script, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  const beganAtMs = performance.now();
  const timer = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  child.stdout.resume();
  const [exitCode] = (await exited) as [number | null];
  clearTimeout(timer);
  return { directory, exitCode, tookMs: performance.now() - beganAtMs };
}

function blocksIn({ file }: CompactedStore): unknown {
  const sql =
    "SELECT count(*) AS blocks FROM blocks WHERE shown_from IS NOT NULL AND shown_until IS NULL";
  return file.reader.prepare(sql).get()?.["blocks"];
}

test(
  `a source is complete or absent, whenever its publishing is killed (${KILLS} times)`,
  async () => {
    const staged = temporaryDirectory();
    await stage(staged);
    const undisturbed = await publishIn(staged, 60_000);
    expect(undisturbed.exitCode).toBe(0);
    const reference = openCompactedStore(undisturbed.directory, { now: Date.now });
    const expected = await stored(reference);
    expect(blocksIn(reference)).toBe(ENDPOINTS / 16);
    await reference.close();
    let killed = 0;
    let { tookMs } = undisturbed;
    // A run can end before its kill if the machine was busier at first; then the next ones are killed sooner.
    for (let run = 0; killed < KILLS && run < 3 * KILLS; run++) {
      const child = await publishIn(staged, (tookMs * (killed + 0.5)) / KILLS);
      const { directory, exitCode } = child;
      if (exitCode === null) killed += 1;
      else tookMs = Math.min(tookMs, child.tookMs);
      const store = openCompactedStore(directory, { now: () => Date.now() + LATER_MS });
      expect([[], expected]).toContainEqual(await stored(store));
      const isShown = (await store.points.sources("run")).length === 1;
      expect(await store.points.publish(published("file"))).toEqual({ duplicate: isShown });
      await store.compact();
      expect(await stored(store)).toEqual(expected);
      expect(blocksIn(store)).toBe(ENDPOINTS / 16);
      expect(await collect(store.verify())).toEqual([]);
      await store.close();
    }
    expect(killed).toBe(KILLS);
  },
  30_000 + KILLS * 10_000,
);
