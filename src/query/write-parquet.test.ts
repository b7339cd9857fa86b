import { performance } from "node:perf_hooks";
import { buffer } from "node:stream/consumers";
import { zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { densePoints } from "../../test/support/dense-points.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { tachographParquet } from "../decode/parquet/tachograph-parquet.ts";
import type { FacetOptions } from "../decode/decoder.ts";
import { DecodeRun } from "../import/decode-points.ts";
import { type Facets, seriesName } from "../model/series/facets.ts";
import { ALL_SECONDS } from "../model/columns.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import { parseConditions } from "../series/merge-all-series.ts";
import type { Store } from "../store/store.ts";
import { readFacets } from "./read-facets.ts";
import { openParquet } from "./write-parquet.ts";

const START = 1_700_000_000;

/** A value that looks like none is one. */
const SETS: readonly Facets[] = [
  [],
  [["scenario", "browse"]],
  [["scenario", "(none)"]],
  [
    ["k8s.pod", 'a, "é"'],
    ["scenario", "browse"],
  ],
];

/** Times below 1024 µs have buckets of their own. */
const SAMPLES = Array.from({ length: 400 }, (_, at) => ({
  label: ["GET /", "GET /a › b"][at % 2] as string,
  facets: SETS[(at >> 1) % 4] as Facets,
  second: START + (at % 7),
  elapsedMicros: 100 + ((37 * at) % 50),
  failed: at % 5 === 0,
}));

async function storeOf(samples: typeof SAMPLES): Promise<Store> {
  const store = openMemoryStore();
  await store.loadTests.create(loadTest("a"));
  const named = samples.map(({ label, facets, second, elapsedMicros, failed }) => {
    return { ...sample(seriesName(label, facets), second, elapsedMicros), failed };
  });
  const batch = batchOf(named, { loadTestId: "a" });
  const failures = {
    kinds: [{ code: "503", message: "Busy" }],
    counts: {
      endpoint: Uint32Array.of(0, batch.labels.length - 1),
      second: Uint32Array.of(START + 1, START + 2),
      kind: Uint32Array.of(0, 0),
      requests: Float64Array.of(2, 5),
    },
  };
  await store.points.append({ ...batch, failures });
  return store;
}

async function exported(store: Store, where = "", by: readonly string[] = []) {
  const facets = { where: where === "" ? [] : parseConditions(where), by };
  return exportedFrom(store, "a", { ...ALL_ENDPOINTS, facets });
}

async function exportedFrom(store: Store, loadTestId: string, selection = ALL_ENDPOINTS) {
  const file = await openParquet(store.points, { loadTestId, selection });
  const bytes = await buffer(file.chunks());
  file.release();
  return bytes;
}

async function rowsIn(bytes: Buffer): Promise<readonly Record<string, unknown>[]> {
  return parquetReadObjects({
    file: new Uint8Array(bytes).buffer,
    compressors: { ZSTD: (page) => zstdDecompressSync(page) },
  });
}

async function imported(bytes: Buffer, facets?: FacetOptions): Promise<Store> {
  const run = new DecodeRun({ format: tachographParquet, options: { timeZone: "UTC", facets } });
  const store = openMemoryStore();
  await store.loadTests.create(loadTest("a"));
  let sequence = 0;
  run.push(bytes);
  await run.end(async (batch) => {
    await store.points.append({
      ...batch,
      loadTestId: "a",
      sourceId: "file",
      visibility: "live",
      sequence: sequence++,
    });
  });
  return store;
}

/** Everything that is stored of each series. */
async function seriesOf(store: Store) {
  const snapshot = await store.points.snapshot("a");
  const index = await snapshot?.index();
  if (snapshot === undefined || index === undefined) throw new Error("there is no run");
  const found: unknown[] = [];
  for await (const endpoints of index.byLabel(index.numbers)) {
    for await (const { endpoint, columns } of snapshot.read(endpoints, ALL_SECONDS, "outcomes")) {
      found.push({ name: endpoint.label, columns });
    }
    for await (const { endpoint, ...failures } of snapshot.failures(endpoints, ALL_SECONDS)) {
      found.push({ name: endpoint.label, failures });
    }
  }
  snapshot.release();
  return found;
}

const RUN = { loadTestId: "a", selection: ALL_ENDPOINTS };

function keyOf(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}

test("another reader finds what each set of facets has", async () => {
  const rows = await rowsIn(await exported(await storeOf(SAMPLES)));
  const found = Map.groupBy(rows, (row) =>
    keyOf(row["label"], row["facet.k8s.pod"], row["facet.scenario"], Number(row["second"])),
  );
  const expected = Map.groupBy(SAMPLES, ({ label, facets, second }) => {
    const { "k8s.pod": pod = null, scenario = null } = Object.fromEntries(facets);
    return keyOf(label, pod, scenario, second);
  });
  expect([...found.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
  for (const [key, own] of expected) {
    const times = own.map(({ elapsedMicros }) => elapsedMicros).toSorted((a, b) => a - b);
    const [row, another] = found.get(key) ?? [];
    expect(another).toBeUndefined();
    expect(row).toMatchObject({
      requests: BigInt(own.length),
      failed_requests: BigInt(own.filter(({ failed }) => failed).length),
      elapsed_micros: BigInt(times.reduce((sum, each) => sum + each)),
    });
    const counts = row?.["bucket_requests"] as readonly bigint[];
    const floors = row?.["bucket_micros"] as readonly bigint[];
    expect(floors.flatMap((each, at) => Array(Number(counts[at])).fill(Number(each)))).toEqual(
      times,
    );
  }
});

test("an imported file gives the same series and facets", async () => {
  const store = await storeOf(SAMPLES);
  const again = await imported(await exported(store));
  expect(await seriesOf(again)).toEqual(await seriesOf(store));
  const facets = await readFacets(again.points, RUN);
  expect(facets).toEqual(await readFacets(store.points, RUN));
  expect(facets.facets).toEqual([
    {
      name: "k8s.pod",
      values: [
        { value: "(none)", requests: 300 },
        { value: 'a, "é"', requests: 100 },
      ],
    },
    {
      name: "scenario",
      values: [
        { value: "(none)", requests: 200 },
        { value: "browse", requests: 200 },
      ],
    },
  ]);
});

test("conditions choose the series, and `by` puts values into labels", async () => {
  const store = await storeOf(SAMPLES);
  const chosen = await rowsIn(await exported(store, "scenario:browse,k8s.pod:(none)"));
  const requests = chosen.reduce((sum, row) => sum + Number(row["requests"]), 0);
  expect(requests).toBe(100);
  expect(new Set(chosen.map((row) => row["facet.scenario"]))).toEqual(new Set(["browse"]));
  expect(chosen[0]).not.toHaveProperty("facet.k8s.pod");
  const split = await rowsIn(await exported(store, "scenario:browse", ["scenario"]));
  expect(new Set(split.map((row) => row["label"]))).toEqual(
    new Set(["browse › GET /", "browse › GET /a › b"]),
  );
  expect(split[0]).not.toHaveProperty("facet.scenario");
});

test("an import may leave facets out", async () => {
  const bytes = await exported(await storeOf(SAMPLES));
  const [none, one] = await Promise.all([
    imported(bytes, { areOff: true }),
    imported(bytes, { areOff: true, names: ["k8s.pod"] }),
  ]);
  expect((await readFacets(none.points, RUN)).facets).toEqual([]);
  expect((await readFacets(one.points, RUN)).facets.map(({ name }) => name)).toEqual(["k8s.pod"]);
  expect(await exported(none)).toEqual(
    await exported(await storeOf(SAMPLES.map((each) => ({ ...each, facets: [] })))),
  );
});

test("files are written in another thread, several at a time, one of which is given up", async () => {
  const store = openMemoryStore();
  const shape = { endpoints: 10, seconds: 100, requestsPerPoint: 10, firstSecond: START };
  const labels = Array.from({ length: shape.endpoints }, (_, at) => `GET /${at}`);
  for (const [seed, loadTestId] of ["a", "b"].entries()) {
    await store.loadTests.create(loadTest(loadTestId));
    const points = densePoints(shape, seed);
    const source = { sourceId: "s", visibility: "live", sequence: 0 } as const;
    await store.points.append({ ...source, loadTestId, labels, points });
  }
  const alone = await exported(store);
  const before = performance.eventLoopUtilization();
  const [, other, together] = await Promise.all([
    given(store),
    exportedFrom(store, "b"),
    exported(store),
  ]);
  const { utilization } = performance.eventLoopUtilization(before);
  expect(together).toEqual(alone);
  const [rows, ofOther] = [await rowsIn(alone), await rowsIn(other)];
  expect([rows.length, ofOther.length]).toEqual([1000, 1000]);
  expect(ofOther).not.toEqual(rows);
  // Without the other thread it is 1.
  expect(utilization).toBeLessThan(0.8);
  expect(await exported(store)).toEqual(alone);
});

/** Reads only the beginning. */
async function given(store: Store): Promise<void> {
  const file = await openParquet(store.points, RUN);
  for await (const _ of file.chunks()) break;
  file.release();
}
