import { expect, test } from "vitest";
import { batchOf, sample, snapshotOf } from "../../test/support/batches.ts";
import { copiedOf, copy } from "../../test/support/copying.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { dividedEntries } from "../model/samples/child-spans.ts";
import { type LabelledSample, sampleBytes, sampleOf } from "../model/samples/request-sample.ts";
import type { Store } from "../store/store.ts";

/** Of 16 KB, as a server with a larger `sampleBytesMax` keeps them. */
function kept(label: string, timeMs: number): LabelledSample {
  const text = "x".repeat(4096);
  const texts = {
    responseBody: text,
    requestBody: text,
    responseHeaders: text,
    requestHeaders: text,
  };
  return { label, ...sampleOf({ timeMs, elapsedMicros: timeMs, ...texts }, (own) => own) };
}

function described(samples: readonly LabelledSample[]): readonly string[] {
  return samples.map((each) => `${each.label} ${each.timeMs} ${sampleBytes(each)}`).toSorted();
}

async function samplesIn(store: Store): Promise<readonly string[]> {
  const snapshot = await snapshotOf(store);
  const { samples } = dividedEntries(await snapshot.samples());
  snapshot.release();
  return described(samples);
}

test("requests that were kept whole are copied whole, however many there are", async () => {
  const [from, to] = [openMemoryStore(), openMemoryStore()];
  await from.loadTests.create(loadTest("run"));
  const labels = Array.from({ length: 80 }, (_, number) => `label ${number}`);
  const samples = labels.flatMap((label) => [1, 2, 3, 4, 5].map((timeMs) => kept(label, timeMs)));
  await from.points.append(
    batchOf(
      labels.map((label) => sample(label, 1)),
      { samples },
    ),
  );
  expect(copiedOf(await copy(from, to))?.differences).toEqual([]);
  expect(await samplesIn(to)).toEqual(described(samples));
});
