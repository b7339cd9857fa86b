import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { selectEarlier } from "./earlier-runs.ts";

const part = (loadTestId: string) => ({
  loadTestId,
  selection: ALL_ENDPOINTS,
  range: undefined,
  skipStartSeconds: 0,
  skipEndSeconds: 0,
});

/** Runs an hour apart, named by their places in `failed`; the last is compared with the base. */
async function earlierIds(failed: readonly boolean[], base: number): Promise<readonly string[]> {
  const store = openMemoryStore();
  for (const [at, hasFailed] of failed.entries()) {
    const id = `run-${at}`;
    const tags = hasFailed ? ["thresholds-failed"] : [];
    await store.loadTests.create({ ...loadTest(id), name: "checkout", tags });
    await store.points.append(batchOf([sample("a", 3600 * (at + 1))], { loadTestId: id }));
  }
  const later = part(`run-${failed.length - 1}`);
  const { loadTests } = await selectEarlier(store, { base: part(`run-${base}`), later });
  return loadTests.map(({ id }) => id);
}

const [PASSED, FAILED] = [false, true];

test("a failed run is no measure of how much runs differ, so that running it again cannot pass", async () => {
  expect(await earlierIds([PASSED, PASSED, PASSED, PASSED, FAILED, PASSED], 3)).toEqual([
    "run-0",
    "run-1",
    "run-2",
    "run-3",
  ]);
});

test("a failed base counts, and so do all runs where fewer than four have passed", async () => {
  expect(await earlierIds([PASSED, PASSED, PASSED, FAILED, FAILED, PASSED], 3)).toEqual([
    "run-0",
    "run-1",
    "run-2",
    "run-3",
  ]);
  expect(await earlierIds([PASSED, FAILED, PASSED, PASSED, PASSED], 3)).toEqual([
    "run-0",
    "run-1",
    "run-2",
    "run-3",
  ]);
});
