import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { UserError } from "../model/errors.ts";
import { ALL_SECONDS } from "../model/columns.ts";
import { readUsers } from "../query/read-users.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import { endpointsOf } from "../../test/support/batches.ts";

const SECOND = 1_795_266_265;
const world = await createTestServer({ settings: { writeBytesMax: 100_000 } });
const key = await world.makeKey("write");
let next = 0;
afterAll(() => world.server.close());

/** A unique k6 request. */
const line = (name: string, tags = ""): string =>
  `http_req_duration,name=${name},status=200${tags} value=5 ${SECOND}${`${++next}`.padStart(9, "0")}\n`;

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString("base64")}`;

interface Sent {
  readonly url?: string;
  readonly headers?: Record<string, string>;
  readonly method?: "GET" | "POST" | "HEAD";
}

async function send(body: string | Uint8Array, { url, headers, method = "POST" }: Sent = {}) {
  const answer = await world.server.inject({
    method,
    url: url ?? "/write?db=live",
    headers: headers ?? { "x-service-auth": key },
    payload: body as Buffer,
  });
  return { status: answer.statusCode, body: answer.body, headers: answer.headers };
}

/** Requests of a load test by label. */
async function stored(loadTestId: string): Promise<Record<string, number>> {
  const snapshot = await world.store.points.snapshot(loadTestId);
  if (snapshot === undefined) return {};
  const counts: Record<string, number> = {};
  for await (const { endpoint, columns } of snapshot.read(
    await endpointsOf(snapshot),
    ALL_SECONDS,
    "sums",
  )) {
    counts[endpoint.label] = columns.requests.reduce((sum, each) => sum + each, 0);
  }
  snapshot.release();
  return counts;
}

describe("a write", () => {
  test("creates the load test that it names and is stored there", async () => {
    expect(await send(line("a") + line("a") + line("b"))).toMatchObject({ status: 204, body: "" });
    expect(await stored("live")).toEqual({ a: 2, b: 1 });
    expect(await world.store.loadTests.find("live")).toMatchObject({ name: "live" });
  });

  test("that is repeated changes nothing", async () => {
    const body = line("a") + line("b");
    const answers = await Promise.all([1, 2, 3].map(() => send(body, { url: "/write?db=again" })));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect((await send(body, { url: "/write?db=again" })).status).toBe(204);
    expect(await stored("again")).toEqual({ a: 1, b: 1 });
  });

  test("may name load tests by tags, which take precedence", async () => {
    const body = line("a") + line("a", ",testid=tagged") + line("b", ",load_test=other,testid=x");
    expect((await send(body, { url: "/write?db=named" })).status).toBe(204);
    expect(await stored("named")).toEqual({ a: 1 });
    expect(await stored("tagged")).toEqual({ a: 1 });
    expect(await stored("other")).toEqual({ b: 1 });
    expect(await stored("x")).toEqual({});
  });

  test("may name load tests by tags that are no ids, which become ids", async () => {
    const names = ["run\\ 7", "run\\ 8", "压测", "压力"];
    const body = names.map((name) => line("a", `,testid=${name}`)).join("");
    expect((await send(body, { url: "/write?db=unused" })).status).toBe(204);
    expect(await stored("run-7")).toEqual({ a: 1 });
    expect(await world.store.loadTests.find("run-7")).toMatchObject({ name: "run 7" });
    expect(await stored("run-8")).toEqual({ a: 1 });
    // By hand: 压 is U+538B, 测 U+6D4B, 力 U+529B.
    expect(await world.store.loadTests.find("u538bu6d4b")).toMatchObject({ name: "压测" });
    expect(await world.store.loadTests.find("u538bu529b")).toMatchObject({ name: "压力" });
    expect(await world.store.loadTests.find("unused")).toBeUndefined();
  });

  test("is taken as InfluxDB 2 does", async () => {
    const url = "/api/v2/write?org=any&bucket=two&precision=ns";
    expect((await send(line("a"), { url })).status).toBe(204);
    expect(await stored("two")).toEqual({ a: 1 });
    const broken = await send("broken", { url });
    expect(broken.status).toBe(400);
    expect(JSON.parse(broken.body)).toEqual({
      code: "invalid",
      message: "partial write: line 1: the source ends inside a line dropped=1",
    });
  });

  test("may be compressed", async () => {
    const headers = { "x-service-auth": key, "content-encoding": "gzip" };
    const body = line("a");
    expect((await send(gzipSync(body), { url: "/write?db=zip", headers })).status).toBe(204);
    // The same bytes uncompressed: a repeated write.
    expect((await send(body, { url: "/write?db=zip" })).status).toBe(204);
    expect(await stored("zip")).toEqual({ a: 1 });
  });

  test("without a measurement creates no load test", async () => {
    expect((await send("# nothing\n", { url: "/write?db=empty" })).status).toBe(204);
    expect(await world.store.loadTests.find("empty")).toBeUndefined();
  });

  test("of several concurrent senders is stored as if sent in sequence", async () => {
    const bodies = Array.from({ length: 40 }, (_, at) => line(`n${at % 4}`) + line("all"));
    const url = "/write?db=several";
    const answers = await Promise.all(bodies.map((body) => send(body, { url })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect(await stored("several")).toEqual({ all: 40, n0: 10, n1: 10, n2: 10, n3: 10 });
  });

  test("records the active users of its sender", async () => {
    const body = `vus value=7 ${SECOND}000000000\n${line("a")}`;
    expect((await send(body, { url: "/write?db=users" })).status).toBe(204);
    const query = { loadTestId: "users", range: ALL_SECONDS };
    const points = await readUsers(world.store.points, query);
    expect(points).toContainEqual({ second: SECOND, users: 7 });
  });
});

describe("what cannot be stored", () => {
  test.each([
    ["name", `${"m".repeat(5000)} x=1`, "1 without a name, or with one of more than 200 bytes"],
    ["field", `cpu ${"f".repeat(5000)}=1`, "1 without a name, or with one of more than 200 bytes"],
    ["tag", `cpu,a=${"t".repeat(5000)} x=1`, "1 with more than 16 tags, or with tags of more"],
  ])("of measures is reported, and the run stays readable: %s", async (id, point, reason) => {
    const answer = await send(`${point}\ncpu x=2,text="kept"\n`, { url: `/write?db=${id}` });
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(
      `partial write: values of measures that were not stored: ${reason}`,
    );
    expect(answer.body).toContain("dropped=1");
    const read = await world.ask(`/Api/LoadTests/${id}`);
    expect(read).toMatchObject({ statusCode: 200 });
    expect(read.body).toContain("values-rejected");
  });

  test("is reported line by line, and the rest is stored", async () => {
    const url = "/write?db=partial";
    const body = `${line("a")}broken\n${line("b", ",testid=..")}${line("c")}`;
    const answer = await send(body, { url });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toEqual({
      error:
        "partial write: line 2: it has neither tags nor fields; line 3: cannot use the tag testid: " +
        'got "..", want 1 to 128 of A-Z a-z 0-9 . _ -, but not . or .. dropped=2',
    });
    expect(await stored("partial")).toEqual({ a: 1, c: 1 });
    const logged = world.logged.findLast(({ event }) => event === "lines_rejected");
    expect(logged).toMatchObject({ level: "warn", loadTestId: "partial", rejected: 2 });
    const metrics = await send("", { method: "GET", url: "/metrics", headers: {} });
    expect(metrics.body).toMatch(/^tachograph_lines_total\{outcome="rejected"\} \d+$/m);
  });

  test.each([
    ["/write", 400, "db is required"],
    ["/write?db=a%20b", 400, "db: expected 1 to 128 of A-Z a-z 0-9 . _ -, but not . or .."],
    ["/write?db=a&precision=h", 400, "precision: expected ns, us, ms or s"],
    ["/api/v2/write?org=a", 400, "bucket is required"],
  ])("%s is %d: %s", async (url, status, words) => {
    const answer = await send(line("a"), { url });
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(words);
  });

  test("is a body over the limit, compressed or not", async () => {
    const large = line("a").repeat(3000);
    expect((await send(large, { url: "/write?db=large" })).status).toBe(413);
    const headers = { "x-service-auth": key, "content-encoding": "gzip" };
    const zipped = await send(gzipSync(large), { url: "/write?db=large", headers });
    expect(zipped.status).toBe(413);
    expect(JSON.parse(zipped.body)).toHaveProperty("error");
    expect(await stored("large")).toEqual({});
  });

  test("is what the store rejects, and the same can be written again later", async () => {
    const broken = await createTestServer({
      dependencies: {
        writeLines: async () => {
          throw new UserError("storage-full", "no room");
        },
      },
    });
    const answer = await broken.server.inject({
      method: "POST",
      url: "/write?db=a",
      headers: { authorization: `Token ${await broken.makeKey("write")}` },
      payload: line("a"),
    });
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toHaveProperty("error");
    await broken.server.close();
  });
});

/** What JMeter sends when configured to send sums only. */
const sums = (count: number): string =>
  `jmeter,transaction=all,statut=all count=${count},avg=1,min=1,max=1 ${SECOND}000000000\n`;

test("caveats about the figures are logged once", async () => {
  const url = "/write?db=noted";
  expect((await send(sums(3), { url })).status).toBe(204);
  expect((await send(sums(4), { url })).status).toBe(204);
  const notes = world.logged.filter(({ event }) => event === "lines_noted");
  expect(notes.filter(({ loadTestId }) => loadTestId === "noted")).toEqual([
    {
      level: "info",
      event: "lines_noted",
      loadTestId: "noted",
      note: "JMeter sent only sums over all labels: set summaryOnly=false in its listener",
    },
  ]);
});

describe("keys", () => {
  test.each([
    ["the usual header", () => ({ headers: { "x-service-auth": key } })],
    ["a password", () => ({ headers: { authorization: basic(`any:${key}`) } })],
    ["a password without a user", () => ({ headers: { authorization: basic(`:${key}`) } })],
    ["a token", () => ({ headers: { authorization: `Token ${key}` } })],
    ["a token with a user", () => ({ headers: { authorization: `Token any:${key}` } })],
    ["a bearer token", () => ({ headers: { authorization: `bearer ${key}` } })],
    ["a parameter", () => ({ headers: {}, url: `/write?db=keys&u=any&p=${key}` })],
    [
      "two places, if it is the same",
      () => ({ headers: { authorization: basic(`a:${key}`) }, url: `/write?db=keys&p=${key}` }),
    ],
  ])("are read from %s", async (_, sent) => {
    expect((await send(line("a"), { url: "/write?db=keys", ...sent() })).status).toBe(204);
  });

  test.each([
    ["none", () => ({ headers: {} }), 401],
    ["an empty password", () => ({ headers: { authorization: basic("any:") } }), 401],
    ["nonsense", () => ({ headers: { authorization: "Digest x" } }), 401],
    ["a wrong one", () => ({ headers: { authorization: `Token ${key}x` } }), 401],
    ["one that may only read", () => ({ headers: { authorization: `Token ${world.key}` } }), 403],
    [
      "two different ones",
      () => ({ headers: { "x-service-auth": key }, url: `/write?db=keys&p=${world.key}` }),
      400,
    ],
  ])("%s: refused", async (_, sent, status) => {
    const answer = await send(line("secret"), { url: "/write?db=keys", ...sent() });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) as string });
    expect(await stored("keys")).not.toHaveProperty("secret");
  });

  test("never come into the log", async () => {
    await send(line("a"), { headers: {}, url: `/write?db=keys&u=any&p=${key}` });
    await send(line("a"), { headers: {}, url: `/write?db=keys&u=any&p=${key}wrong` });
    await send("broken", { headers: {}, url: `/write?db=keys&p=${key}&precision=no` });
    expect(JSON.stringify(world.logged)).not.toContain(key);
    expect(world.logged.at(-1)).toMatchObject({ event: "request", db: "keys", status: 400 });
  });
});

describe("initial calls of clients", () => {
  const made = '{"results":[{"statement_id":0}]}';

  test.each([
    ["POST", "/query?db=&params=%7B%7D&q=CREATE+DATABASE+k6", 200, made],
    ["GET", "/query?q=CREATE%20DATABASE%20k6", 200, made],
    ["GET", "/query?q=DROP%20DATABASE%20k6", 400, "CREATE DATABASE"],
    ["POST", "/query", 400, "CREATE DATABASE"],
    ["GET", "/ping", 204, ""],
    ["HEAD", "/ping", 204, ""],
    ["GET", "/health", 200, '"status":"pass"'],
  ] as const)("%s %s is answered with %d", async (method, url, status, words) => {
    const answer = await world.ask(url, { method, key });
    expect(answer.statusCode).toBe(status);
    expect(answer.body).toContain(words);
  });

  test.each([
    ["q=create%20database%20%22k6%22", 200, made],
    ["q=SHOW+DATABASES", 400, "CREATE DATABASE"],
  ])("the statement may be in a form: %s", async (form, status, words) => {
    const answer = await send(form, { url: "/query" });
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(words);
  });

  test("a statement needs a key and creates nothing", async () => {
    const url = "/query?q=CREATE+DATABASE+made";
    expect((await send("", { url, headers: {} })).status).toBe(401);
    expect((await send("", { url })).status).toBe(200);
    expect(await world.store.loadTests.find("made")).toBeUndefined();
  });
});
