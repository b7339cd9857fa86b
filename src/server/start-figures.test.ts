import { expect, onTestFinished, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { temporaryDirectory } from "../../test/support/store-directory.ts";
import { readTrend } from "../analysis/trend/read-trend.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import { startFigures } from "./start-figures.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import type { Store } from "../store/store.ts";

const HOUR_MS = 3_600_000;
const LATER_MS = 59 * 60_000;
const QUERY = { selection: ALL_ENDPOINTS, skipStartSeconds: 0, skipEndSeconds: 0, last: 9 };
const log = { info() {}, warn() {}, error: (about: object) => expect(about).toBeUndefined() };

/** The load tests that a trend has to read. */
async function readBy(store: Store): Promise<readonly string[]> {
  const read: string[] = [];
  const snapshot: Store["points"]["snapshot"] = (id) => {
    read.push(id);
    return store.points.snapshot(id);
  };
  const figures = { ...store.points.figures, keep: async () => {} };
  const points = { ...store.points, snapshot, figures };
  await readTrend({ ...store, points }, { ...QUERY, name: "Run" });
  return [...new Set(read)];
}

test("a server stores the figures of idle load tests of each project", async () => {
  let nowMs = HOUR_MS;
  const store = await openSqliteStore(`${temporaryDirectory()}/store.db`, { now: () => nowMs });
  onTestFinished(() => store.close());
  const parts = [undefined, "web"].map((project) => store.within({ project }));
  for (const { loadTests, points } of parts) {
    for (const id of ["idle", "growing"]) {
      await loadTests.create({ ...loadTest(id), name: "Run" });
      await points.append(batchOf([sample("a", 10)], { loadTestId: id }));
      nowMs += id === "idle" ? LATER_MS : 0;
    }
    nowMs -= LATER_MS;
  }
  const job = startFigures(store, { log, now: () => nowMs + HOUR_MS });
  onTestFinished(() => job.stop());
  for (const part of parts) await expect.poll(() => readBy(part)).toEqual(["growing"]);
});
