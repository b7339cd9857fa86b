/** Requests of k6 with their trace ids, and the traces of the system under test as a Collector's file exporter writes them. */

import { expect, test, vi } from "vitest";
import { readReport } from "../src/analysis/report/read-report.ts";
import type { SampleItem } from "../src/api/samples.ts";
import { sampleText } from "../src/cli/output/sample-text.ts";
import { k6Json } from "../src/decode/k6/k6-json.ts";
import { decodeFile, decodePoints } from "../src/import/decode-points.ts";
import { importResults } from "../src/import/import-results.ts";
import { OtlpMemories } from "../src/live/otlp/memories.ts";
import { createOtlpWriter } from "../src/live/otlp/write-otlp.ts";
import { readSamples } from "../src/query/read-samples.ts";
import type { Store } from "../src/store/store.ts";
import { copy } from "./support/copying.ts";
import { openMemoryStore } from "./support/memory-store/memory-store.ts";

const BYTES_MAX = 4 * 1024 * 1024;
const STARTED_AT_MS = 1_795_690_000_000;

/** Response times in ms, of one request each. */
const REQUESTS = [400, 100, 200, 50];

const traceOf = (request: number): string => `0af7651916cd43dd8448eb211c8${31900 + request}`;
const idOf = (request: number, span: number): string =>
  (0xb7ad_6b71_0000 + 100 * request + span).toString(16).padStart(16, "0");

/** Service, operation, and the part of the request's time. Each is below the one before it. */
const SPANS = [
  ["gateway", "POST /checkout", 0.9],
  ["orders", "POST /orders?token=SECRET", 0.6],
  ["orders-db", "INSERT orders", 0.25],
] as const;

const K6_FILE = REQUESTS.map((ms, request) =>
  JSON.stringify({
    metric: "http_req_duration",
    type: "Point",
    data: {
      time: new Date(STARTED_AT_MS + 1000 * request + ms).toISOString(),
      value: ms,
      tags: {
        name: "checkout",
        url: "http://shop.example/checkout",
        method: "POST",
        status: "200",
        expected_response: "true",
      },
      metadata: { trace_id: traceOf(request) },
    },
  }),
).join("\n");

/** One line a service: Collectors get them from each on its own. The database is the first. */
const COLLECTOR_FILE = SPANS.map(([service, name, part], at) => {
  const spans = REQUESTS.map((ms, request) => {
    const start = BigInt(STARTED_AT_MS + 1000 * request + 1) * 1_000_000n;
    return {
      traceId: traceOf(request),
      spanId: idOf(request, at + 1),
      parentSpanId: idOf(request, at),
      name,
      kind: 2,
      startTimeUnixNano: String(start),
      endTimeUnixNano: String(start + BigInt(Math.round(ms * part * 1_000_000))),
    };
  });
  const attributes = [{ key: "service.name", value: { stringValue: service } }];
  const scope = { name: "io.opentelemetry.tomcat" };
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope, spans }] }],
  });
}).toReversed();

function openRun() {
  const store = openMemoryStore();
  const write = createOtlpWriter({
    store,
    memories: new OtlpMemories(),
    project: undefined,
    samples: { bytesMax: BYTES_MAX },
    now: () => STARTED_AT_MS,
    settleMs: 1,
  });
  return {
    store,
    send: (body: string) =>
      write({
        target: { loadTestId: "run" },
        signal: "traces",
        form: "json",
        body: Buffer.from(body),
      }),
    importFile: () =>
      importResults(
        {
          loadTest: { id: "run", name: "run" },
          name: "k6.json",
          chunks: (async function* () {
            yield Buffer.from(`${K6_FILE}\n`);
          })(),
          decodeOptions: { timeZone: "UTC", samples: { bytesMax: BYTES_MAX } },
        },
        { store, formats: [k6Json], decodePoints, decodeFile, now: () => STARTED_AT_MS },
      ),
  };
}

const ALL = {
  loadTestId: "run",
  selection: { by: "filter", filter: "" },
  range: undefined,
} as const;

async function samplesIn(store: Store): Promise<readonly SampleItem[]> {
  return (await readSamples(store.points, { ...ALL, bytesMax: BYTES_MAX })).samples;
}

const spansIn = async (store: Store) =>
  (await samplesIn(store)).map(({ traceId, elapsedMs, spans }) => ({ traceId, elapsedMs, spans }));

/** By hand: 400 ms x 0.9 = 360 ms, and so on. */
const EXPECTED = [
  [400, 360, 240, 100],
  [100, 90, 60, 25],
  [200, 180, 120, 50],
  [50, 45, 30, 12.5],
].map(([elapsedMs = 0, ...parts], request) => ({
  traceId: traceOf(request),
  elapsedMs,
  spans: [
    { service: "gateway", operation: "POST /checkout", elapsedMs: parts[0], share: 0.9 },
    {
      service: "orders",
      operation: "POST /orders?token=[redacted]",
      elapsedMs: parts[1],
      share: 0.6,
    },
    { service: "orders-db", operation: "INSERT orders", elapsedMs: parts[2], share: 0.25 },
  ],
}));

test.each([
  ["before its file", ["spans", "file"]],
  ["after its file", ["file", "spans"]],
  ["twice, around its file", ["spans", "file", "spans"]],
] as const)("a request shows the spans that came %s", async (_, steps) => {
  const { store, send, importFile } = openRun();
  for (const step of steps) {
    if (step === "file") await importFile();
    else for (const line of COLLECTOR_FILE) await send(line);
  }
  await vi.waitFor(async () => expect(await spansIn(store)).toEqual(EXPECTED));
  const copied = openMemoryStore();
  await copy(store, copied);
  expect(await spansIn(copied)).toEqual(EXPECTED);
  const [slowest] = await samplesIn(store);
  expect(slowest && sampleText(slowest)).toContain(
    "\n  span: gateway: POST /checkout, 360 ms (90 %)\n  span: orders: POST /orders?token=[redacted], 240 ms (60 %)\n",
  );
  const { about } = await readReport(store, { ...ALL, hasSamples: true });
  // Four requests with three spans each.
  expect(about.samples).toHaveLength(16);
});

test("spans alone are no load test, and those of other requests are not stored", async () => {
  const { store, send, importFile } = openRun();
  const [line = ""] = COLLECTOR_FILE;
  const { remarks } = await send(line.replaceAll(traceOf(0), "f".repeat(32)));
  expect(remarks).toEqual(["spans of services that are no load tools: 4"]);
  expect(await store.loadTests.find("run")).toBeUndefined();
  await importFile();
  await vi.waitFor(async () =>
    expect((await samplesIn(store)).map(({ spans = [] }) => spans.length)).toEqual([0, 1, 1, 1]),
  );
  expect(JSON.stringify(await (await store.points.snapshot("run"))?.samples())).not.toContain(
    "ffff",
  );
});
