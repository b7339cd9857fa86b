import { expect, test } from "vitest";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import type { OtlpForm } from "../../decode/otlp/read-body.ts";
import { OtlpMemories } from "./memories.ts";
import { createOtlpWriter, type OtlpReport, type OtlpWrite } from "./write-otlp.ts";

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
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  expect(bytes.length).toBeLessThan(1e6);
  const startedAtMs = performance.now();
  const report = await write({ target: { loadTestId: "run" }, signal, form, body: bytes });
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
