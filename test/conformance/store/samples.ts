/** Requests kept whole: seen with their batch, and gone with their source. */

import { expect, test } from "vitest";
import { type ChildSpan, dividedEntries } from "../../../src/model/samples/child-spans.ts";
import { type LabelledSample, sampleOf } from "../../../src/model/samples/request-sample.ts";
import type { Store } from "../../../src/store/store.ts";
import { batchOf, published, sample, snapshotOf } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";

function kept(timeMs: number): LabelledSample {
  const details = { timeMs, elapsedMicros: 5, url: `/${timeMs}`, code: "503", message: "busy" };
  return { label: "a", ...sampleOf(details, (text) => text) };
}

const SPAN: ChildSpan = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  parentId: "",
  service: "shop",
  operation: "GET /cart",
  elapsedMicros: 5,
};

async function timesIn(store: Store): Promise<readonly number[]> {
  const snapshot = await snapshotOf(store);
  const samples = await snapshot.samples();
  snapshot.release();
  return dividedEntries(samples)
    .samples.map(({ timeMs }) => timeMs)
    .toSorted((left, right) => left - right);
}

export function samplesConform(open: () => Promise<Store>): void {
  async function openWithRun(): Promise<Store> {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    await store.points.append(batchOf([sample("a", 1)], { samples: [kept(1000)] }));
    return store;
  }

  test("samples are stored once, and an earlier snapshot does not see later ones", async () => {
    const store = await openWithRun();
    const snapshot = await snapshotOf(store);
    const later = batchOf([sample("a", 2)], { sequence: 1, samples: [kept(2000)] });
    await store.points.append(later);
    // A sender that has begun again may choose others.
    const again = { ...later, samples: [kept(2000), kept(2001)] };
    expect(await store.points.append(again)).toMatchObject({ duplicate: true });
    expect(await timesIn(store)).toEqual([1000, 2000]);
    expect(await snapshot.samples()).toEqual([kept(1000)]);
    snapshot.release();
  });

  test("samples of a file are shown when it is published, and go with it", async () => {
    const store = await openWithRun();
    const about = { sourceId: "1", visibility: "staged", samples: [kept(3000), SPAN] } as const;
    await store.points.append(batchOf([sample("a", 3)], about));
    expect(await timesIn(store)).toEqual([1000]);
    await store.points.publish(published("1"));
    expect(await timesIn(store)).toEqual([1000, 3000]);
    const bySource = await store.points.snapshotBySource("run");
    const ofSources = bySource?.sources.map(async (each) => [each.sourceId, await each.samples()]);
    expect(await Promise.all(ofSources ?? [])).toEqual([
      ["1", [kept(3000), SPAN]],
      ["sender", [kept(1000)]],
    ]);
    bySource?.release();
    await store.points.downsample("run");
    expect(await timesIn(store)).toEqual([1000, 3000]);
    await store.points.withdraw("run", "1");
    expect(await timesIn(store)).toEqual([1000]);
    await store.loadTests.delete("run");
    await store.loadTests.create(loadTest("run"));
    expect(await timesIn(store)).toEqual([]);
  });
}
