import { expect, onTestFinished, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openCompactedStore } from "../../../test/support/compacted-store.ts";
import { temporaryDirectory } from "../../../test/support/store-directory.ts";

const LABELS = 10_000;

test("many labels are numbered in short writes, in sorted order", async () => {
  const store = openCompactedStore(temporaryDirectory(), { now: () => 0 });
  onTestFinished(() => store.close());
  await store.loadTests.create(loadTest());
  const { queue } = store.file;
  const write = queue.write.bind(queue);
  let writes = 0;
  queue.write = (run, bytes) => {
    writes += 1;
    return write(run, bytes);
  };
  const labels = Array.from({ length: LABELS }, (_, number) => String(number).padStart(5, "0"));
  const samples = labels.toReversed().map((label) => sample(label, 1));
  await store.points.append(batchOf(samples));
  expect(writes).toBe(3 + 1);
  const numbered = store.file.reading.endpoints.page(1, undefined, 2 * LABELS);
  expect(numbered.toSorted((left, right) => left.number - right.number)).toEqual(
    labels.map((label, number) => ({ number, label })),
  );
});
