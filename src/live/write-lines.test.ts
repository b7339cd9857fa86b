import { expect, test } from "vitest";
import { readSourceFacts } from "../query/source-facts.ts";
import type { Store } from "../store/store.ts";
import { batchOf, requestsByLabel, sample, snapshotOf } from "../../test/support/batches.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { dividedEntries } from "../model/samples/child-spans.ts";
import { labelOfSeries } from "../model/series/facets.ts";
import { createLineWriter, type LineWrite } from "./write-lines.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

const LINES =
  "vus value=5 1790000000000000000\n" +
  "http_req_duration,name=/a,status=200 value=12.5 1790000000000000000\n";

async function* pieces(lines: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(lines);
}

function writeOf(sender: string, lines = LINES): LineWrite {
  return { target: { loadTestId: "run" }, chunks: pieces(lines), options: {}, sender };
}

test("the same bytes change nothing, even from another address", async () => {
  const store = openMemoryStore();
  const write = createLineWriter({ store, now: () => 0 });
  expect((await write(writeOf("10.0.0.1"))).isRepeated).toBe(false);
  expect((await write(writeOf("10.0.0.1"))).isRepeated).toBe(true);
  expect((await write(writeOf("10.0.0.2"))).isRepeated).toBe(true);
  expect(await requestsByLabel(store)).toEqual([["/a", 1]]);
});

test("a number used by another sender is not a repetition", async () => {
  const staged = { sourceId: "line-protocol", visibility: "staged" } as const;
  const store = await memoryStoreWith(batchOf([sample("a", 1)], staged));
  const write = createLineWriter({ store, now: () => 0 });
  await expect(write(writeOf("10.0.0.1"))).rejects.toThrow("the source is staged, not live");
});

const JMETER =
  "jmeter,application=shop,statut=ok,transaction=/b count=1,avg=5,min=5,max=5 1790000000000\n";

const RAW = "jmeter,status=ok,transaction=/b,threadName=t duration=5 1790000000000\n";

test.each([
  ["k6", LINES, "k6-line-protocol"],
  ["JMeter", JMETER, "jmeter-line-protocol"],
  ["JMeter's raw listener", RAW, "jmeter-raw-line-protocol"],
  ["both", LINES + JMETER, "line-protocol"],
])("data sent by %s has its own format name", async (_, lines, format) => {
  const store = openMemoryStore();
  await createLineWriter({ store, now: () => 0 })(writeOf("10.0.0.1", lines));
  expect((await store.loadTests.find("run"))?.formats).toEqual([format]);
});

test("measures alone have a source of their own, whose format says nothing about requests", async () => {
  const store = openMemoryStore();
  const write = createLineWriter({ store, now: () => 0 });
  await write(writeOf("10.0.0.1", "cpu usage_user=5 1790000000000000000\n"));
  await write(writeOf("10.0.0.1", LINES));
  expect((await store.loadTests.find("run"))?.formats).toEqual([
    "k6-line-protocol",
    "line-measures",
  ]);
});

/** What became of the lines of each source. */
async function qualities(store: Store, loadTestId = "run") {
  const live = await store.points.liveSources(loadTestId);
  return live.map(({ sourceId, quality }) => [sourceId, quality?.rejectedRows]);
}

test("lines that cannot be read count in the quality of their run, once for each write", async () => {
  const store = openMemoryStore();
  const write = createLineWriter({ store, now: () => 0 });
  for (let repeat = 0; repeat < 2; repeat++) {
    await write(
      writeOf("10.0.0.1", `${LINES}oops\nhttp_req_duration value=x 1790000000000000000\n`),
    );
  }
  expect(await qualities(store)).toEqual([["line-protocol", 2]]);
});

test("lines alone that cannot be read count, without another format for those that can", async () => {
  const store = openMemoryStore();
  const write = createLineWriter({ store, now: () => 0 });
  // The first ones make no run.
  await write(writeOf("10.0.0.1", "oops, too early\n"));
  expect(await store.loadTests.list()).toEqual([]);
  await write(writeOf("10.0.0.1", LINES));
  await write(writeOf("10.0.0.1", "oops\n"));
  expect(await qualities(store)).toEqual([
    ["line-protocol", undefined],
    ["line-rejected", 1],
  ]);
  const facts = await readSourceFacts(await snapshotOf(store));
  const [rejected] = facts.remarks.filter(({ code }) => code === "rows-rejected");
  expect(rejected?.message).toBe('1 row of "line-rejected" could not be read');
  expect(facts.hasSizes).toBe(false);
});

test("a point that names another run counts there", async () => {
  const store = openMemoryStore();
  const write = createLineWriter({ store, now: () => 0 });
  const other = "http_req_duration,load_test=other value=x 1790000000000000000\n";
  await write(writeOf("10.0.0.1", LINES + other));
  expect(await qualities(store)).toEqual([["line-protocol", undefined]]);
  expect(await qualities(store, "other")).toEqual([["line-protocol", 1]]);
});

test("requests of k6 with long names or without a time count, and their run says so", async () => {
  const store = openMemoryStore();
  const write = createLineWriter({ store, now: () => 0 });
  const name = "x".repeat(2700);
  const long = (status: number, nanos: string) =>
    `http_req_duration,expected_response=${status < 400},name=${name},status=${status} value=5 ${nanos}\n`;
  const untimed = "http_req_duration,name=/a,status=200 value=-5 1790000000000000009\n";
  const lines = long(500, "1790000000000000001") + long(200, "1790000000000000002") + untimed;
  expect(await write(writeOf("10.0.0.1", LINES + lines))).toMatchObject({ rejected: 0 });
  const [quality] = await store.points.liveSources("run");
  expect(quality?.quality?.repairedRows).toEqual({ "label-shortened": 2, "time-unknown": 1 });
  const counts = await requestsByLabel(store);
  expect(counts.map(([, requests]) => requests)).toEqual([2, 2]);
});

test("each run names the measurements that were stored as measures", async () => {
  const store = openMemoryStore();
  const write = createLineWriter({ store, now: () => 0 });
  await write(writeOf("10.0.0.1", `${RAW}samples,name=/a duration=7,errors=0 1790000000000\n`));
  await write(writeOf("10.0.0.1", "samples,name=/a,testid=other duration=7 1790000001000\n"));
  const live = await store.points.liveSources("run");
  expect(live.map(({ quality }) => quality?.measurements)).toEqual([
    [{ name: "samples", values: 2 }],
  ]);
});

test("broken lines of servers that are measured do not count among requests", async () => {
  const store = openMemoryStore();
  const write = createLineWriter({ store, now: () => 0 });
  await write(writeOf("10.0.0.1", "cpu usage=5 1790000000000000000\noops\n"));
  expect(await qualities(store)).toEqual([["line-measures", 1]]);
});

test("lines without a time count at their arrival: the same bytes later are others", async () => {
  const store = openMemoryStore();
  let now = 1_790_000_000_000;
  const write = createLineWriter({ store, now: () => now });
  const isRepeated = async () => (await write(writeOf("10.0.0.1", "cpu usage=5\n"))).isRepeated;
  expect(await isRepeated()).toBe(false);
  now += 5000;
  expect(await isRepeated()).toBe(false);
});

async function* slowly(lines: string): AsyncGenerator<Uint8Array> {
  for (const line of lines.split(/(?<=\n)/)) {
    yield Buffer.from(line);
    await new Promise(setImmediate);
  }
}

async function* broken(lines: string): AsyncGenerator<Uint8Array> {
  yield* slowly(lines);
  throw new Error("the connection broke");
}

const linesOf = (label: string, requests: number) =>
  Array.from({ length: requests }, (_, at) => {
    return `http_req_duration,name=${label},status=200 value=1 ${1_790_000_000 + at}000000000\n`;
  }).join("");

test("writes that overlap or fail share memory, but no requests", async () => {
  const store = openMemoryStore();
  const write = createLineWriter({ store, now: () => 0 });
  for (let round = 0; round < 3; round++) {
    const writes = ["/a", "/b", "/c", "/d"].map((label, at) =>
      write({
        ...writeOf("10.0.0.1"),
        target: { loadTestId: `run-${round}-${at}` },
        chunks: slowly(linesOf(label, 10 * (at + 1))),
      }),
    );
    const failing = write({ ...writeOf("10.0.0.1"), chunks: broken(linesOf("/lost", 7)) });
    await expect(failing).rejects.toThrow("the connection broke");
    await Promise.all(writes);
  }
  for (const [at, label] of ["/a", "/b", "/c", "/d"].entries()) {
    for (let round = 0; round < 3; round++) {
      const found = await requestsByLabel(store, `run-${round}-${at}`);
      expect(found).toEqual([[label, 10 * (at + 1)]]);
    }
  }
});

const FAILED =
  'tachograph,generator=host-1 label="GET /cart",elapsedMs=30.5,success=false,code="503",message="Busy",' +
  'receivedBytes=120i,sentBytes=80i,latencyMs=20,connectMs=2,threadName="Shop 1-3",method="GET",' +
  'url="https://shop.example/cart?token=SECRET&page=2",' +
  'requestHeaders="traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\\nAuthorization: Bearer SECRET",' +
  'responseBody="{\\"error\\":\\"a\\\\\\\\nb\\",\\"session\\":\\"SECRET\\"}"';

test("a failure of our own integrations is kept whole, without secrets, once", async () => {
  const store = openMemoryStore();
  const samples = { bytesMax: 2 ** 20 };
  const write = createLineWriter({ store, now: () => 0, samples });
  const lines = `${FAILED} 1790000000123\n`;
  for (const sender of ["a", "b"]) await write(writeOf(sender, `# 1\n${lines}`));
  const snapshot = await snapshotOf(store);
  const [kept, ...others] = await snapshot.samples();
  snapshot.release();
  expect(others).toEqual([]);
  expect(kept).toMatchObject({
    timeMs: 1_790_000_000_123,
    elapsedMicros: 30_500,
    code: "503",
    message: "Busy",
    sentBytes: 80,
    receivedBytes: 120,
    latencyMicros: 20_000,
    connectMicros: 2000,
    thread: "Shop 1-3",
    generator: "host-1",
    method: "GET",
    url: "https://shop.example/cart?token=[redacted]&page=2",
    traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
    spanId: "00f067aa0ba902b7",
    requestHeaders:
      "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\nAuthorization: [redacted]",
    responseBody: '{"error":"a\\\\nb","session":"[redacted]"}',
  });
});

test("a server that keeps no requests stores none, and texts of a write are bounded", async () => {
  const store = openMemoryStore();
  const lines = Array.from({ length: 300 }, (_, row) => {
    const label = `label="${row}"`;
    return `${FAILED.replace('label="GET /cart"', label)},requestBody="${"x".repeat(8000)}" ${1_790_000_000_000 + row}\n`;
  });
  await createLineWriter({ store, now: () => 0 })(writeOf("a", lines.join("")));
  const of = async () => {
    const snapshot = await snapshotOf(store);
    const { samples } = dividedEntries(await snapshot.samples());
    snapshot.release();
    return samples;
  };
  expect(await of()).toEqual([]);
  const samples = { bytesMax: 4 * 2 ** 20 };
  await createLineWriter({ store, now: () => 0, samples })(writeOf("a", `# 2\n${lines.join("")}`));
  const all = await of();
  expect(all).toHaveLength(300);
  const whole = all.filter(({ requestBody }) => requestBody !== undefined).length;
  // 8,000 characters of each and some 300 others fit 1,000,000 some 120 times.
  expect(whole).toBeGreaterThan(110);
  expect(whole).toBeLessThan(125);
});

test("of a label over the limit no request is kept", async () => {
  const store = openMemoryStore({ labelLimit: { max: 1 } });
  const write = createLineWriter({ store, now: () => 0, samples: { bytesMax: 2 ** 20 } });
  await write(writeOf("a", `${FAILED} 1790000000123\n`));
  const other = `${FAILED.replace("GET /cart", "GET /pay")} 1790000000456\n`;
  const { rejected } = await write(writeOf("a", `${FAILED} 1790000001000\n${other}`));
  // The request and its three measures.
  expect(rejected).toBe(4);
  const snapshot = await snapshotOf(store);
  const labels = dividedEntries(await snapshot.samples()).samples.map(({ label }) =>
    labelOfSeries(label),
  );
  snapshot.release();
  expect(labels).toEqual(["GET /cart", "GET /cart"]);
});
