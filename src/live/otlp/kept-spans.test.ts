import { expect, test } from "vitest";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { UserError } from "../../model/errors.ts";
import { dividedEntries } from "../../model/samples/child-spans.ts";
import type { LabelledSample } from "../../model/samples/request-sample.ts";
import { labelOfSeries } from "../../model/series/facets.ts";
import type { Store } from "../../store/store.ts";
import { OtlpMemories } from "./memories.ts";
import { createOtlpWriter, type OtlpWrite } from "./write-otlp.ts";
import { recording } from "../../../test/support/recording.ts";

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface JsonSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
}

const linesOf = (name: string): readonly string[] =>
  recording(`otlp/${name}`).toString().trim().split("\n");

/** Written by Google's library for Python. */
const AS_JSON = linesOf("gen-traces-as-json.ndjson.gz").filter((line) => line.includes('"locust"'));
const BINARY = linesOf("gen-locust-2.47.0.capture.ndjson.gz")
  .map((line) => JSON.parse(line) as Record<"path" | "body", string>)
  .filter(({ path: to }) => to === "/v1/traces")
  .map(({ body }) => Buffer.from(body, "base64"));

const writeOf = (body: Buffer, form: OtlpWrite["form"]): OtlpWrite => ({
  target: { loadTestId: "run" },
  signal: "traces",
  form,
  body,
});

function openWriter(store: Store) {
  return createOtlpWriter({
    store,
    memories: new OtlpMemories(),
    project: undefined,
    samples: { bytesMax: 4 * 1024 * 1024 },
    now: () => 1_795_690_000_000,
  });
}

async function storedIn(store: Store): Promise<readonly LabelledSample[]> {
  const snapshot = await store.points.snapshot("run");
  const { samples } = dividedEntries((await snapshot?.samples()) ?? []);
  snapshot?.release();
  return samples.map((sample) => ({ ...sample, label: labelOfSeries(sample.label) }));
}

test("binary spans and those in JSON give the same samples, with the traces that the collector's file has", async () => {
  const stored = await Promise.all(
    (
      [
        [BINARY, "protobuf"],
        [AS_JSON.map((line) => Buffer.from(line)), "json"],
      ] as const
    ).map(async ([bodies, form]) => {
      const store = openMemoryStore();
      const write = openWriter(store);
      for (const body of bodies) await write(writeOf(body, form));
      return storedIn(store);
    }),
  );
  expect(stored[0]).toEqual(stored[1]);
  const spans = spansIn(AS_JSON);
  const bySpan = new Map(spans.map((span) => [span.spanId, span]));
  const samples = stored[0] ?? [];
  for (const { spanId = "", traceId, url, timeMs, elapsedMicros } of samples) {
    expect({ traceId, url, timeMs, elapsedMicros }).toEqual(factsOf(bySpan.get(spanId)));
  }
  const kept = new Set(samples.map(({ spanId }) => spanId));
  const slowest = spans
    .filter(({ name }) => name === "GET /")
    .toSorted((one, other) => durationOf(other) - durationOf(one));
  for (const { spanId } of slowest.slice(0, 5)) expect(kept).toContain(spanId);
});

/** All spans of the JSON. */
function spansIn(lines: readonly string[]): readonly JsonSpan[] {
  return lines.flatMap((line) => {
    const { resourceSpans } = JSON.parse(line) as {
      resourceSpans: { scopeSpans: { spans: JsonSpan[] }[] }[];
    };
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  });
}

function factsOf(span: JsonSpan | undefined) {
  if (span === undefined) return undefined;
  const url = span.attributes.find(({ key }) => key === "http.url")?.value["stringValue"];
  return {
    traceId: span.traceId,
    url,
    timeMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
    elapsedMicros: Math.round(durationOf(span) / 1000),
  };
}

const durationOf = ({ startTimeUnixNano, endTimeUnixNano }: JsonSpan): number =>
  Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano));

const text = (key: string, stringValue: string): Attribute => ({ key, value: { stringValue } });

function bodyOf(at: number, ms: number): Buffer {
  const start = 1_795_690_000_000 + at;
  const span = {
    traceId: at.toString(16).padStart(32, "0").toUpperCase(),
    spanId: at.toString(16).padStart(16, "0"),
    kind: 3,
    name: "GET /pay",
    startTimeUnixNano: `${start}000000`,
    endTimeUnixNano: `${start + ms}000000`,
    status: { code: 2 },
    attributes: [
      text("http.request.method", "GET"),
      text("url.full", "https://shop.example/pay?token=SECRET"),
      { key: "http.response.status_code", value: { intValue: "503" } },
      { key: "http.response.body.size", value: { intValue: "21" } },
      {
        key: "http.request.header.authorization",
        value: { arrayValue: { values: [{ stringValue: "Custom SECRET" }] } },
      },
    ],
    events: [
      {
        name: "exception",
        attributes: [
          text("exception.type", "HTTPError"),
          text("exception.message", "503: password=SECRET"),
          text("exception.stacktrace", "at pay (cart.py:7)"),
        ],
      },
    ],
  };
  const resource = { attributes: [text("service.name", "locust")] };
  return Buffer.from(
    JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }),
  );
}

test("a span has its exceptions and headers, without secrets", async () => {
  const store = openMemoryStore();
  await openWriter(store)(writeOf(bodyOf(10, 50), "json"));
  expect(await storedIn(store)).toMatchObject([
    {
      label: "GET /pay",
      code: "503",
      traceId: "0000000000000000000000000000000a",
      spanId: "000000000000000a",
      url: "https://shop.example/pay?token=[redacted]",
      receivedBytes: 21,
      requestHeaders: "authorization: [redacted]",
      exception: "HTTPError: 503: password=[redacted]\nat pay (cart.py:7)",
    },
  ]);
});

test("of many bodies, only those requests are stored that were among the chosen when they came", async () => {
  const store = openMemoryStore();
  const write = openWriter(store);
  const bodies = Array.from({ length: 200 }, (_, at) => bodyOf(at + 1, 50));
  for (const body of bodies) await write(writeOf(body, "json"));
  const stored = await storedIn(store);
  // The first three, five of the same time, and records of a random order among 200, of which 3 stay.
  expect(stored.length).toBeGreaterThanOrEqual(6);
  expect(stored.length).toBeLessThan(60);
  for (const body of bodies) await write(writeOf(body, "json"));
  expect(await storedIn(store)).toHaveLength(stored.length);
});

test("what a body that could not be stored had chosen is chosen again", async () => {
  const store = openMemoryStore();
  let isFull = true;
  const points: Store["points"] = {
    ...store.points,
    append: (batch) =>
      isFull ? Promise.reject(new UserError("storage-full", "full")) : store.points.append(batch),
  };
  const write = openWriter({ ...store, points });
  await expect(write(writeOf(bodyOf(10, 50), "json"))).rejects.toThrow("full");
  isFull = false;
  await write(writeOf(bodyOf(10, 50), "json"));
  expect(await storedIn(store)).toHaveLength(1);
});

test("of a body, texts of at most 1,000,000 characters are searched for secrets, which takes time", async () => {
  const spans = Array.from({ length: 100 }, (_, number) => ({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: (number + 1).toString(16).padStart(16, "0"),
    name: `request ${number}`,
    kind: 3,
    startTimeUnixNano: "1795690000000000000",
    endTimeUnixNano: "1795690000100000000",
    status: { code: 2 },
    attributes: [{ key: "http.request.method", value: { stringValue: "GET" } }],
    events: [
      {
        name: "exception",
        attributes: [{ key: "exception.message", value: { stringValue: "a ".repeat(1e4) } }],
      },
    ],
  }));
  const attributes = [{ key: "service.name", value: { stringValue: "locust" } }];
  const scope = { name: "opentelemetry.instrumentation.requests" };
  const body = { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope, spans }] }] };
  const store = openMemoryStore();
  await openWriter(store)(writeOf(Buffer.from(JSON.stringify(body)), "json"));
  const samples = await storedIn(store);
  expect(samples.length).toBe(100);
  expect(samples.every(({ traceId }) => traceId === spans[0]?.traceId)).toBe(true);
  // 16,384 characters of each are read, and 51 of ids and method.
  expect(samples.filter(({ exception }) => exception !== undefined).length).toBe(60);
});
