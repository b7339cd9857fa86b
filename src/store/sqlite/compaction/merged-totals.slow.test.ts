import { expect, onTestFinished, test } from "vitest";
import { totalsIn } from "../../../../test/support/answers-of-store.ts";
import { batchOf, sample, snapshotOf } from "../../../../test/support/batches.ts";
import {
  type CompactedStore,
  openCompactedStore,
} from "../../../../test/support/compacted-store.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { temporaryDirectory } from "../../../../test/support/store-directory.ts";

const MERGED_AT_ONCE = 4;

async function open(): Promise<CompactedStore> {
  const options = { now: () => 1_000_000, runsCompacted: MERGED_AT_ONCE, isBeside: true };
  const store = openCompactedStore(temporaryDirectory(), options);
  onTestFinished(() => store.close());
  await store.loadTests.create(loadTest());
  return store;
}

/** A request of "a" in each batch, at seconds from `first` on, which takes as many microseconds as its second. */
async function append({ points, compactor }: CompactedStore, sourceId: string, first: number) {
  for (let sequence = 0; sequence < MERGED_AT_ONCE; sequence++) {
    const second = first + sequence;
    await points.append(batchOf([sample("a", second, second)], { sourceId, sequence }));
  }
  await compactor.idle();
}

async function answered(store: CompactedStore) {
  const snapshot = await snapshotOf(store);
  return totalsIn(snapshot).finally(() => snapshot.release());
}

test("what was merged while it came is known, and what it no longer holds is not", async () => {
  const store = await open();
  await append(store, "one", 1);
  await append(store, "two", 101);
  const known = store.totals.of(1);
  expect(known?.blocks.size).toBe(2);
  // 1 + 2 + 3 + 4 and 101 + 102 + 103 + 104.
  const both = { label: "a", requests: 8n, elapsedMicros: 420n, rangeSeconds: 104 };
  expect(await answered(store)).toMatchObject([{ ...both, quantiles: [1, 4, 104] }]);
  const [held] = [...(known?.totals.all() ?? [])];
  expect([...(held?.requests ?? [])]).toEqual([8]);

  const before = await snapshotOf(store);
  await store.points.withdraw("run", "one");
  const other = { label: "a", requests: 4n, elapsedMicros: 410n, rangeSeconds: 4 };
  expect(await answered(store)).toMatchObject([{ ...other, quantiles: [101, 102, 104] }]);
  expect(await totalsIn(before)).toMatchObject([both]);
  before.release();
});

test("merging again what is known counts nothing twice", async () => {
  const store = await open();
  for (let batches = 0; batches < MERGED_AT_ONCE; batches++) {
    for (let sequence = 0; sequence < MERGED_AT_ONCE; sequence++) {
      const number = MERGED_AT_ONCE * batches + sequence;
      const one = batchOf([sample("a", 5, 7)], { sourceId: "one", sequence: number });
      await store.points.append(one);
    }
    await store.compactor.idle();
  }
  expect(store.totals.of(1)?.blocks.size).toBe(1);
  expect(await answered(store)).toMatchObject([{ requests: 16n, elapsedMicros: 112n }]);
});
