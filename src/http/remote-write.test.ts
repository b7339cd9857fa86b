import { beforeEach, expect, test } from "vitest";
import { requestsByLabel } from "../../test/support/batches.ts";
import {
  bytes,
  double,
  message,
  number,
  snappyBlock,
  varint,
  writeRequest,
  writeRequest2,
  type Written,
  zigzag,
} from "../../test/support/remote-write.ts";
import { createTestServer, type TestServer } from "../../test/support/test-server.ts";
import type { MeasuresJson } from "../api/measures.ts";
import { readMeasures } from "../query/read-measures.ts";
import { summarise } from "../query/open-summary.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import { recording } from "../../test/support/recording.ts";

let world: TestServer;
let key: string;

beforeEach(async () => {
  world = await createTestServer();
  key = await world.makeKey("write");
});

const START = 1_795_690_920;
const at = (second: number): number => (START + second) * 1000;

interface Sent {
  readonly headers?: Record<string, string>;
  /** @default a header names it */
  readonly isNamedByLabels?: boolean;
  readonly isVersion2?: boolean;
}

async function send(payload: Buffer, sent: Sent = {}) {
  const { headers = {}, isVersion2 = false, isNamedByLabels = false } = sent;
  const proto = isVersion2 ? ";proto=io.prometheus.write.v2.Request" : "";
  const answer = await world.ask("/api/v1/write", {
    method: "POST",
    key,
    headers: {
      ...(isNamedByLabels ? {} : { "x-load-test": "nightly-7" }),
      "content-type": `application/x-protobuf${proto}`,
      "content-encoding": "snappy",
      "x-prometheus-remote-write-version": isVersion2 ? "2.0.0" : "0.1.0",
      ...headers,
    },
    payload,
  });
  const written = Object.entries(answer.headers)
    .filter(([name]) => name.endsWith("-written"))
    .map(([name, value]) => [name.split("-")[4], value]);
  return { status: answer.statusCode, body: answer.body, written: Object.fromEntries(written) };
}

async function measuresOf(loadTestId = "nightly-7"): Promise<MeasuresJson> {
  return readMeasures(world.store.points, { loadTestId, range: undefined });
}

const LOAD: Written = {
  labels: { __name__: "node_load1", instance: "a", job: "node" },
  samples: [
    [at(1), 0.5],
    [at(2), 1.5],
  ],
};

test.each([false, true])("samples are gauges as they are (version 2.0: %s)", async (isVersion2) => {
  const body = isVersion2 ? writeRequest2(LOAD) : writeRequest(LOAD);
  expect(await send(body, { isVersion2 })).toEqual({
    status: 204,
    body: "",
    written: { samples: "2", histograms: "0", exemplars: "0" },
  });
  // Sent again, as after a lost answer, nothing changes.
  await send(body, { isVersion2 });
  expect((await measuresOf()).measures).toEqual([
    {
      name: "node_load1",
      unit: "",
      kind: "gauge",
      tags: { instance: "a", job: "node" },
      count: 2,
      sum: 2,
      mean: 1,
      min: 0.5,
      max: 1.5,
      last: 1.5,
      from: START + 1,
      until: START + 2,
    },
  ]);
});

test("samples without a value are gaps, and late ones are stored", async () => {
  const stale = Buffer.from([0x02, 0, 0, 0, 0, 0, 0xf0, 0x7f]).readDoubleLE();
  const { labels } = LOAD;
  await send(writeRequest({ labels, samples: [[at(9), 3]] }));
  const late = writeRequest({
    labels,
    samples: [
      [at(1), 1],
      [at(2), Number.NaN],
      [at(3), stale],
    ],
  });
  expect(await send(late)).toMatchObject({ status: 204, written: { samples: "3" } });
  const [own] = (await measuresOf()).measures;
  expect(own).toMatchObject({ count: 2, sum: 4, from: START + 1, until: START + 9 });
});

test("a counter that metadata declare has the name of one, and a unit by its name", async () => {
  const samples = [
    [at(1), 100],
    [at(2), 107],
    [at(3), 107],
  ] as const;
  const labels = { __name__: "app_cpu_seconds" };
  await send(writeRequest2({ labels, samples, type: 1 }), { isVersion2: true });
  // Shown by its growth.
  expect((await measuresOf()).measures).toMatchObject([
    { name: "app_cpu_seconds_total", unit: "s", kind: "counter", count: 2, sum: 7 },
  ]);
});

/** Values in the buckets (2^(i/8), 2^((i+1)/8)] from i = 8 on, in a histogram of schema 3. */
function histogram(second: number, sum: number, ...counts: readonly number[]): Uint8Array {
  return hinted(0, second, sum, ...counts);
}

/** With a `ResetHint`; 0: unknown. */
function hinted(
  resetHint: number,
  second: number,
  sum: number,
  ...counts: readonly number[]
): Uint8Array {
  const deltas = counts.map((count, index) => zigzag(count - (counts[index - 1] ?? 0)));
  const count = counts.reduce((all, each) => all + each, 0);
  return message(
    number(1, count),
    double(3, sum),
    number(4, zigzag(3)),
    bytes(11, message(number(1, zigzag(9)), number(2, counts.length))),
    bytes(12, message(...deltas.map(varint))),
    number(14, resetHint),
    number(15, at(second)),
  );
}

test("a native histogram is a distribution of what was added since the one before", async () => {
  const labels = { __name__: "app_wait_seconds" };
  await send(writeRequest({ labels, histograms: [histogram(1, 5, 1, 1)] }));
  const grown = writeRequest({ labels, histograms: [histogram(61, 5 + 21, 1, 11)] });
  expect(await send(grown)).toMatchObject({ status: 204, written: { histograms: "1" } });
  const [own] = (await measuresOf()).measures;
  expect(own).toMatchObject({ name: "app_wait_seconds", unit: "s", kind: "distribution" });
  expect(own).toMatchObject({ count: 10, sum: 21 });
  // In the bucket from 2^(9/8) to 2^(10/8), the second of those sent.
  expect(own?.p50).toBeGreaterThan(2 ** (9 / 8));
  expect(own?.p50).toBeLessThan(2 ** (10 / 8));
});

test.each([
  ["a bucket has fewer values than before", [50, 100], 0],
  ["the sender says so", [150, 0], 1],
])(
  "a native histogram began again, with more values than before, if %s",
  async (_, counts, hint) => {
    const labels = { __name__: "app_wait_seconds" };
    await send(writeRequest({ labels, histograms: [histogram(1, 250, 100, 0)] }));
    await send(writeRequest({ labels, histograms: [hinted(hint, 61, 390, ...counts)] }));
    const [own] = (await measuresOf()).measures;
    expect(own).toMatchObject({ count: 150, sum: 390, p50: expect.any(Number) });
  },
);

test("values of a native histogram whose sum is NaN are counted as not stored; a stale one has none", async () => {
  const labels = { __name__: "app_wait_seconds" };
  await send(writeRequest({ labels, histograms: [histogram(1, 250, 100)] }));
  const stale = message(double(3, Number.NaN), number(15, at(31)));
  const written = { status: 204, written: { histograms: "1" } };
  expect(await send(writeRequest({ labels, histograms: [stale] }))).toMatchObject(written);
  const unread = writeRequest({ labels, histograms: [histogram(61, Number.NaN, 160)] });
  expect(await send(unread)).toMatchObject({
    status: 400,
    body: expect.stringContaining("not stored: 60 that are not finite numbers"),
    written: { histograms: "0" },
  });
});

test("what counts from the beginning is known to another process, too", async () => {
  await send(writeRequest({ labels: { __name__: "k6_vus" }, samples: [[at(1), 3]] }));
  await world.store.loadTests.delete("run");
  world = await createTestServer({ store: world.store });
  key = await world.makeKey("write");
  const labels = { __name__: "k6_http_req_duration_seconds", name: "home" };
  await send(writeRequest({ labels, histograms: [histogram(2, 5, 1, 1)] }));
  expect(await requestsByLabel(world.store, "nightly-7")).toEqual([["home", 2]]);
});

test("a label may name the load test instead of a header", async () => {
  const samples = [[at(1), 1]] as const;
  const body = writeRequest(
    { labels: { __name__: "up", load_test: "a" }, samples },
    { labels: { __name__: "up", testid: "b" }, samples },
    { labels: { __name__: "up" }, samples },
  );
  const answer = await send(body, { isNamedByLabels: true });
  expect(answer).toMatchObject({ status: 400, written: { samples: "2" } });
  expect(answer.body).toMatch(/^partial write: samples without a load test: 1 \(/);
  for (const id of ["a", "b"]) {
    expect((await measuresOf(id)).measures).toMatchObject([{ name: "up", tags: {}, count: 1 }]);
  }
});

test("what cannot be stored is counted, and the rest is stored", async () => {
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, tag) => [`t${tag}`, "v"]));
  const body = writeRequest2(LOAD, { ...LOAD, labels: { __name__: "wide", ...many } });
  const answer = await send(body, { isVersion2: true });
  expect(answer).toMatchObject({
    status: 400,
    body: expect.stringMatching(/^partial write: .* not stored: 2 with more than 16 tags/),
    written: { samples: "2", histograms: "0", exemplars: "0" },
  });
  expect(await measuresOf()).toMatchObject({
    measures: [{ name: "node_load1", count: 2 }],
    unstored: { tags: 2 },
  });
});

/** Two samples of each series. */
function bodyOf(from: number, until: number): Buffer {
  const series = Array.from({ length: until - from }, (_, index) => ({
    labels: { __name__: "wide", number: String(from + index) },
    samples: [
      [at(1), 1],
      [at(2), 1],
    ] as const,
  }));
  return writeRequest(...series);
}

test("series beyond the 2,000 of a run are left out, and their values are counted", async () => {
  await send(bodyOf(0, 1500));
  const partial = {
    status: 400,
    body: expect.stringContaining("not stored: 400 of series beyond the 2,000 of a load test"),
    written: { samples: "2000" },
  };
  expect(await send(bodyOf(1000, 2200))).toMatchObject(partial);
  const { measures, unstored } = await measuresOf();
  expect(measures).toHaveLength(2000);
  expect(unstored).toMatchObject({ series: 2 * 200 });
  // Sent again, it has the same answer.
  expect(await send(bodyOf(1000, 2200))).toMatchObject(partial);
  const { quality } = await summarise(world.store.points, SUMMARY);
  expect(quality.map((remark) => remark.message)).toContainEqual(
    expect.stringMatching(/could not be read or stored: wide \(400 values\)/),
  );
});

test("histograms that are left out do not count as written", async () => {
  await send(bodyOf(0, 2000));
  const labels = { __name__: "app_wait_seconds" };
  await send(writeRequest({ labels, histograms: [histogram(1, 5, 1, 1)] }));
  const answer = await send(writeRequest({ labels, histograms: [histogram(61, 26, 1, 11)] }));
  expect(answer).toMatchObject({ status: 400, written: { samples: "0", histograms: "0" } });
});

test("a series of over 1 MiB is refused, whatever names the load test", async () => {
  const long = { labels: { __name__: "up", testid: "a", text: "x".repeat(2 ** 20) }, samples: [] };
  for (const isNamedByLabels of [true, false]) {
    const answer = await send(writeRequest(long), { isNamedByLabels });
    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining("1 MiB") });
  }
});

test.each([
  ["no key", { "x-service-auth": "" }, writeRequest(LOAD), 401],
  ["another type of body", { "content-type": "text/plain" }, writeRequest(LOAD), 415],
  [
    "an unknown message",
    { "content-type": "application/x-protobuf;proto=a.B" },
    writeRequest(LOAD),
    415,
  ],
  ["another compression", { "content-encoding": "gzip" }, writeRequest(LOAD), 415],
  ["a body that is not compressed", {}, Buffer.from("oops"), 400],
  ["a block that is shorter than it says", {}, writeRequest(LOAD).subarray(0, -1), 400],
  ["a bomb", {}, Buffer.concat([varint(2 ** 31), Buffer.from([0, 0])]), 400],
  ["a literal of -5 bytes", {}, Buffer.from([10, 0xfc, 0xfa, 255, 255, 255, 0, 0, 0, 0]), 400],
  ["a message that is cut", {}, snappyBlock(Buffer.from([10, 9, 1])), 400],
])("%s is refused", async (_, headers, body, status) => {
  expect(await send(body, { headers })).toMatchObject({ status });
});

const SUMMARY = {
  loadTestId: "nightly-7",
  range: undefined,
  selection: ALL_ENDPOINTS,
  apdexMicros: undefined,
};

/** Sends what k6 has sent. */
async function sendAll(name: string): Promise<void> {
  const file = recording(`remote-write/${name}.capture.ndjson.gz`);
  for (const line of file.toString().trim().split("\n")) {
    const { body } = JSON.parse(line) as { body: string };
    expect(await send(Buffer.from(body, "base64"))).toMatchObject({ status: 204 });
  }
}

test("native histograms of k6's requests are requests, as many as k6 reports", async () => {
  await sendAll("gen-k6-1.8.1-histograms");
  const expected = recording("remote-write/gen-k6-1.8.1-histograms.expected.json");
  const { reportedByTool } = JSON.parse(expected.toString()) as {
    reportedByTool: Record<string, { requests: number; failed: number; averageMs: number }>;
  };
  const summary = await summarise(world.store.points, SUMMARY);
  const got = summary.endpoints.map(({ label, count, errCount, avgLoadTime }) => [
    label,
    { requests: count, failed: errCount, averageMs: expect.closeTo((avgLoadTime ?? 0) * 1000, 2) },
  ]);
  expect(reportedByTool).toEqual(Object.fromEntries(got));
});

test("figures of k6's requests are measures, and the run says that its requests are unknown", async () => {
  await sendAll("gen-k6-1.8.1");
  expect(await requestsByLabel(world.store, "nightly-7")).toEqual([]);
  const { measures } = await measuresOf();
  expect(measures.map(({ name }) => name)).toContain("k6_http_req_duration_p99");
  const summary = await summarise(world.store.points, SUMMARY);
  expect(summary.quality).toMatchObject([
    { code: "tool-sends-less", message: expect.stringContaining("which are therefore unknown") },
  ]);
});
