import { expect, test } from "vitest";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import {
  bytes,
  double,
  message,
  number,
  snappyBlock,
  varint,
} from "../../../test/support/remote-write.ts";
import { turnsDuring } from "../../../test/support/turns.ts";
import type { OtlpForm } from "../../decode/otlp/read-body.ts";
import { OtlpMemories } from "./memories.ts";
import { createOtlpWriter, type OtlpReport, type OtlpWrite } from "./write-otlp.ts";
import { createRemoteWriter } from "./write-remote.ts";

/** Bodies of less than 1 MB whose parts repeat what is long: each takes less than a second here, and took minutes. */
const MS_MAX = 5000;
const NANOS = 1_795_690_000_000_000_000n;

const write = createOtlpWriter({
  store: openMemoryStore(),
  memories: new OtlpMemories(),
  project: undefined,
  now: () => 1_795_690_000_000,
});

async function elapsedMs(signal: OtlpWrite["signal"], body: object): Promise<number> {
  return (await written(signal, body)).ms;
}

async function written(
  signal: OtlpWrite["signal"],
  body: object | Buffer,
  form: OtlpForm = Buffer.isBuffer(body) ? "protobuf" : "json",
): Promise<OtlpReport & { readonly ms: number }> {
  const given = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  expect(given.length).toBeLessThan(1e6);
  const startedAtMs = performance.now();
  const report = await write({ target: { loadTestId: "run" }, signal, form, body: given });
  return { ...report, ms: performance.now() - startedAtMs };
}

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const many = <Item>(count: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));

const RESOURCE = { attributes: many(20_000, () => ({ key: "a" })) };
const LOCUST = { attributes: [text("service.name", "locust")] };

test("a resource of many attributes may have many scopes of spans", async () => {
  const scopeSpans = many(40_000, () => ({}));
  const body = { resourceSpans: [{ resource: RESOURCE, scopeSpans }] };
  expect(await elapsedMs("traces", body)).toBeLessThan(MS_MAX);
});

test("a resource of many attributes may have many scopes of metrics", async () => {
  const scopeMetrics = many(8000, (at) => ({ scope: { name: String(at % 2) }, metrics: [{}] }));
  const body = { resourceMetrics: [{ resource: RESOURCE, scopeMetrics }] };
  expect(await elapsedMs("metrics", body)).toBeLessThan(MS_MAX);
});

test.each([
  ["resource", { resource: { attributes: [text("a", "x".repeat(3e5))] } }],
  ["service", { resource: { attributes: [text("service.name", "x".repeat(3e5))] } }],
  ["scope", { scope: { name: "x".repeat(3e5) } }],
  ["name", { name: "x".repeat(3e5) }],
])("a long %s may have many points", async (_, { resource = {}, scope = {}, name = "m" }: Long) => {
  const dataPoints = many(5000, (at) => ({
    startTimeUnixNano: String(NANOS),
    timeUnixNano: String(NANOS + BigInt(at)),
    asInt: "1",
  }));
  const metric = {
    name,
    sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints },
  };
  const body = { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics: [metric] }] }] };
  expect(await elapsedMs("metrics", body)).toBeLessThan(MS_MAX);
});

interface Long {
  readonly resource?: object;
  readonly scope?: object;
  readonly name?: string;
}

test("a span may have an attribute that is a facet very often", async () => {
  const attributes = many(20_000, (at) => text("group", String(at % 3)));
  const span = { name: "GET /", kind: 3, startTimeUnixNano: String(NANOS), attributes };
  const body = { resourceSpans: [{ resource: LOCUST, scopeSpans: [{ spans: [span] }] }] };
  expect(await elapsedMs("traces", body)).toBeLessThan(4000);
});

/** With a fixed64 in a field. */
function fixed(field: number, value: bigint): Buffer {
  const given = Buffer.alloc(8);
  given.writeBigUInt64LE(value);
  return Buffer.concat([varint(8 * field + 1), given]);
}

function metricsOf(field: number, ...contents: readonly Buffer[]): Buffer {
  const metric = message(bytes(1, "m"), bytes(field, message(...contents)));
  return bytes(1, bytes(2, bytes(2, metric)));
}

/** `startTimeUnixNano` and `timeUnixNano` have these fields in every kind of point. */
const timesOf = (start: bigint, time: bigint) => message(fixed(2, start), fixed(3, time));

const emptyFields = (field: number, count: number): Buffer =>
  Buffer.alloc(2 * count, bytes(field, ""));
const CUMULATIVE = number(2, 2);

test("a summary may have many attributes and quantiles", async () => {
  const parts = [6, 7].map((field) => emptyFields(field, 30_000));
  const body = metricsOf(11, bytes(1, message(timesOf(NANOS, NANOS), fixed(4, 1n), ...parts)));
  const turns = await turnsDuring(async () => {
    const { rejected } = await written("metrics", body);
    expect(rejected).toBe(30_000);
  });
  // At once, it would be one; a fast machine needs few.
  expect(turns).toBeGreaterThan(4);
});

test("points of one series may begin at many times, of which 1,000 are told apart", async () => {
  const points = many(10_000, (at) => {
    const start = NANOS + BigInt(at) * 3_000_000n;
    return bytes(1, message(timesOf(start, start + 1n), double(4, 1)));
  });
  const { ms, remarks } = await written(
    "metrics",
    metricsOf(7, ...points, CUMULATIVE, number(3, 1)),
  );
  expect(ms).toBeLessThan(MS_MAX);
  expect(remarks).toContainEqual(expect.stringContaining("first totals of series"));
});

const TOO_LONG = "points of over 1 MiB, 20,000 buckets or 65,536 values, which are not stored: 1";

test.each([20_001, 100_000])("a histogram of %i buckets is not stored", async (count) => {
  const buckets = bytes(8, bytes(2, Buffer.alloc(count, 1)));
  const given = message(timesOf(NANOS, NANOS), fixed(4, BigInt(count)), double(5, 1), buckets);
  const body = metricsOf(10, bytes(1, given), CUMULATIVE);
  expect(await written("metrics", body)).toMatchObject({ rejected: 1, remarks: [TOO_LONG] });
});

/** Thirty histograms of 10,000 buckets, `seconds` after they began. */
function sendWide(seconds: bigint): Promise<OtlpReport> {
  const points = many(30, (each) => {
    const counts = bytes(8, bytes(2, Buffer.alloc(10_000, Number(seconds))));
    const tag = bytes(1, message(bytes(1, "n"), bytes(2, bytes(1, String(each)))));
    const times = timesOf(NANOS, NANOS + seconds * 1_000_000_000n);
    return bytes(1, message(tag, times, fixed(4, 10_000n * seconds), double(5, 1), counts));
  });
  return written("metrics", metricsOf(10, ...points, CUMULATIVE));
}

test("increases of histograms whose buckets have no room are reported", async () => {
  await sendWide(1n);
  const { remarks } = await sendWide(2n);
  expect(remarks).toContainEqual(expect.stringMatching(/histograms without percentiles.*: 10$/));
});

test("points behind one of too many values are read", async () => {
  const wide = message(timesOf(NANOS, NANOS), emptyFields(7, 70_000));
  const usual = message(timesOf(NANOS, NANOS), double(4, 1));
  const body = metricsOf(5, bytes(1, wide), bytes(1, usual));
  expect(await written("metrics", body)).toMatchObject({ rejected: 1, remarks: [TOO_LONG] });
});

const spanOf = (id: number, ...more: readonly Buffer[]) =>
  bytes(2, message(bytes(2, Buffer.alloc(8, id)), fixed(7, NANOS), fixed(8, NANOS), ...more));

test("a binary span of over 1 MiB is lost, and others are not", async () => {
  const long = spanOf(1, emptyFields(9, 600_000));
  const body = bytes(1, bytes(2, message(long, spanOf(2))));
  const report = await write({
    target: { loadTestId: "run" },
    signal: "traces",
    form: "protobuf",
    body,
  });
  expect(report).toEqual({
    rejected: 1,
    remarks: [
      "spans of services that are no load tools: 1",
      "spans of over 1 MiB, which are not stored: 1",
    ],
  });
});

test("a resource of too many values is refused", async () => {
  const body = bytes(1, message(bytes(1, message(emptyFields(1, 70_000))), bytes(2, "")));
  for (const signal of ["traces", "metrics"] as const) {
    await expect(written(signal, body)).rejects.toThrow("a resource has more than 65536 values");
  }
});

const writeRemote = createRemoteWriter(write);

function writtenRemotely(...fields: readonly Buffer[]) {
  const body = snappyBlock(message(...fields));
  return writeRemote({ target: { loadTestId: "run" }, form: "2.0", body });
}

test("many texts of remote write are read in slices", async () => {
  const turns = await turnsDuring(() => writtenRemotely(emptyFields(4, 500_000)));
  expect(turns).toBeGreaterThan(5);
});

test.each([
  ["refers to a long text often", "x".repeat(100_000), 50],
  ["has 201 labels", "x", 201],
])("a series of remote write that %s is not stored", async (_, label, labels) => {
  const histogram = message(number(1, 1), double(3, 1), number(15, 1_795_690_000_000));
  const refs = bytes(1, Buffer.alloc(2 * labels, 1));
  const report = await writtenRemotely(
    bytes(4, ""),
    bytes(4, label),
    bytes(5, message(refs, bytes(3, histogram))),
  );
  const remark = "series of over 1 MiB, 200 labels or 65,536 values, which are not stored: 1";
  expect(report).toMatchObject({ rejected: 1, remarks: [remark] });
});
