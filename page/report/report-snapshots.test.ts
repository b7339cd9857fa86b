import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ALL_SECONDS, type SecondRange } from "../../src/model/columns.ts";
import { ALL_ENDPOINTS, hashOfLabel } from "../../src/series/endpoint-selection.ts";
import type { Snapshots } from "../../src/series/open-snapshot.ts";
import { readMeasures, readMeasureSeries } from "../../src/query/read-measures.ts";
import { readFailures } from "../../src/query/read-failures.ts";
import { readSamples } from "../../src/query/read-samples.ts";
import { sampleOf } from "../../src/model/samples/request-sample.ts";
import { downsampleMeasures } from "../../src/model/measures/downsample-measures.ts";
import { seriesName } from "../../src/model/series/facets.ts";
import { gatherMeasures, readReport } from "../../src/analysis/report/read-report.ts";
import { gatherSeries } from "../../src/analysis/report/gather-points.ts";
import { listSelected } from "../../src/series/selected-series.ts";
import { readUsers } from "../../src/query/read-users.ts";
import { summarise } from "../../src/query/open-summary.ts";
import { packReport, type ReportContents, unpackReports } from "../../src/render/report-bytes.ts";
import { snapshotRoutes } from "../../src/server/snapshot-routes.ts";
import type { Store } from "../../src/store/store.ts";
import { batchOf, type LabelledSample, sample } from "../../test/support/batches.ts";
import { active, failure, withFailures, withUsers } from "../../test/support/details.ts";
import { measured as valueAt, measuredSeconds, seriesWith } from "../../test/support/measures.ts";
import { measureTable } from "../../test/support/plain-measures.ts";
import { hasWholeMeasures } from "../src/load-test/scope/holding.ts";
import { reportSnapshots } from "./report-snapshots.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

/** Seconds 1,000 to 1,599. */
const samples: fc.Arbitrary<LabelledSample[]> = fc.array(
  fc.record({
    label: fc.constantFrom("GET /", "POST /cart", "</script>"),
    second: fc.oneof({ weight: 9, arbitrary: fc.nat(599).map((at) => 1000 + at) }, fc.constant(0)),
    elapsedMicros: fc.nat(5_000_000),
    receivedBytes: fc.nat(100_000),
    failed: fc.boolean(),
  }),
  { minLength: 1, maxLength: 300 },
);

async function storeOf(measured: readonly LabelledSample[]): Promise<Store> {
  const store = await memoryStoreWith(batchOf(measured));
  return store;
}

/** Returns the snapshot that the page reads from a report of about this many bytes. */
async function reportOf(store: Store, range: SecondRange | undefined, bytesMax: number) {
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range };
  const { about, ...report } = await readReport(store, query, {
    usualBytes: bytesMax,
    mostBytes: bytesMax,
  });
  const written = { ...about, madeAtMs: 0, version: "1.2.3" };
  const bytes = Buffer.concat([...packReport({ ...report, about: written })]);
  const read = unpackReports<typeof written>(bytes)[0] as ReportContents<typeof written>;
  return { snapshots: reportSnapshots(read), grainSeconds: read.about.grainSeconds };
}

const SELECTIONS = [
  ALL_ENDPOINTS,
  { by: "filter", filter: "/" },
  { by: "hashes", hashes: [hashOfLabel("</script>")] },
] as const;

test.each([
  ["every second", 1e9, 1],
  ["so few bytes that little is told apart", 1, 3600],
])("figures of a report of %s are those of the store", async (_, bytesMax, grain) => {
  await fc.assert(
    fc.asyncProperty(samples, fc.nat(599), fc.nat(599), async (measured, begin, length) => {
      const store = await storeOf(measured);
      const { snapshots, grainSeconds } = await reportOf(store, undefined, bytesMax);
      expect(grainSeconds).toBe(grain);
      const from = 1000 + begin - ((1000 + begin) % grain);
      const until = Math.ceil((from + length + 1) / grain) * grain;
      for (const range of [undefined, { from, until }]) {
        for (const selection of SELECTIONS) {
          // Reports show no Apdex, and do not have the times of passed requests that it needs.
          const query = { loadTestId: "run", selection, range, apdexMicros: undefined };
          const { revision: _revision, ...wanted } = await summarise(store.points, query);
          expect(await summarise(snapshots, query)).toMatchObject(wanted);
        }
      }
    }),
    { numRuns: 30 },
  );
});

test("measures of a report are those of the store, at any time and of any endpoint in it", async () => {
  const requests = ["a", "b"].map((label) => sample(label, 1000));
  const measures = measuredSeconds(1000, 300);
  const store = await memoryStoreWith(batchOf(requests, { measures }));
  const { snapshots } = await reportOf(store, undefined, 1e9);
  for (const range of [undefined, { from: 1020, until: 1140 }, { from: 1021, until: 1100 }]) {
    const query = { loadTestId: "run", range };
    const wanted = await readMeasures(store.points, query);
    expect(wanted.measures).toHaveLength(8);
    expect(await readMeasures(snapshots, query)).toMatchObject(wanted);
    const over = { ...query, name: "wait", limit: 10, resolutionSeconds: 7 };
    const series = await readMeasureSeries(store.points, over);
    expect(await readMeasureSeries(snapshots, over)).toMatchObject(series);
  }
});

test("measures that take too much room are merged into windows, then left out, those of busy endpoints last", async () => {
  const store = await memoryStoreWith();
  const counters = ["a", "b"].map((_, label) => seriesWith({ name: "n", kind: "counter", label }));
  const cpu = seriesWith({ name: "cpu", kind: "gauge" });
  // 1, 2, ... 300 in seconds 1,200 to 1,499.
  const values = [cpu, ...counters].flatMap((series) =>
    Array.from({ length: 300 }, (_, at) => valueAt(1200 + at, at + 1, series)),
  );
  const seconds = Array.from({ length: 300 }, (_, at) => 1200 + at);
  const requests = [
    ...seconds.map((second) => sample("b", second)),
    ...[1200, 1201].map((second) => sample("a", second)),
  ];
  await store.points.append(batchOf(requests, { measures: measureTable(values) }));
  const snapshot = await store.points.snapshot("run");
  if (snapshot === undefined) throw new Error("no run");
  const all = { selection: ALL_ENDPOINTS, doing: "report" } as const;
  const endpoints = await listSelected(snapshot, all);
  const read = snapshot.read(endpoints, ALL_SECONDS, "distribution");
  const { series, span } = await gatherSeries(read);
  const request = { range: ALL_SECONDS, series, span, grainSeconds: 1 };
  // 300 rows of sums and of gauges of 4 bytes, and twice 300 rows of sums: 4,800 bytes.
  // 300 rows of sums of 2.2 bytes and of gauges of 10, and twice 300 rows of sums.
  const whole = await gatherMeasures(snapshot, request, 4980);
  expect(whole).toMatchObject({ grainSeconds: 1, leftOut: 0 });
  // In 30 windows, of which there are no fewer, 366 bytes and twice 66.
  const fewer = await gatherMeasures(snapshot, request, 497);
  expect(fewer).toMatchObject({ grainSeconds: 10, leftOut: 1 });
  const [first, second] = fewer.table.series;
  expect(first).toMatchObject({ name: "cpu", label: undefined });
  expect(series[second?.label ?? 0]?.endpoint.label).toBe("b");
  expect(fewer.table.sums.second.slice(0, 2)).toEqual(Uint32Array.of(1200, 1210));
  // 1 + ... + 10, and 11 + ... + 20.
  expect(fewer.table.sums.sumNanos.slice(0, 2)).toEqual(Float64Array.of(55e9, 155e9));
  expect(fewer.table.gauges.last.slice(0, 2)).toEqual(Float64Array.of(10, 20));
  snapshot.release();
});

async function checksIn(points: Snapshots, range: SecondRange | undefined) {
  const asked = { loadTestId: "run", selection: ALL_ENDPOINTS, range, apdexMicros: undefined };
  return (await summarise(points, { ...asked, hasChecks: true })).checks;
}

test("checks of a range equal those of the store, or are said to be unknown", async () => {
  const tags = [["check", "is 200"]] as const;
  const checks = seriesWith({ name: "checks", unit: "", kind: "rate", tags });
  // Of 50 seconds, one in three passes.
  const values = Array.from({ length: 50 }, (_, at) =>
    valueAt(1003 + at, at % 3 === 0 ? 1 : 0, checks),
  );
  const requests = [sample("a", 1003), sample("a", 1052)];
  const store = await memoryStoreWith(batchOf(requests, { measures: measureTable(values) }));
  const { about, ...report } = await readReport(store, {
    loadTestId: "run",
    selection: ALL_ENDPOINTS,
    range: undefined,
  });
  const written = { ...about, madeAtMs: 0, version: "1.2.3" };
  const measures = downsampleMeasures(report.measures, { windowSeconds: 10, firstSecond: 0 });
  const snapshots = reportSnapshots({ ...report, measures, about: written });
  const isSame = [
    undefined,
    [1010, 1030],
    [1010, 1053],
    [1003, 1030],
    [1012, 1030],
    [1010, 1025],
  ].map(async (seconds) => {
    const [from, until] = seconds ?? [];
    const range = from === undefined || until === undefined ? undefined : { from, until };
    const [own, wanted] = [await checksIn(snapshots, range), await checksIn(store.points, range)];
    const isKnown = hasWholeMeasures({ from, until }, { until: 1053 }, 10);
    return [isKnown, JSON.stringify(own) === JSON.stringify(wanted)];
  });
  const [yes, no] = [
    [true, true],
    [false, false],
  ];
  expect(await Promise.all(isSame)).toEqual([yes, yes, yes, no, no, no]);
});

/** The JSON responses of the service about one run. */
async function answer(points: Snapshots, operation: string, query: string): Promise<string> {
  const route = snapshotRoutes(points).find(({ path }) => path.endsWith(`/${operation}`));
  if (route === undefined) throw new Error(`no operation ${operation}`);
  const values = new Map([["id", "run"], ...new URLSearchParams(query)]);
  const answered = await route.handle(values, NO_CALL);
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of answered.chunks()) text += decoder.decode(piece, { stream: true });
  answered.release();
  return text;
}

const NO_CALL = {
  members: {},
  body: (async function* nothing() {})(),
  bodyBytes: undefined,
  key: undefined,
  sentKey: undefined,
  address: "",
  query: "",
  isSecure: false,
  isForHead: false,
  header: () => [],
};

const MERGED = ["Percentiles?merge=true&percent=50,95,99&", "Percentiles?", "Heatmap?"];
const EXACT = [...MERGED, "Summary?", "Distribution?", "Failures?series=true&", "Findings?"];

test.each([
  ["every second", 1e9, EXACT, ["resolution=1", "resolution=700", "from=18000&until=25000"]],
  [
    "an hour",
    1,
    MERGED,
    ["resolution=3600", "resolution=7200", "from=18000&until=25200&resolution=3600"],
  ],
])(
  "a report of %s gives the same responses as the service",
  async (_, bytesMax, operations, queries) => {
    await fc.assert(
      fc.asyncProperty(samples, async (measured) => {
        // Hours rather than minutes.
        const spread = measured.map((each) => ({ ...each, second: each.second * 17 }));
        const store = await storeOf(spread);
        const { snapshots } = await reportOf(store, undefined, bytesMax);
        for (const operation of operations) {
          for (const query of queries) {
            const [name = "", fixed = ""] = operation.split("?");
            const own = await answer(snapshots, name, `${fixed}${query}`);
            expect(own).toBe(await answer(store.points, name, `${fixed}${query}`));
          }
        }
      }),
      { numRuns: 10 },
    );
  },
);

test("a report of a range holds only that range, with its start and end", async () => {
  const store = await storeOf(
    [1000, 1001, 1005, 1009].map((second) => {
      return { label: "a", second, elapsedMicros: 1, receivedBytes: 1, failed: false };
    }),
  );
  const { snapshots } = await reportOf(store, { from: 1001, until: 1009 }, 1);
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const { overall } = await summarise(snapshots, { ...query, apdexMicros: undefined });
  expect(overall).toMatchObject({ count: 2, from: 1001, until: 1005, range: 5 });
});

test("failures keep their kinds, counts, and first and last second", async () => {
  const rows = [
    failure(1, "503", 1001),
    failure(1, "503", 1002),
    failure(1, "503", 1059, 4),
    failure(1, "", 1002),
  ];
  const failed = [1001, 1002, 1059].map((second) => {
    return { label: "a", second, elapsedMicros: 1, receivedBytes: 1, failed: true };
  });
  const store = await storeOf(failed);
  await store.points.append(withFailures(rows, { sourceId: "other" }));
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const kinds = async (snapshots: Parameters<typeof readFailures>[0]) => {
    const { endpoints } = await readFailures(snapshots, query);
    return endpoints.flatMap(({ kinds: own }) =>
      own.map(({ code, message, count, from, until }) => {
        return { code, message, count, from, until };
      }),
    );
  };
  const { snapshots } = await reportOf(store, undefined, 1);
  expect(await kinds(snapshots)).toEqual(await kinds(store.points));
  expect(await kinds(snapshots)).toContainEqual(
    expect.objectContaining({ code: "503", count: 6, from: 1001, until: 1059 }),
  );
});

test.each([
  [
    "of every second",
    1e9,
    undefined,
    [
      [1003, 2],
      [1010, 7],
      [1012, 1],
      [1013, 0],
    ],
  ],
  [
    "of every second of a part, to whose end they are active",
    1e9,
    { from: 1005, until: 1012 },
    [
      [1005, 2],
      [1010, 7],
      [1012, 0],
    ],
  ],
  [
    "of an hour: the most of it",
    1,
    undefined,
    [
      [1003, 7],
      [3600, 0],
    ],
  ],
])("active users %s", async (_, bytesMax, range, wanted) => {
  const store = await storeOf([
    { label: "a", second: 1010, elapsedMicros: 1, receivedBytes: 1, failed: false },
  ]);
  const told = [active("", 1003, 2), active("", 1010, 7), active("", 1012, 1)];
  await store.points.append(withUsers(told, { sourceId: "other" }));
  const { snapshots } = await reportOf(store, range, bytesMax);
  const points = await readUsers(snapshots, {
    loadTestId: "run",
    range: { from: 0, until: 1e9 },
  });
  expect(points.map(({ second, users }) => [second, users])).toEqual(wanted);
});

test("requests of a report are those of the store that it shows, by any facet; without asking there are none", async () => {
  const labels = ["a", "b"].map((label) => seriesName(label, [["region", `of ${label}`]]));
  const kept = labels.flatMap((label) =>
    [1000, 1001, 1002].map((second) => {
      const details = {
        timeMs: second * 1000,
        elapsedMicros: second,
        url: `/${second}`,
        code: "503",
      };
      return { label, ...sampleOf(details, (text) => text) };
    }),
  );
  const points = labels.map((label) => sample(label, 1001));
  const store = await memoryStoreWith(batchOf(points, { samples: kept }));
  const facets = { where: [], by: ["region"] };
  const shown = { bytesMax: 2 ** 20, traceUrl: undefined };
  for (const own of [{}, { facets }]) {
    const selection = { ...ALL_ENDPOINTS, ...own };
    const query = { loadTestId: "run", selection, range: { from: 1001, until: 1003 } };
    const report = await readReport(store, { ...query, hasSamples: true });
    const about = { ...report.about, madeAtMs: 0, version: "1.2.3" };
    const wanted = await readSamples(store.points, { ...query, ...shown });
    expect(wanted.samples).toHaveLength(4);
    const read = await readSamples(reportSnapshots({ ...report, about }), { ...query, ...shown });
    expect(read).toEqual(wanted);
    expect(await readReport(store, query)).not.toHaveProperty("about.samples");
  }
});
