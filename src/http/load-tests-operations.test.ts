import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { InjectOptions } from "light-my-request";
import { expect, test } from "vitest";
import { sample } from "../../test/support/batches.ts";
import { createTestServer, type TestServerOptions } from "../../test/support/test-server.ts";

const HEADER = "timeStamp,elapsed,label,success,bytes\n";
const ROWS = "1700000000000,100,cart,true,10\n1700000001000,300,cart,false,30\n";

interface Reply {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
  // Compares bodies of any shape as a whole.
  readonly body: Record<string, unknown>;
}

async function openWorld(options: TestServerOptions = {}) {
  const world = await createTestServer(options);
  const keys = { read: world.key, write: await world.makeKey("read", "write") };
  const ask = async (
    method: "GET" | "HEAD" | "POST" | "PATCH" | "DELETE",
    url: string,
    { payload, headers, scope = "write" }: Ask = {},
  ): Promise<Reply> => {
    const answer = await world.ask(url, { method, key: keys[scope], headers, payload });
    const isJson = /json/.test(String(answer.headers["content-type"]));
    const body = isJson && answer.body !== "" ? (answer.json() as Record<string, unknown>) : {};
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, body };
  };
  return { ...world, ask };
}

interface Ask {
  readonly payload?: NonNullable<InjectOptions["payload"]>;
  readonly headers?: Record<string, string>;
  readonly scope?: "read" | "write";
}

const RUN = {
  id: "run",
  name: "name of run",
  tags: [],
  pinned: false,
  environment: null,
  description: null,
  properties: {},
  links: {},
  createdAt: "1970-01-01T00:00:00.001Z",
  finishedAt: null,
  endpoints: 1,
  requests: 1,
  failedRequests: 0,
  from: 1_700_000_000,
  until: 1_700_000_000,
  secondsPerPoint: 1,
  formats: [],
};

test("load tests are created, shown, listed, changed and deleted", async () => {
  const { ask } = await openWorld({ samples: [sample("a", 1_700_000_000)] });
  const created = await ask("POST", "/Api/LoadTests", {
    payload: {
      id: "nightly",
      name: "Night",
      tags: ["b", "a"],
      pinned: true,
      environment: "staging",
      description: "pool of 5",
      properties: { commit: "ab12" },
      links: { build: "https://ci.example.org/7" },
    },
  });
  expect(created).toMatchObject({ status: 201, headers: { location: "/Api/LoadTests/nightly" } });
  const nightly = {
    id: "nightly",
    name: "Night",
    tags: ["a", "b"],
    pinned: true,
    environment: "staging",
    description: "pool of 5",
    properties: { commit: "ab12" },
    links: { build: "https://ci.example.org/7" },
    createdAt: "2026-11-21T12:00:00.000Z",
    finishedAt: null,
    lastDataAt: null,
    endpoints: 0,
    requests: 0,
    failedRequests: 0,
    from: null,
    until: null,
    secondsPerPoint: 1,
    formats: [],
  };
  expect(created.body).toEqual(nightly);
  const listed = await ask("GET", "/Api/LoadTests", { scope: "read" });
  expect(listed.body).toMatchObject({ loadTests: [nightly, RUN], next: null });
  const changed = await ask("PATCH", "/Api/LoadTests/nightly", {
    payload: {
      name: "Day",
      removeTags: ["a"],
      addTags: ["c"],
      pinned: false,
      environment: null,
      description: null,
      links: {},
      finished: true,
    },
  });
  const removed = { pinned: false, environment: null, description: null, links: {} };
  const day = { ...nightly, name: "Day", tags: ["b", "c"], ...removed };
  expect(changed.body).toEqual({ ...day, finishedAt: "2026-11-21T12:00:00.000Z" });
  const shown = await ask("GET", "/api/loadtests/nightly", { scope: "read" });
  expect(shown.body).toEqual({ ...changed.body, sources: [], quality: [] });
  expect(await ask("DELETE", "/Api/LoadTests/nightly")).toMatchObject({ status: 204, text: "" });
  expect(await ask("GET", "/Api/LoadTests/nightly")).toMatchObject({ status: 404 });
  expect(await ask("DELETE", "/Api/LoadTests/nightly")).toMatchObject({ status: 404 });
});

test("a list can be searched and has linked pages", async () => {
  const { ask } = await openWorld();
  for (const id of ["1", "2", "3"]) {
    await ask("POST", "/Api/LoadTests", { payload: { id: `night-${id}`, tags: [`t${id}`] } });
  }
  const first = await ask("GET", "/Api/LoadTests?search=NIGHT&limit=2");
  expect(ids(first)).toEqual(["night-1", "night-2"]);
  const next = encodeURIComponent(String(first.body["next"]));
  const second = await ask("GET", `/Api/LoadTests?search=NIGHT&limit=2&after=${next}`);
  expect([ids(second), second.body["next"]]).toEqual([["night-3"], null]);
  expect(ids(await ask("GET", "/Api/LoadTests?tag=t2"))).toEqual(["night-2"]);
});

function ids({ body }: Reply): unknown {
  return (body["loadTests"] as { id: string }[]).map(({ id }) => id);
}

test("a response about load tests is cacheable until one of them changes", async () => {
  const { ask } = await openWorld();
  const { etag } = (await ask("GET", "/Api/LoadTests/run")).headers;
  const headers = { "if-none-match": String(etag) };
  expect(await ask("GET", "/Api/LoadTests/run", { headers })).toMatchObject({ status: 304 });
  await ask("PATCH", "/Api/LoadTests/run", { payload: { pinned: true } });
  expect(await ask("GET", "/Api/LoadTests/run", { headers })).toMatchObject({ status: 200 });
});

test.each<["POST" | "PATCH" | "DELETE", string]>([
  ["POST", "/Api/LoadTests"],
  ["PATCH", "/Api/LoadTests/run"],
  ["DELETE", "/Api/LoadTests/run"],
  ["POST", "/Api/LoadTests/run/Results"],
])("%s %s needs a key with the write scope", async (method, url) => {
  const { ask, store } = await openWorld();
  const before = await store.loadTests.list();
  const request = { payload: method === "DELETE" ? "" : "{}", scope: "read" } as const;
  expect(await ask(method, url, request)).toMatchObject({
    status: 403,
    body: { detail: "the key may not write; it needs the scope write" },
  });
  const headers = { "x-service-auth": "tgk_none" };
  expect(await ask(method, url, { ...request, headers })).toMatchObject({ status: 401 });
  expect(await store.loadTests.list()).toEqual(before);
});

test.each<readonly [string, Refused]>([
  ["a taken id", { path: "", payload: { id: "run" }, is: "409 load-test-exists" }],
  ["an id that is none", { path: "", payload: { id: "a b" }, is: "400 bad-load-test-id" }],
  ["a blank name", { path: "", payload: { name: " " }, is: "400 bad-parameter" }],
  ["a member of another kind", { path: "", payload: { name: 7 }, is: "400 bad-parameter" }],
  ["a member that is none", { path: "/run", payload: { createdAt: 1 }, is: "400 bad-parameter" }],
  ["a bad tag", { path: "/run", payload: { addTags: ["a,b"] }, is: "400 bad-parameter" }],
  ["an unknown load test", { path: "/no", payload: { name: "a" }, is: "404 unknown-load-test" }],
  ["a path upwards", { path: "/..%2F..%2Fetc", is: "404 unknown-load-test" }],
  ["a page that was none", { path: "?after=x", is: "400 bad-parameter" }],
  ["a limit of nothing", { path: "?limit=0", is: "400 bad-parameter" }],
])("%s is refused", async (_, { path, payload, is }) => {
  const { ask } = await openWorld();
  const withBody = path === "" ? "POST" : "PATCH";
  const method = payload === undefined ? "GET" : withBody;
  const request = payload === undefined ? {} : { payload };
  const answer = await ask(method, `/Api/LoadTests${path}`, request);
  expect(refusalIn(answer)).toBe(is);
  expect(answer.text).not.toMatch(/\.ts|\/src\/|    at /);
});

interface Refused {
  readonly path: string;
  readonly payload?: object;
  /** Status and code. */
  readonly is: string;
}

function refusalIn({ status, body }: Reply): string {
  return `${status} ${String(body["type"]).replace("urn:tachograph:error:", "")}`;
}

test("a file is uploaded, reported and read back; the same bytes again change nothing", async () => {
  const { ask } = await openWorld();
  const url = "/Api/LoadTests/upload-1/Results?file=a.jtl.gz&name=From%20CI";
  const plain = `${HEADER}${ROWS}oops\n`;
  const payload = gzipSync(plain);
  const headers = { "content-encoding": "gzip", "content-type": "application/gzip" };
  const report = {
    loadTestId: "upload-1",
    format: "jmeter-csv",
    source: "a.jtl.gz",
    samples: { read: 3, recorded: 2, rejected: 1 },
    endpoints: 1,
    from: 1_700_000_000,
    until: 1_700_000_001,
    rejections: [{ line: 4, byte: HEADER.length + ROWS.length, reason: expect.any(String) }],
    truncatedAt: null,
    alreadyImported: false,
    notes: [],
    elapsedSeconds: 0,
  };
  const uploaded = await ask("POST", url, { payload, headers });
  expect(uploaded).toMatchObject({ status: 201, body: report });
  expect(await ask("POST", url, { payload, headers })).toMatchObject({
    status: 200,
    body: { ...report, alreadyImported: true },
  });
  expect((await ask("GET", "/Api/LoadTests/upload-1")).body).toMatchObject({
    name: "From CI",
    requests: 2,
    failedRequests: 1,
    sources: [{ name: "a.jtl.gz", format: "jmeter-csv", sizeBytes: plain.length }],
  });
  const metrics = await ask("GET", "/Api/Metrics?loadTestId=upload-1&filter=cart&format=csv");
  expect(metrics.text).toContain('["1700000000","0.1","1","10","0","0","0"]');
});

test("parameters of an upload control how the file is read", async () => {
  const { ask } = await openWorld();
  const local = "timeStamp,elapsed,label,success\n2023/11/14 23:13:20.000,5,a,true\n";
  const inBerlin = "timezone=Europe/Berlin&format=jmeter-csv";
  await ask("POST", `/Api/LoadTests/run/Results?${inBerlin}`, { payload: local });
  const zoned = await ask("GET", "/Api/Metrics?loadTestId=run&filter=a&format=csv");
  expect(zoned.text).toContain('["1700000000","0.005"');
  const columns = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read";
  const relative = `${columns},status-code,offset\n0.25,0,0,0,0.25,0,200,2.5\n`;
  const labelled = "startedAt=2023-11-14T22:13:20Z&label=GET%20/cart";
  await ask("POST", `/Api/LoadTests/run/Results?${labelled}`, { payload: relative });
  const named = await ask("GET", "/Api/Metrics?loadTestId=run&filter=GET%20/cart&format=csv");
  expect(named.text).toMatch(/\["170000000[0-9]","0.25"/);
});

test("an upload folds URL labels, which are then queried in their stored form", async () => {
  const { ask } = await openWorld();
  const rows = ["/users/1", "/users/2?tab=x", "/static/a/b.js"].map(
    (label) => `1700000000000,100,GET ${label},true,10\n`,
  );
  const rules = "groupUrls=true&group=/none/*,/static/**";
  const { status } = await ask("POST", `/Api/LoadTests/run/Results?${rules}`, {
    payload: HEADER + rows.join(""),
  });
  expect(status).toBe(201);
  const { text } = await ask("GET", "/Api/Metrics?loadTestId=run&filter={id}&format=csv");
  expect((JSON.parse(text) as { label: string }[]).map(({ label }) => label)).toEqual([
    "GET /users/{id}",
    "GET /users/{id}?tab={id}",
  ]);
  const hash = createHash("sha1").update("GET /static/**").digest("hex");
  const named = await ask("GET", `/Api/Metrics?loadTestId=run&hash=${hash}&format=csv`);
  expect(JSON.parse(named.text)).toMatchObject([{ hash, label: "GET /static/**" }]);
});

/** The bytes of a gzip file of rows, one bit of its checksum flipped. */
function damagedGzip(rows: string): Buffer {
  const bytes = gzipSync(HEADER + rows);
  const at = bytes.length - 7;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return bytes;
}

test.each([
  ["a rule that is none", "?group=/a/*,b", HEADER, "400 bad-parameter"],
  ["a grouping that is neither", "?groupUrls=yes", HEADER, "400 bad-parameter"],
  ["no result file", "", "<!doctype html><p>Sign in", "422 unreadable-source"],
  ["nothing", "", "", "422 unreadable-source"],
  ["a gzip file whose checksum is wrong", "", damagedGzip(ROWS), "422 unreadable-source"],
  ["a large one", "", damagedGzip(ROWS.repeat(50_000)), "422 unreadable-source"],
  ["an unknown format", "?format=nope", HEADER, "400 bad-parameter"],
  ["an unknown zone", "?timezone=Nowhere", HEADER, "400 bad-parameter"],
  ["a time that is none", "?startedAt=now", HEADER, "400 bad-parameter"],
  ["a name that is none", "?name=%0A", HEADER, "400 bad-parameter"],
])("an upload of %s is rejected and creates no load test", async (_, query, payload, refusal) => {
  const { ask } = await openWorld();
  const headers = { "content-length": String(payload.length) };
  const answer = await ask("POST", `/Api/LoadTests/new/Results${query}`, { payload, headers });
  expect(refusalIn(answer)).toBe(refusal);
  expect(await ask("GET", "/Api/LoadTests/new")).toMatchObject({ status: 404 });
});

test("an upload to an invalid id is rejected", async () => {
  const { ask } = await openWorld();
  const answer = await ask("POST", "/Api/LoadTests/a%20b/Results", { payload: HEADER + ROWS });
  expect(refusalIn(answer)).toBe("400 bad-load-test-id");
});

test("labels are chosen by at most 100 patterns in each list, and by any number of whole labels", async () => {
  const { ask } = await openWorld();
  const labels = Array.from({ length: 101 }, (_, index) => `label ${index}`);
  const patterns = labels.map((label) => `${label}*`);
  const change = (payload: object) => ask("PATCH", "/Api/LoadTests/run", { payload });
  const refused = await change({ ignore: patterns });
  expect(refused.status).toBe(400);
  expect(refused.body["detail"]).toContain("ignore: got 101 labels with *, expected at most 100");
  const both = { measure: [...labels, ...patterns.slice(1)], ignore: patterns.slice(1) };
  expect(await change(both)).toMatchObject({ status: 200 });
  const list = encodeURIComponent(patterns.join());
  const upload = await ask("POST", `/Api/LoadTests/run/Results?measure=${list}`, {
    payload: `${HEADER}${ROWS}`,
  });
  expect(upload.status).toBe(400);
});

const DEEP = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;

test.each([
  ['{"properties":{"commit":5}}', "properties.commit: expected a string, got 5"],
  ['{"properties":["a"]}', 'properties: expected an object, got ["a"]'],
  ['{"links":{"ticket":["https://a.example"]}}', "links.ticket: expected a string, got"],
  ['{"links":["https://a.example"]}', "links: expected an object, got"],
  [`{"links":${DEEP}}`, "links: expected an object, got [[…]]"],
  [`{"properties":${DEEP}}`, "properties: expected an object, got [[…]]"],
])("properties and links are texts by key (%#)", async (payload, detail) => {
  const { ask } = await openWorld();
  const headers = { "content-type": "application/json" };
  const changed = await ask("PATCH", "/Api/LoadTests/run", { payload, headers });
  const made = await ask("POST", "/Api/LoadTests", { payload, headers });
  expect([changed.status, made.status]).toEqual([400, 400]);
  expect(changed.body["detail"]).toContain(detail);
});
