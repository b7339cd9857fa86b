import { afterAll, expect, test } from "vitest";
import { batchOf, published, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { createTestServer } from "../../test/support/test-server.ts";

const world = await createTestServer();
afterAll(() => world.server.close());

const failed = (label: string, second: number) => ({ ...sample(label, second), failed: true });
await world.store.points.append(
  batchOf([failed("a", 10), failed("a", 11), failed("b", 11), sample("c", 11)], {
    failures: {
      kinds: [{ code: "500", message: 'no "luck" </script>' }],
      counts: {
        endpoint: Uint32Array.of(0, 0),
        kind: Uint32Array.of(0, 0),
        second: Uint32Array.of(10, 11),
        requests: Float64Array.of(1, 1),
      },
    },
    users: {
      generators: ["g"],
      counts: {
        generator: Uint32Array.of(0, 0),
        second: Uint32Array.of(10, 12),
        active: Float64Array.of(2, 5),
        started: Float64Array.of(0, 0),
        ended: Float64Array.of(0, 0),
      },
    },
  }),
);

async function read(path: string, headers: Record<string, string> = {}) {
  const url = `/Api/LoadTests/run/${path}`;
  return world.ask(url, { headers });
}

const KIND = { code: "500", message: 'no "luck" </script>', count: 2, from: 10, until: 11 };
const A = { hash: "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8", label: "a", errCount: 2 };
const B = { hash: "e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98", label: "b", errCount: 1 };
/** Two failed requests of 1 ms and 10 bytes, in two seconds. */
const FIGURES_OF_A = {
  count: 2,
  errCount: 2,
  untimedCount: 0,
  errRate: 1,
  avgLoadTime: 0.001,
  errAvgLoadTime: 0.001,
  minLoadTime: 0.001,
  maxLoadTime: 0.001,
  p50: 0.001,
  p90: 0.001,
  p95: 0.001,
  p99: 0.001,
  p999: 0.001,
  percentileOrigin: "computed",
  receivedBytes: 20,
  downloadSize: 10,
  errDownloadSize: 10,
  reqPerSec: 1,
  receivedBytesPerSec: 10,
  from: 10,
  until: 11,
  range: 2,
};

const IN_BOX = { requests: 2, errCount: 2, ofRequests: 2, unknownRequests: 0 };

test.each([
  [
    "Failures",
    [
      { ...A, withoutKind: 0, kinds: [KIND] },
      { ...B, withoutKind: 1, kinds: [] },
    ],
  ],
  ["Failures?filter=b", [{ ...B, withoutKind: 1, kinds: [] }]],
  [`Failures?hash=${A.hash.toUpperCase()}`, [{ ...A, withoutKind: 0, kinds: [KIND] }]],
  [
    "Failures?from=11&series=true&filter=a",
    [
      {
        ...A,
        errCount: 1,
        withoutKind: 0,
        kinds: [{ ...KIND, count: 1, from: 11, series: [[11, 1]] }],
      },
    ],
  ],
  ["Failures?filter=c", []],
  [
    "Failures?merge=true&series=true&resolution=60",
    [
      {
        errCount: 3,
        withoutKind: 1,
        kinds: [
          {
            ...KIND,
            endpointCount: 1,
            endpoints: [{ hash: A.hash, label: "a", count: 2 }],
            series: [[1, 2]],
          },
        ],
      },
    ],
  ],
  ["Failures?merge=true&filter=c", [{ errCount: 0, withoutKind: 0, kinds: [] }]],
  [`Failures?hashes=${B.hash},${"0".repeat(40)}`, [{ ...B, withoutKind: 1, kinds: [] }]],
  [
    "Users",
    [
      [10, 2],
      [12, 5],
      [13, 0],
    ],
  ],
  [
    "Users?from=11&until=13",
    [
      [11, 2],
      [12, 5],
    ],
  ],
  [
    "Heatmap?resolution=2",
    { resolution: 2, labels: [10], rows: [0.001, 0.00112202], cells: [[[0, 4]]] },
  ],
  ["Distribution?filter=a", { overall: FIGURES_OF_A, quality: [], times: [0.001], counts: [2] }],
  [
    "Heatmap/Endpoints?filter=a&fromMicros=900&untilMicros=1100",
    { ...IN_BOX, endpointCount: 1, endpoints: [{ hash: A.hash, label: "a", ...IN_BOX }] },
  ],
  ["Heatmap?filter=zzz", { resolution: 1, labels: [], rows: [], cells: [] }],
  [
    "Percentiles?percent=50,99.9&filter=a",
    [
      {
        hash: A.hash,
        label: "a",
        labels: [10, 11],
        count: [1, 1],
        errCount: [1, 1],
        avgLoadTime: [0.001, 0.001],
        receivedBytes: [10, 10],
        percentileOrigin: "computed",
        percentiles: { p50: [0.001, 0.001], "p99.9": [0.001, 0.001] },
      },
    ],
  ],
  [
    "Percentiles?merge=true&resolution=60&percent=0",
    [
      {
        labels: [1],
        count: [4],
        errCount: [3],
        avgLoadTime: [0.001],
        receivedBytes: [40],
        percentileOrigin: "computed",
        percentiles: { p0: [0.001] },
      },
    ],
  ],
  [
    "Percentiles?merge=true&band=true&percent=95",
    [
      {
        labels: [10, 11],
        count: [1, 3],
        errCount: [1, 2],
        avgLoadTime: [0.001, 0.001],
        receivedBytes: [10, 30],
        percentileOrigin: "computed",
        percentiles: { p95: [0.001, 0.001] },
        band: {
          lowest: { avgLoadTime: [0.001, 0.001], percentiles: { p95: [0.001, 0.001] } },
          highest: { avgLoadTime: [0.001, 0.001], percentiles: { p95: [0.001, 0.001] } },
        },
      },
    ],
  ],
])("%s answers %j", async (path, body) => {
  const answer = await read(path);
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual(body);
});

test("Summary returns figures by endpoint and overall", async () => {
  const answer = (await read("Summary?filter=a")).json();
  const figures = { count: 2, errCount: 2, errRate: 1, avgLoadTime: 0.001, range: 2, reqPerSec: 1 };
  expect(answer.overall).toMatchObject(figures);
  expect(answer.endpoints).toMatchObject([{ label: "a", hash: A.hash, ...figures }]);
});

test.each([
  "Failures",
  "Users",
  "Summary",
  "Percentiles",
  "Heatmap",
  "Heatmap/Endpoints",
  "Distribution",
])("%s is cached until the load test changes", async (path) => {
  const { headers } = await read(path);
  const again = await read(path, { "if-none-match": String(headers.etag) });
  expect(again.statusCode).toBe(304);
});

test.each([
  ["Failures?filter=a&hash=b", 400],
  [`Failures?filter=a&hashes=${A.hash}`, 400],
  ["Failures?hashes=1,2", 400],
  ["Failures?from=3&until=3", 400],
  ["Users?until=x", 400],
  ["Percentiles?band=true", 400],
  ["Failures?resolution=60", 400],
])("%s is refused with %d", async (path, status) => {
  expect((await read(path)).statusCode).toBe(status);
});

await world.store.loadTests.create(loadTest("poor"));
const file = batchOf([sample("a", 10)], { loadTestId: "poor", visibility: "staged" });
await world.store.points.append(file);
await world.store.points.publish({
  ...published("sender", "poor"),
  name: "run.csv",
  quality: {
    unrecorded: ["sizes", "failure-reasons", "users"],
    untimedRequests: 1,
    averagedRequests: 0,
    windowSeconds: 10,
    rejectedRows: 2,
    truncatedAtByte: 99,
  },
});

const UNTIMED = {
  code: "untimed-requests",
  message: "1 request without a response time: averages leave them out, percentiles rank them last",
};
const WINDOWS = { code: "windows", message: "requests are recorded in windows of up to 10 s" };
const SIZES = { code: "sizes-not-recorded", message: "response sizes are not recorded" };
const TRUNCATED = { code: "truncated", message: '"run.csv" ends early, at byte 99' };
const REJECTED = { code: "rows-rejected", message: '2 rows of "run.csv" could not be read' };

test.each([
  [
    "LoadTests/poor",
    {
      quality: [
        UNTIMED,
        WINDOWS,
        SIZES,
        {
          code: "failure-reasons-not-recorded",
          message: "the reasons of failures are not recorded",
        },
        { code: "users-not-recorded", message: "active users are not recorded" },
        TRUNCATED,
        REJECTED,
      ],
    },
  ],
  ["LoadTests/run", { quality: [] }],
  [
    "LoadTests/poor/Compare?base=run",
    { quality: { base: [], value: [UNTIMED, TRUNCATED, REJECTED] } },
  ],
  [
    "LoadTests/run/Compare?base=poor",
    { quality: { base: [UNTIMED, TRUNCATED, REJECTED], value: [] } },
  ],
  ["Trend?name=name%20of%20poor", { loadTests: [{ quality: [UNTIMED, TRUNCATED, REJECTED] }] }],
  [
    "LoadTests/poor/Percentiles?merge=true",
    [{ quality: [UNTIMED, WINDOWS, SIZES, TRUNCATED, REJECTED] }],
  ],
  [
    "LoadTests/poor/Findings",
    [UNTIMED, WINDOWS, TRUNCATED, REJECTED].map((remark) => ({ kind: "quality", ...remark })),
  ],
])("%s returns what its sources do not record", async (path, body) => {
  const answer = await world.ask(`/Api/${path}`);
  expect(answer.json()).toMatchObject(body);
});
