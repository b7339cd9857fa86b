import { expect, test } from "vitest";
import { batchOf, published, sample } from "../../test/support/batches.ts";
import { copiedOf, copy } from "../../test/support/copying.ts";
import { detailed } from "../../test/support/details.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { failureTable, userTable } from "../../test/support/plain-details.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { reportedPercentiles } from "../model/reported-percentiles.ts";
import type { PointBatch, Store } from "../store/store.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

/** A copy of one file and one sender with one faulty batch. */
async function copyTampered(tamper: (batch: PointBatch) => PointBatch) {
  const [from, to] = [openMemoryStore(), openMemoryStore()];
  await from.loadTests.create(loadTest("run"));
  await from.points.append({ ...detailed(), roles: ["unclear"], reported: REPORTED });
  const append: Store["points"]["append"] = (batch) => to.points.append(tamper(batch));
  const outcome = await copy(from, { ...to, points: { ...to.points, append } });
  return copiedOf(outcome)?.differences;
}

const REPORTED = reportedPercentiles([
  { label: undefined, window: undefined, percentiles: [[0.95, 48_000]] },
  { label: 0, window: { second: 3, windowSeconds: 1 }, percentiles: [[0.5, 9000]] },
]);

const [NO_FAILURES, NO_USERS] = [failureTable([]), userTable([])];

const withPoints =
  (points: Partial<PointBatch["points"]>) =>
  (batch: PointBatch): PointBatch =>
    batch.users === undefined && batch.reported === undefined
      ? { ...batch, points: { ...batch.points, ...points } }
      : batch;

test.each<[difference: string, tamper: (batch: PointBatch) => PointBatch]>([
  ['endpoints "a" to "a": points.bucket[0] is', withPoints({ bucket: Uint16Array.of(1) })],
  [
    "points.elapsedMicros[0] is 1000, in the copy 7",
    withPoints({ elapsedMicros: Float64Array.of(7) }),
  ],
  ["points.windowSeconds is absent, in the copy", withPoints({ windowSeconds: Uint16Array.of(9) })],
  ["points.second[0] is 3, in the copy 4", withPoints({ second: Uint32Array.of(4) })],
  ['roles[0] is "unclear", in the copy "request"', (batch) => ({ ...batch, roles: undefined })],
  [
    'failures.kinds[0] is {"code":"503","message":""}, in the copy absent',
    (batch) => ({ ...batch, failures: NO_FAILURES }),
  ],
  ['endpoints "a" to "a": missing in the copy', (batch) => ({ ...batch, reported: undefined })],
  ['source "sender": labels[0] is absent', (batch) => ({ ...batch, users: NO_USERS })],
  [
    'labels[0] is "a", in the copy "b"',
    (batch) => ({ ...batch, labels: batch.labels.map(() => "b") }),
  ],
])("reports that %s", async (difference, tamper) => {
  expect((await copyTampered(tamper))?.join("\n")).toContain(difference);
});

test("reports sources only in the copy and differing attributes of the load test", async () => {
  const [from, to] = [openMemoryStore(), openMemoryStore()];
  await from.loadTests.create(loadTest("run"));
  await from.points.publish(published("file"));
  await copy(from, to);
  await to.points.append(batchOf([sample("a", 1)], { sourceId: "new" }));
  const update: Store["loadTests"]["update"] = (id) => to.loadTests.update(id, { pinned: true });
  const loadTests = { ...to.loadTests, update };
  const outcome = await copy(from, { ...to, loadTests });
  expect(copiedOf(outcome)?.differences).toEqual([
    "the load test: pinned is false, in the copy true",
    'source "new" is in the copy alone',
  ]);
});

test("reports response times of failed requests that the copy does not tell apart", async () => {
  const from = await memoryStoreWith(
    batchOf([sample("a", 3), { ...sample("a", 3, 9000), failed: true }]),
  );
  const to = openMemoryStore();
  const append: Store["points"]["append"] = (batch) =>
    to.points.append({ ...batch, points: { ...batch.points, outcomes: undefined } });
  const outcome = await copy(from, { ...to, points: { ...to.points, append } });
  expect(copiedOf(outcome)?.differences[0]).toContain(
    'source "sender", endpoints "a" to "a": points.outcomes is {"point":{"0":0},',
  );
});

test("a copy has the same percentiles of the tool", async () => {
  expect(await copyTampered((batch) => batch)).toEqual([]);
});
