import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { batchOf, sample } from "../../../../test/support/batches.ts";
import {
  type CompactedStore,
  openCompactedStore,
} from "../../../../test/support/compacted-store.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { temporaryDirectory } from "../../../../test/support/store-directory.ts";
import type { DataPoints } from "../../../model/data-points.ts";
import type { Change } from "../../totals.ts";
import { RunTotals } from "./run-totals.ts";

/** A store whose changes go to totals in this thread. */
async function open() {
  const directory = temporaryDirectory();
  let store = openCompactedStore(directory, { now: () => 1_000_000, runsCompacted: 4 });
  const sent: Change[] = [];
  const noteTo = (totals: RunTotals) => (changes: readonly Change[]) => {
    sent.push(...changes);
    totals.note(changes.map((change) => structuredClone(change)));
  };
  let totals = new RunTotals(store.file.reading.blocks);
  store.file.queue.onChanges = noteTo(totals);
  onTestFinished(() => store.close());
  await store.loadTests.create(loadTest());
  return {
    sent,
    get store() {
      return store;
    },
    get totals() {
      return totals;
    },
    async reopen() {
      await store.close();
      store = openCompactedStore(directory, { now: () => 1_000_000, runsCompacted: 4 });
      totals = new RunTotals(store.file.reading.blocks);
      store.file.queue.onChanges = noteTo(totals);
    },
  };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Three requests of "a" and one of "b" each, which takes as many microseconds as its second. */
async function append(points: CompactedStore["points"], sourceId: string, first: number) {
  for (let sequence = 0; sequence < 3; sequence++) {
    const second = first + sequence;
    const samples = [sample("a", second, second), sample("b", second, 1)];
    await points.append(batchOf(samples, { sourceId, sequence }));
  }
}

/** Requests and microseconds by endpoint, and the points that were added for them; `undefined` if it is not known. */
async function asked({ store, totals }: Opened) {
  const row = store.file.reading.loadTests.find({}, "run");
  const { revision: storeRevision } = store.file.reading.storeState();
  const before = totals.added;
  const parts: DataPoints[] = [];
  const isKnown = await totals.answer(
    {
      loadTest: row?.number ?? 0,
      revision: row?.revision ?? 0,
      storeRevision,
    },
    (points) => parts.push(points),
  );
  const sums = parts.map(({ requests, elapsedMicros }) => [...requests, ...elapsedMicros]);
  return { isKnown, sums: sums.flat(), added: totals.added - before };
}

test("a summary right after many batches adds none of them again, merged or not, also after a change of the run", async () => {
  const opened = await open();
  const { store } = opened;
  await append(store.points, "one", 1);
  // Requests of "a" and "b", then 1 + 2 + 3 and 1 + 1 + 1 microseconds. What waits is added now.
  expect(await asked(opened)).toEqual({ isKnown: true, sums: [3, 3, 6, 3], added: 6 });
  expect(await asked(opened)).toEqual({ isKnown: true, sums: [3, 3, 6, 3], added: 0 });
  await append(store.points, "two", 11);
  await delay(1100);
  await store.loadTests.update("run", { tags: ["done"] });
  await store.compact();
  const both = [6, 6, 6 + 11 + 12 + 13, 6];
  expect(await asked(opened)).toEqual({ isKnown: true, sums: both, added: 0 });
});

test("after a source was withdrawn, and after a restart, everything is read once", async () => {
  const opened = await open();
  await append(opened.store.points, "one", 1);
  await append(opened.store.points, "two", 11);
  await opened.store.points.withdraw("run", "one");
  const second = [3, 3, 36, 3];
  expect(await asked(opened)).toEqual({ isKnown: true, sums: second, added: 6 });
  expect(await asked(opened)).toEqual({ isKnown: true, sums: second, added: 0 });
  await opened.reopen();
  expect(await asked(opened)).toEqual({ isKnown: true, sums: second, added: 6 });
  await append(opened.store.points, "three", 1);
  expect(await asked(opened)).toEqual({ isKnown: true, sums: [6, 6, 42, 6], added: 6 });
});

test("batches that come while a load test is read are added from their blocks", async () => {
  const opened = await open();
  await append(opened.store.points, "one", 1);
  await opened.reopen();
  const reading = asked(opened);
  await append(opened.store.points, "two", 11);
  expect(await reading).toMatchObject({ isKnown: true, sums: [3, 3, 6, 3] });
  expect(await asked(opened)).toMatchObject({ isKnown: true, sums: [6, 6, 42, 6] });
});

test("an earlier state than the latest, and one with a missed change, is not known", async () => {
  const opened = await open();
  const { store, totals } = opened;
  await append(store.points, "one", 1);
  const [first] = opened.sent;
  const { revision: storeRevision } = store.file.reading.storeState();
  const request = { loadTest: 1, storeRevision };
  const earlier = { ...request, revision: first?.after ?? 0 };
  expect(await totals.answer(earlier, () => undefined)).toBe(false);

  const { onChanges } = store.file.queue;
  store.file.queue.onChanges = undefined;
  await append(store.points, "two", 11);
  store.file.queue.onChanges = onChanges;
  await append(store.points, "three", 1);
  expect(await asked(opened)).toEqual({ isKnown: true, sums: [9, 9, 48, 9], added: 18 });
});
