import { expect, onTestFinished, test } from "vitest";
import { batchOf, sample } from "../../../../test/support/batches.ts";
import {
  type CompactedStore,
  openCompactedStore,
} from "../../../../test/support/compacted-store.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { temporaryDirectory } from "../../../../test/support/store-directory.ts";
import type { Change } from "../../totals.ts";
import { readTotals, RunTotals, type TotalsRequest } from "./run-totals.ts";

/** A store whose changes go to totals in this thread. */
async function open() {
  const directory = temporaryDirectory();
  let nowMs = 1_000_000;
  const options = { now: () => nowMs, runsCompacted: 4 };
  let store = openCompactedStore(directory, options);
  const sent: Change[] = [];
  let read = 0;
  let readUntil: Promise<void> | undefined;
  const followed = () => {
    const { queue, reading } = store.file;
    const own = new RunTotals(async (request) => {
      const visible = reading.blocks.visible(request.loadTest, request.storeRevision);
      read += visible.reduce((sum, { points }) => sum + points, 0);
      // As the thread answers.
      const found = await readTotals(reading.blocks, request).catch(() => undefined);
      const parts = found && [...found.all()];
      await readUntil;
      return parts;
    });
    queue.onChanges = (changes) => {
      sent.push(...structuredClone(changes));
      own.note(changes);
    };
    return own;
  };
  let totals = followed();
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
    /** Points read so far. */
    get read() {
      return read;
    },
    /** Makes reading last until then. */
    readUntil(then: Promise<void>) {
      readUntil = then;
    },
    wait(ms: number) {
      nowMs += ms;
    },
    async reopen() {
      await store.close();
      store = openCompactedStore(directory, options);
      totals = followed();
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

function requestOf({ store: { file } }: Opened): TotalsRequest {
  const row = file.reading.loadTests.find({}, "run");
  const { revision: storeRevision } = file.reading.storeState();
  const { number = 0, revision = 0, blocks = 0 } = row ?? {};
  return { loadTest: number, revision, storeRevision, blocks };
}

/** Requests and microseconds by endpoint, and how many points were read for them. */
async function asked(opened: Opened, request = requestOf(opened)) {
  const { totals, read: before } = opened;
  const parts = await totals.totals(request);
  const sums = parts?.flatMap(({ requests, elapsedMicros }) => [...requests, ...elapsedMicros]);
  return { sums, read: opened.read - before };
}

test("a summary right after many batches reads none of them, merged or not, also after a change of the run", async () => {
  const opened = await open();
  const { store } = opened;
  await append(store.points, "one", 1);
  // Requests of "a" and "b", then 1 + 2 + 3 and 1 + 1 + 1 microseconds.
  expect(await asked(opened)).toEqual({ sums: [3, 3, 6, 3], read: 0 });
  await append(store.points, "two", 11);
  await store.loadTests.update("run", { tags: ["done"] });
  await store.compact();
  const both = [6, 6, 6 + 11 + 12 + 13, 6];
  expect(await asked(opened)).toEqual({ sums: both, read: 0 });
});

test("after a source was withdrawn, and after a restart, everything is read once", async () => {
  const opened = await open();
  await append(opened.store.points, "one", 1);
  await append(opened.store.points, "two", 11);
  await opened.store.points.withdraw("run", "one");
  const second = [3, 3, 36, 3];
  expect(await asked(opened)).toEqual({ sums: second, read: 6 });
  expect(await asked(opened)).toEqual({ sums: second, read: 0 });
  await opened.reopen();
  expect(await asked(opened)).toEqual({ sums: second, read: 6 });
  await append(opened.store.points, "three", 1);
  expect(await asked(opened)).toEqual({ sums: [6, 6, 42, 6], read: 0 });
});

test("batches that come while a load test is read are added, too", async () => {
  const opened = await open();
  await append(opened.store.points, "one", 1);
  await opened.reopen();
  const { promise, resolve } = Promise.withResolvers<void>();
  opened.readUntil(promise);
  const reading = asked(opened);
  expect(await asked(opened)).toEqual({ sums: undefined, read: 0 });
  await append(opened.store.points, "two", 11);
  resolve();
  expect(await reading).toEqual({ sums: [3, 3, 6, 3], read: 6 });
  expect(await asked(opened)).toEqual({ sums: [6, 6, 42, 6], read: 0 });
});

test("an earlier state than the latest, and one with a missed change, is not known", async () => {
  const opened = await open();
  const { store, totals } = opened;
  await append(store.points, "one", 1);
  const [first] = opened.sent;
  const { revision: storeRevision } = store.file.reading.storeState();
  const request = { loadTest: 1, storeRevision, blocks: 1 };
  const earlier = { ...request, revision: first?.after ?? 0 };
  expect(await totals.totals(earlier)).toBeUndefined();

  const { onChanges } = store.file.queue;
  store.file.queue.onChanges = undefined;
  await append(store.points, "two", 11);
  store.file.queue.onChanges = onChanges;
  await append(store.points, "three", 1);
  expect(await asked(opened)).toEqual({ sums: [9, 9, 48, 9], read: 18 });
});

test("a state whose blocks were deleted meanwhile is not known, and the present one is", async () => {
  const opened = await open();
  await append(opened.store.points, "one", 1);
  await opened.reopen();
  const before = requestOf(opened);
  opened.wait(120_000);
  await opened.store.compact();
  opened.wait(120_000);
  await opened.store.snapshots.collectGarbage();
  expect((await asked(opened, before)).sums).toBeUndefined();
  expect((await asked(opened)).sums).toEqual([3, 3, 6, 3]);
});

test("batches that come while sums are taken do not change them", async () => {
  const opened = await open();
  // More than are taken in one turn.
  const labels = Array.from({ length: 600 }, (_, at) => `label ${at}`);
  const batch = (sequence: number) =>
    batchOf(
      labels.map((label) => sample(label, 1, 5)),
      { sourceId: "one", sequence },
    );
  await opened.store.points.append(batch(0));
  const taking = asked(opened);
  const [change] = opened.sent;
  const again = { loadTest: 1, before: change?.after ?? 0, after: 99, isFirst: false };
  opened.totals.note([{ ...again, points: change?.points }]);
  const [requests, micros] = [labels.map(() => 1), labels.map(() => 5)];
  const { sums = [] } = await taking;
  expect(sums.toSorted((left, right) => left - right)).toEqual([...requests, ...micros]);
  const after = await opened.totals.totals({
    loadTest: 1,
    revision: 99,
    storeRevision: 99,
    blocks: 1,
  });
  expect(after?.flatMap((points) => [...points.requests])).toEqual(labels.map(() => 2));
});
