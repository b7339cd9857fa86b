import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type LabelledSample, batchOf, sample } from "../../test/support/batches.ts";
import { plainAnswer } from "../../test/support/plain-metrics.ts";
import { turnsDuring } from "../../test/support/turns.ts";
import { METRICS_FORMATS } from "../render/renderer.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { Points, Store } from "../store/store.ts";
import { type MetricsAnswer, type MetricsQuery, openMetrics } from "./read-metrics.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

const labelText = fc.constantFrom(
  "",
  "a",
  "b",
  "ab",
  "B",
  "%",
  "é",
  "e\u0301",
  "\u{1F600}",
  "\uFFFD",
  "__proto__",
);

const samplesArbitrary = fc.array(
  fc.record({
    label: labelText,
    second: fc.oneof(fc.nat(12), fc.integer({ min: 1_700_000_000, max: 1_700_000_012 })),
    elapsedMicros: fc.nat(10_000_000),
    receivedBytes: fc.nat(100_000),
    failed: fc.boolean(),
  }),
  { minLength: 1, maxLength: 60 },
);

const bounds: fc.Arbitrary<{ from?: number; until?: number }> = fc.oneof(
  fc.constant({}),
  fc.record({ from: fc.nat(14) }),
  fc.record({ until: fc.integer({ min: 1, max: 14 }) }),
  fc.nat(14).map((from) => ({ from, until: from + 5 })),
);

const queries = fc.record({
  wanted: fc.oneof(
    labelText.map((text) => ({ filter: text === "" ? "b" : text })),
    labelText.map((text) => ({ hash: sha1(text) })),
  ),
  bounds,
  format: fc.constantFrom(...METRICS_FORMATS),
  resolution: fc.constantFrom(1, 1, 3, 10, 100),
});

test("a response equals a naive calculation for any samples, selection and range", async () => {
  await fc.assert(
    fc.asyncProperty(samplesArbitrary, queries, async (samples, query) => {
      const { wanted, format, resolution } = query;
      const { from, until } = query.bounds;
      const isRanged = from !== undefined || until !== undefined;
      const text = await answerText(await storeWith(samples), {
        loadTestId: "run",
        selection: "filter" in wanted ? { by: "filter", ...wanted } : { by: "hash", ...wanted },
        range: isRanged ? { from: from ?? 0, until: until ?? 2 ** 32 } : undefined,
        format,
        resolutionSeconds: resolution,
      });
      const select = (label: string, hash: string): boolean =>
        "filter" in wanted ? label.includes(wanted.filter) : hash === wanted.hash;
      expect(text).toBe(plainAnswer(samples, { select, format, resolution, ...query.bounds }));
    }),
    { numRuns: 300 },
  );
});

test("no match gives an empty array", async () => {
  const store = await storeWith([sample("a", 5)]);
  expect(await answerText(store, queryFor("zzz"))).toBe("[]");
});

test("an endpoint without a point in the range is listed without points", async () => {
  const store = await storeWith([sample("a", 5)]);
  const query = { ...queryFor("a"), format: "xy" as const, range: { from: 100, until: 200 } };
  const [item] = JSON.parse(await answerText(store, query));
  expect(item).toMatchObject({
    label: "a",
    data: { labels: [], overview: { count: "0", range: 0 } },
  });
});

test("an unknown load test is an error that names it", async () => {
  const { points } = openMemoryStore();
  await expect(openMetrics(points, { ...queryFor("a"), loadTestId: "no" })).rejects.toMatchObject({
    code: "unknown-load-test",
    message: 'there is no run "no"',
  });
});

test("a response shows the load test as it was when opened", async () => {
  const store = await storeWith([sample("a", 5)]);
  const answer = await openMetrics(store.points, queryFor("a"));
  await store.points.append(batchOf([sample("a", 6)], { sequence: 1 }));
  expect(JSON.parse(await textOf(answer))[0].data).toHaveLength(2);
  const later = await openMetrics(store.points, queryFor("a"));
  expect(later.revision).not.toBe(answer.revision);
});

test("the snapshot is released once, however often release is called", async () => {
  const store = await storeWith([sample("a", 5)]);
  let released = 0;
  const snapshot = (await store.points.snapshot("run")) as Snapshot;
  const points: Points = {
    ...store.points,
    snapshot: async () => ({ ...snapshot, release: () => void (released += 1) }),
  };
  const answer = await openMetrics(points, queryFor("a"));
  answer.release();
  answer.release();
  expect(released).toBe(1);
});

test("nothing of an answer is kept after its release", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const { points } = await storeWith([sample("a", 1), sample("b", 2)]);
  const read: WeakRef<object>[] = [];
  const answer = await openMetrics(
    {
      ...points,
      async snapshot(id) {
        const snapshot = (await points.snapshot(id)) as Snapshot;
        const noting = async function* (...about: Parameters<Snapshot["read"]>) {
          for await (const series of snapshot.read(...about)) {
            read.push(new WeakRef(series.columns.requests));
            yield series;
          }
        };
        return { ...snapshot, read: noting as unknown as Snapshot["read"] };
      },
    },
    queryFor("a"),
  );
  for await (const _ of answer.chunks());
  answer.release();
  // A new WeakRef keeps its target alive until the event loop turns.
  await nextTurn();
  collectGarbage();
  expect(read.map((column) => column.deref())).toEqual([undefined]);
});

test("windows whose sums would not be exact are refused", async () => {
  const store = await storeWith([]);
  const half = { ...sample("a", 10), elapsedMicros: 2 ** 53 - 1 };
  await store.points.append(batchOf([half, { ...half, second: 11 }]));
  const answer = await openMetrics(store.points, { ...queryFor("a"), resolutionSeconds: 10 });
  await expect(textOf(answer)).rejects.toMatchObject({ code: "sum-too-large" });
});

test("yields to other work while writing a large response", async () => {
  const endpoints = Array.from({ length: 30 }, (_, index) => `endpoint ${index}`);
  const samples = endpoints.flatMap((label) =>
    Array.from({ length: 2000 }, (_, second) => sample(label, 1_700_000_000 + second)),
  );
  const store = await storeWith(samples);
  const answer = await openMetrics(store.points, { ...queryFor("endpoint"), format: "xy" });
  const before = process.threadCpuUsage();
  const turns = await turnsDuring(() => textOf(answer));
  // Not time on the clock: other processes take some of it.
  const { user, system } = process.threadCpuUsage(before);
  expect(turns).toBeGreaterThan((user + system) / 100_000);
});

function queryFor(filter: string): MetricsQuery {
  return {
    loadTestId: "run",
    selection: { by: "filter", filter },
    range: undefined,
    resolutionSeconds: 1,
    format: "csv",
  };
}

async function storeWith(samples: readonly LabelledSample[]): Promise<Store> {
  const store = await memoryStoreWith();
  if (samples.length > 0) await store.points.append(batchOf(samples));
  return store;
}

async function answerText(store: Store, query: MetricsQuery): Promise<string> {
  const answer = await openMetrics(store.points, query);
  try {
    return await textOf(answer);
  } finally {
    answer.release();
  }
}

async function textOf(answer: MetricsAnswer): Promise<string> {
  const copies: Buffer[] = [];
  for await (const piece of answer.chunks()) copies.push(Buffer.from(piece));
  return Buffer.concat(copies).toString("utf8");
}

function sha1(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}
