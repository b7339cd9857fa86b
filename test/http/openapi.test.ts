/** Compares real responses of every route with the OpenAPI document of the server. */

import { afterAll, expect, test } from "vitest";
import { UserError } from "../../src/model/errors.ts";
import { openMetrics } from "../../src/query/read-metrics.ts";
import { encodeBatch } from "../../src/wire/batch.ts";
import { COMPLETE, batchOf, sample } from "../support/batches.ts";
import { createTestServer } from "../support/test-server.ts";
import { type ApiDocument, createAnswerCheck } from "./described-answer.ts";
import { liveRows, methodOf, pathOf, requestsWith, type Row } from "./described-request.ts";

const samples = [
  sample("a", 0),
  { ...sample("a", 1_700_000_000, 1_234_567), failed: true },
  sample("a", 1_700_000_001),
  sample("", 1_700_000_001),
];

let isReady = true;
let fault: UserError | undefined;
const world = await createTestServer({
  samples,
  dependencies: {
    isReady: async () => isReady,
    openMetrics: async (query) => {
      if (fault !== undefined) throw fault;
      return await openMetrics(world.store.points, query);
    },
  },
});
afterAll(() => world.server.close());
const file = world.store.files.begin({ loadTestId: "run", id: "f1", name: "a.txt" });
await file.write(Buffer.from("bytes"));
await file.finish();
const document: ApiDocument = (await world.server.inject("/openapi.json")).json();
const complaintsAbout = createAnswerCheck(document);
const writeKey = await world.makeKey("write");
const METRICS = "/Api/Metrics?loadTestId=run&filter=a";
const LONG = `&x=${"x".repeat(8192)}`;
const HASH = "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8";

const KEY = { "x-service-auth": world.key };
const RESULTS = "timeStamp,elapsed,label,success\n1700000000000,5,a,true\noops\n";

const STAGED = batchOf([sample("a", 1)], { visibility: "staged" });
const FILE = {
  name: "b.jtl",
  format: "jmeter-csv",
  sizeBytes: 7,
  digest: `gmac:${"0".repeat(32)}`,
  ...COMPLETE,
};

const changing = requestsWith(writeKey);
const administering = requestsWith(await world.makeKey("admin"));

/** Reads of a load test: good queries, bad ones, and those of a missing load test. */
function reading(operation: string, good: readonly string[], bad: readonly string[]): Row[] {
  const row = (loadTestId: string, query: string, status: number): Row => ({
    url: `/Api/LoadTests/${loadTestId}/${operation}?${query}`,
    status,
    headers: KEY,
  });
  const [first = ""] = good;
  return [
    ...(bad.includes("") ? [] : [row("run", "", 200)]),
    ...good.map((query) => row("run", query, 200)),
    ...bad.map((query) => row("run", query, 400)),
    row("no", first, 404),
  ];
}

const rows: readonly Row[] = [
  ...["csv", "xy", "default"].flatMap((format) =>
    [
      `${METRICS}&format=${format}`,
      `/Api/Metrics?loadTestId=run&hash=${HASH}&format=${format}`,
      `/Api/Metrics?loadTestId=run&all=true&format=${format}`,
      `${METRICS}&format=${format}&resolution=60&from=1&until=2000000000`,
      `${METRICS}&format=${format}&from=5&until=6`,
      `/Api/Metrics?loadTestId=run&filter=zzz&format=${format}`,
    ].map((url) => ({ url, status: 200, headers: KEY })),
  ),
  { url: METRICS, status: 200, headers: KEY, method: "HEAD" },
  ...reading("Samples", ["outcome=failed&code=503"], ["outcome=slow"]),
  ...reading("Failures", ["series=true&filter=a&from=1"], ["series=yes"]),
  ...reading("Users", [], ["from=7&until=7"]),
  ...reading("Events", [], []),
  ...reading("Facets", [], []),
  ...reading("Measures", ["selector=cpu{host=a}+by+cpu"], ["selector=cpu{", "endpoint=a"]),
  ...reading(
    "MeasureSeries",
    ["measure=cpu&resolution=60", "selector=cpu"],
    ["selector=cpu{", "measure=cpu&limit=0"],
  ),
  ...reading("Export", ["format=parquet"], ["format=orc"]),
  ...reading("Report", ["address=https://a/t/run"], ["from=7&until=7", "address=ftp://a"]),
  { url: "/Api/LoadTests/run/Summary", status: 200, headers: { ...KEY, accept: "text/csv" } },
  { url: "/Api/Tags", status: 200, headers: KEY },
  { url: "/Api/Digests?runs=run,none", status: 200, headers: KEY },
  { url: "/Api/Digests", status: 400, headers: KEY },
  { url: "/Api/Tests?search=run", status: 200, headers: KEY },
  { url: "/Api/Tests?limit=0", status: 400, headers: KEY },
  { url: "/Api/Trend?name=name+of+run&last=7&skipStart=1&filter=a", status: 200, headers: KEY },
  { url: "/Api/Trend", status: 400, headers: KEY },
  { url: "/Api/Trend?tag=none", status: 404, headers: KEY },
  ...reading("Verdict", [], []),
  ...reading("Capacity", ["filter=zzz"], ["from=5&until=5"]),
  ...reading("Findings", [], ["from=5&until=5"]),
  ...reading("Compare", ["base=run&skipStart=1"], ["", "base=run&skipStart=-1"]),
  { url: "/Api/Compare?runs=run,none", status: 404, headers: KEY },
  { url: "/Api/Compare?runs=run", status: 400, headers: KEY },
  ...reading("Heatmap", ["filter=zzz&resolution=5"], ["resolution=0"]),
  ...reading("Heatmap/Endpoints", ["fromMicros=100&limit=1"], ["fromMicros=5&untilMicros=5"]),
  ...reading("Distribution", ["filter=zzz"], ["from=9&until=9"]),
  ...reading("Summary", ["apdexMs=5&from=1&until=2"], ["apdexMs=0", "where=a"]),
  { url: "/Api/LoadTests/run/Summary?where=a:b&by=a", status: 404, headers: KEY },
  ...reading(
    "Percentiles",
    ["merge=true&percent=99.9"],
    ["percent=101", "percent=1,2,3,4,5,6,7,8,9,10,11"],
  ),
  { url: METRICS, status: 304, headers: { ...KEY, "if-none-match": "*" } },
  { url: "/Api/Metrics", status: 400, headers: KEY },
  { url: `${METRICS}&x=%FF`, status: 400, headers: KEY },
  { url: METRICS, status: 401 },
  { url: METRICS, status: 401, method: "HEAD" },
  { url: METRICS, status: 403, headers: { "x-service-auth": writeKey } },
  { url: "/Api/Metrics?loadTestId=no&filter=a", status: 404, headers: KEY },
  { url: METRICS, status: 406, headers: { ...KEY, accept: "*/*;q=0" } },
  { url: METRICS, status: 413, headers: { ...KEY, "content-length": "5" } },
  { url: METRICS + LONG, status: 414, headers: KEY },
  { url: METRICS, status: 421, headers: { ...KEY, host: "evil.example" } },
  { url: "/Api/LoadTests?search=run&limit=1", status: 200, headers: KEY },
  { url: "/Api/LoadTests?limit=0", status: 400, headers: KEY },
  { url: "/Api/LoadTests/run", status: 200, headers: KEY },
  { url: "/Api/LoadTests/run", status: 304, headers: { ...KEY, "if-none-match": "*" } },
  { url: "/Api/LoadTests/none", status: 404, headers: KEY },
  ...changing("POST", "/Api/LoadTests", [
    [{ id: "made", tags: ["a"], pinned: true }, 201],
    [{ id: "made" }, 409],
    [{ id: "a b" }, 400],
    ["{}", 415],
    [{ name: "x".repeat(70_000) }, 413],
  ]),
  ...changing("PATCH", "/Api/LoadTests/made", [
    [{ name: "Made", addTags: ["b"], finished: true }, 200],
    [{ name: 7 }, 400],
  ]),
  ...changing("PATCH", "/Api/LoadTests/none", [[{}, 404]]),
  { url: "/Api/Compare?runs=run,made&skipStart=1", status: 200, headers: KEY },
  { url: "/Api/Compare/Report?runs=run,made&address=https://a/compare", status: 200, headers: KEY },
  { url: "/Api/Compare/Report?runs=run,none", status: 404, headers: KEY },
  { url: "/Api/Compare/Report?runs=run", status: 400, headers: KEY },
  {
    url: "/Api/LoadTests/made/Results",
    status: 200,
    headers: { "x-service-auth": writeKey },
  },
  ...changing("POST", "/Api/LoadTests/made/Events", [
    [{ text: "deployed" }, 201],
    [{ text: "noted", at: "2026-11-21T10:00:00Z" }, 201],
  ]),
  ...changing("PATCH", "/Api/LoadTests/made/Events/mwq8lds0-13jg5qz", [[{ text: "seen" }, 200]]),
  ...changing("PATCH", "/Api/LoadTests/made/Events/none", [[{ text: "deployed" }, 400]]),
  { url: "/Api/LoadTests/made/Events/Stream", status: 200, headers: KEY },
  {
    url: "/Api/LoadTests/made/Events/Stream",
    status: 204,
    headers: { ...KEY, "last-event-id": "end" },
  },
  { url: "/Api/LoadTests/none/Events/Stream", status: 404, headers: KEY },
  ...changing("DELETE", "/Api/LoadTests/made/Events/none", [[undefined, 204]]),
  ...changing("POST", "/Api/LoadTests/made/Files?name=a.txt", [["bytes", 201]]),
  ...changing("POST", "/Api/LoadTests/made/Files?name=a.txt&source=none", [["bytes", 400]]),
  ...changing("POST", "/Api/LoadTests/made/Files", [["bytes", 400]]),
  ...changing("POST", "/Api/LoadTests/none/Files?name=a.txt", [["bytes", 404]]),
  ...changing("DELETE", "/Api/LoadTests/made/Files/none", [[undefined, 204]]),
  { url: "/Api/LoadTests/made/Files", status: 200, headers: KEY },
  { url: "/Api/LoadTests/run/Files/f1", status: 200, headers: KEY },
  { url: "/Api/LoadTests/run/Files/f1", status: 206, headers: { ...KEY, range: "bytes=0-1" } },
  { url: "/Api/LoadTests/made/Files/none", status: 404, headers: KEY },
  ...changing("POST", "/Api/LoadTests/made/Results/Stop", [[undefined, 200]]),
  ...changing("POST", "/Api/LoadTests/made/Results?file=a.jtl", [
    [RESULTS, 201],
    [RESULTS, 200],
    ["<!doctype html>", 422],
  ]),
  ...changing("POST", "/Api/Results?file=a.jtl", [[RESULTS, 200]]),
  ...changing("POST", "/Api/Results?file=a.jtl&again=true", [[RESULTS, 201]]),
  ...changing("GET", `/Api/Sources?sizeBytes=9&digest=gmac:${"0".repeat(32)}`, [[undefined, 200]]),
  ...changing("GET", "/Api/Sources?sizeBytes=9&digest=0", [[undefined, 400]]),
  ...changing("POST", "/Api/LoadTests/made/Batches", [
    [Buffer.from(encodeBatch(STAGED)), 200],
    ["no batch", 400],
  ]),
  ...changing("POST", "/Api/LoadTests/none/Batches", [[Buffer.from(encodeBatch(STAGED)), 404]]),
  ...changing("POST", "/Api/LoadTests/made/Sources/sender/Publish", [
    [FILE, 200],
    [{ ...FILE, sizeBytes: "7" }, 400],
  ]),
  ...changing("GET", "/Api/LoadTests/made/Sources", [[undefined, 200]]),
  ...changing("GET", "/Api/LoadTests/none/Sources", [[undefined, 404]]),
  ...changing("DELETE", "/Api/LoadTests/made/Sources/sender", [[undefined, 204]]),
  { url: "/Api/LoadTests/made", status: 200, headers: KEY },
  ...changing("DELETE", "/Api/LoadTests/made", [
    [undefined, 204],
    [undefined, 404],
    ["a body", 413],
  ]),
  {
    url: "/Api/LoadTests/run",
    status: 403,
    headers: KEY,
    method: "DELETE",
  },
  ...liveRows(writeKey),
  ...changing("POST", "/query?q=CREATE+DATABASE+a", [[undefined, 200]]),
  ...changing("POST", "/query", [["q=SHOW+DATABASES", 400]]),
  {
    url: "/query?q=CREATE+DATABASE+a",
    status: 200,
    headers: { authorization: `Token ${writeKey}` },
  },
  { url: "/query?q=CREATE+DATABASE+a", status: 401 },
  { url: "/Api/CurrentKey", status: 200, headers: KEY },
  { url: "/Api/CurrentKey", status: 401 },
  { url: "/Api/Keys", status: 403, headers: KEY },
  ...["Keys", "Audit"].flatMap((each) => administering("GET", `/Api/${each}`, [[undefined, 200]])),
  ...administering("POST", "/Api/Keys", [
    [{ name: "ci", scopes: ["read"], expiresDays: 1 }, 201],
    [{ name: "ci" }, 409],
    [{ name: "" }, 400],
    [{ name: "a", scopes: ["root"] }, 400],
  ]),
  ...administering("DELETE", "/Api/Keys/ci", [[undefined, 200]]),
  ...administering("DELETE", "/Api/Keys/none", [[undefined, 404]]),
  ...changing("GET", "/Api/Links", [[undefined, 200]]),
  ...administering("POST", "/Api/Links", [
    [{ name: "link", loadTestId: "run", expiresDays: 1 }, 201],
    [{ name: "other", loadTestId: "run", base: "run" }, 400],
  ]),
  ...changing("DELETE", "/Api/Links/link", [[undefined, 200]]),
  ...changing("DELETE", "/Api/Links/none", [[undefined, 404]]),
  { url: METRICS, status: 404, headers: { "x-service-auth": `tgl_${"0".repeat(36)}` } },
  ...changing("PUT", "/Api/Thresholds/shop", [
    [{ thresholds: [{ failIf: ["p95 > 500ms"] }] }, 204],
    [{ thresholds: [{ failIf: ["p95 > x"] }] }, 400],
    [{ thresholds: 1 }, 400],
  ]),
  { url: "/Api/Thresholds/shop", status: 200, headers: KEY },
  ...changing("DELETE", "/Api/Thresholds/shop", [[undefined, 204]]),
  ...changing("POST", "/Api/Session", [[undefined, 204]]),
  ...changing("DELETE", "/Api/Session", [[undefined, 204]]),
  { url: "/Api/Thresholds/shop", status: 200, headers: KEY },
  { url: "/Api/SignIn", status: 200 },
  { url: "/ping", status: 204 },
  { url: "/health", status: 200 },
  { url: "/health/live", status: 200 },
  { url: "/health/ready", status: 200 },
  { url: "/metrics", status: 200 },
  { url: "/metrics", status: 406, headers: { accept: "text/plain;q=0" } },
  { url: "/openapi.json", status: 200 },
  ...["/thresholds.schema.json", "/"].map((url) => ({ url, status: 200 })),
  { url: "/", status: 421, headers: { host: "evil.example" } },
];

const titled = rows.map((row) => {
  return [row.method ?? "GET", row.url.slice(0, 90), row.status, row] as const;
});

test.each(titled)("%s %s returns %d as described", async (_, __, status, row) => {
  expect(await answered(row)).toEqual({ status, complaints: [] });
});

test.each([
  [new UserError("damaged-store", "x"), 500],
  [new UserError("sum-too-large", "x"), 422],
])("a %s while reading returns %d as described", async (error, status) => {
  fault = error;
  const answer = await answered({ url: METRICS, status, headers: KEY });
  fault = undefined;
  expect(answer).toEqual({ status, complaints: [] });
});

test("a server with an unreadable store is not ready, as described", async () => {
  isReady = false;
  const answer = await answered({ url: "/health/ready", status: 503 });
  isReady = true;
  expect(answer).toEqual({ status: 503, complaints: [] });
});

test("every route of the server is described, and nothing else", () => {
  const routed = world.server.routes.map(({ method, path }) => `${method.toLowerCase()} ${path}`);
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method} ${path}`),
  );
  expect(described).toEqual(routed);
});

test("every described success response was tested", () => {
  const tried = rows.map((row) => `${methodOf(row)} ${pathOf(row)} ${row.status}`);
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.keys(responses)
        .filter((status) => status.startsWith("2"))
        .map((status) => `${method} ${path} ${status}`),
    ),
  );
  expect(tried).toEqual(expect.arrayContaining(described));
});

test("the document has the structure of OpenAPI and the program's version", () => {
  expect(document).toMatchObject({
    openapi: "3.1.0",
    info: { title: "Tachograph", version: "1.2.3" },
    servers: [{ url: "/" }],
    components: {
      securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Service-Auth" } },
    },
  });
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const ids = operations.map((operation) => (operation as { operationId?: string }).operationId);
  expect(new Set(ids).size).toBe(operations.length);
});

// Java clients name classes after schemas, and import these beside them: `Test` is JUnit's.
test.each(["Test", "Object", "String", "List", "Map", "Set", "Record", "Response"])(
  "no schema is named %s",
  (name) => {
    expect(document.components.schemas).not.toHaveProperty(name);
  },
);

/** The status of a real response, and its differences from the document. */
async function answered(row: Row): Promise<{ status: number; complaints: unknown }> {
  const { url, method = "GET", headers = {}, payload } = row;
  const body = payload === undefined ? {} : { payload };
  const answer = await world.server.inject({ method, url, headers, ...body });
  const status = answer.statusCode;
  const contentType = String(answer.headers["content-type"]);
  const given = { status, contentType, body: answer.body };
  return { status, complaints: complaintsAbout(pathOf(row), methodOf(row), given) };
}
