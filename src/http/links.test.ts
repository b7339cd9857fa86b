import { gunzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { batchOf, COMPLETE, published, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import { sampleOf } from "../model/samples/request-sample.ts";
import type { Route } from "./route.ts";

const AT = 1_700_000_000;
/** In the id, name, label, tag and thresholds of the load test that no link opens. */
const HIDDEN = "hidden";

const world = await createTestServer({
  samples: [sample("GET /own", AT)],
  settings: { traceUrl: "https://traces.internal/{traceId}" },
});
const writer = await world.makeKey("read", "write");
const reader = world.key;

beforeAll(async () => {
  for (const id of ["base", HIDDEN]) {
    const name = id === HIDDEN ? HIDDEN : "name of run";
    await world.store.loadTests.create({ ...loadTest(id), name, tags: [id] });
    const batch = batchOf([sample(`GET /${id}`, AT - 60), sample("GET /own", AT - 60)]);
    await world.store.points.append({ ...batch, loadTestId: id });
  }
  for (const id of ["run", HIDDEN]) {
    const file = world.store.files.begin({ loadTestId: id, id: "x", name: `${id}.txt` });
    await file.write(Buffer.from(`file of ${id}`));
    await file.finish();
  }
  await world.store.thresholds.keep(HIDDEN, '{"thresholds":[{"failIf":["errors > 7%"]}]}');
});

async function ask(key: string, url: string, method = "GET", payload?: object) {
  const headers = { "x-service-auth": key };
  const request = { method: method as "GET", url, headers };
  const answer = await world.server.inject(
    payload === undefined ? request : { ...request, payload },
  );
  return { status: answer.statusCode, text: answer.body, headers: answer.headers };
}

let links = 0;

async function makeLink(payload: object): Promise<{ key: string; name: string; path: string }> {
  const name = `link ${++links}`;
  const { status, text } = await ask(writer, "/Api/Links", "POST", { name, ...payload });
  expect(status).toBe(201);
  return JSON.parse(text) as { key: string; name: string; path: string };
}

const toRun = (): ReturnType<typeof makeLink> => makeLink({ loadTestId: "run", files: true });

/** A good request of a route, about a load test. */
function urlOf({ path, parameters = [] }: Route, id: string): string {
  const about = new Map([
    ["loadTestId", id],
    ["base", id],
    ["runs", id],
    ["name", id === HIDDEN ? HIDDEN : "name of run"],
    ["filter", "GET"],
    ["measure", "latency"],
    ["id", id],
  ]);
  const query = new URLSearchParams();
  for (const { name, required, in: place, example = "x" } of parameters) {
    const value = about.get(name) ?? (required ? String(example) : undefined);
    const isMeant = required || /^(name|file|db|bucket)$/.test(name) || path === "/Api/Metrics";
    if (place !== "path" && value !== undefined && isMeant) query.set(name, value);
  }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(about.get(name) ?? "x"),
  );
  return `${filled}?${query}`;
}

const keyed = world.server.routes.filter(({ scope }) => scope !== undefined && scope !== "any");
const reads = keyed.filter(({ scope }) => scope === "read");

test("a link is created once, listed without its key, and leads into the page", async () => {
  const { key, path } = await makeLink({ loadTestId: "run", base: "base", expiresDays: 30 });
  expect(key).toMatch(/^tgl_[0-9A-Za-z]{36}$/);
  expect(path).toBe(`/compare/base/run#${key}`);
  const { text } = await ask(writer, "/Api/Links");
  expect(text).toContain('"loadTestId":"run","base":"base"');
  expect(text).not.toContain(key.slice(4, 20));
  expect((await ask(await world.makeKey("admin"), "/Api/Keys")).text).not.toContain("link ");
});

/** Of a request about one run; to compare runs, two are needed. */
function statusOf({ operationId }: Route): number {
  return ["compareRuns", "getComparisonReport"].includes(operationId ?? "") ? 400 : 200;
}

test.each(reads.map((route) => [route.operationId, route] as const))(
  "%s answers the owner",
  async (_, route) => {
    expect((await ask(reader, urlOf(route, HIDDEN))).status).toBe(statusOf(route));
  },
);

test.each(reads.map((route) => [route.operationId, route] as const))(
  "through a link, %s knows its load test and no other",
  async (_, route) => {
    const { key } = await toRun();
    // Answers for the owner are in the caches.
    for (const id of [HIDDEN, "run"]) await ask(reader, urlOf(route, id));
    const { status, text } = await ask(key, urlOf(route, HIDDEN));
    expect([404, route.path.includes("{id}") ? 404 : statusOf(route)]).toContain(status);
    // An error repeats the id that was asked for.
    expect(status === 200 ? text : "").not.toMatch(/hidden|errors > 7%/);
    expect((await ask(key, urlOf(route, HIDDEN), "HEAD")).status).toBe(status);
    const own = await ask(key, urlOf(route, "run"));
    expect(own.status).toBe(statusOf(route));
    expect(own.text).not.toMatch(/hidden|GET \/base/);
  },
);

test.each(
  keyed
    .filter((route) => !reads.includes(route))
    .map((route) => [route.operationId, route] as const),
)("a link may not call %s", async (_, route) => {
  const { key } = await toRun();
  expect((await ask(key, urlOf(route, "run"), route.method)).status).toBe(403);
});

test("a link names files without the folders that they were imported from", async () => {
  const names = ["/home/ada/secret/a/run.jtl", "/home/ada/secret/b/run.jtl"];
  await world.store.loadTests.create(loadTest("named"));
  for (const [at, name] of names.entries()) {
    const source = { ...published(`s${at}`, "named"), name, digest: `gmac:${`${at}`.repeat(32)}` };
    const { sourceId, loadTestId } = source;
    await world.store.points.append({
      ...batchOf([sample("GET /own", AT)]),
      sourceId,
      loadTestId,
      visibility: "staged",
    });
    const quality = { ...COMPLETE, truncatedAtByte: 7 };
    await world.store.points.publish({ ...source, quality }, []);
  }
  const { key } = await makeLink({ loadTestId: "named" });
  const run = await ask(key, "/Api/LoadTests/named");
  expect(run.text).toContain('\\"a/run.jtl\\" ends early');
  expect(JSON.parse(run.text)).toMatchObject({
    sources: [{ name: "a/run.jtl" }, { name: "b/run.jtl" }],
  });
  for (const { text } of [run, await ask(key, "/Api/LoadTests/named/Report")]) {
    expect(text).not.toContain("secret");
  }
});

/** What the document of a report contains, as text. */
function packedIn(text: string): string {
  const [, packed] = /<script>([A-Za-z0-9+/=]+)</.exec(text) ?? [];
  return packed === undefined ? "" : gunzipSync(Buffer.from(packed, "base64")).toString();
}

/** Of people who are signed in, the name of the key is their e-mail address. */
const AUTHOR = "ada@example.com";

test("a link shows notes, files and thresholds without who made them and where servers are", async () => {
  const name = "told";
  const note = { atMs: AT * 1000, text: "a deploy", author: AUTHOR };
  for (const id of ["told", "told-base"]) {
    await world.store.loadTests.create({ ...loadTest(id), name });
    await world.store.loadTests.update(id, { addedEvents: [note], finishedAtMs: AT * 1000 });
    const details = { timeMs: AT * 1000, elapsedMicros: 1000, traceId: "ab12" };
    const samples = [{ label: "GET /own", ...sampleOf(details, (text) => text) }];
    await world.store.points.append(batchOf([sample("GET /own", AT)], { loadTestId: id, samples }));
    const file = { loadTestId: id, id: "x", name: "a.txt", author: AUTHOR };
    const bytes = world.store.files.begin(file);
    await bytes.write(Buffer.from("bytes"));
    await bytes.finish();
  }
  const pull = [{ prometheus: "http://prometheus.internal:9090", queries: ["up{secret=1}"] }];
  const thresholds = { thresholds: [{ failIf: ["errors > 5%"], owner: AUTHOR }], pull };
  await world.store.thresholds.keep(name, JSON.stringify(thresholds));
  const link = await makeLink({ loadTestId: "told", base: "told-base", files: true });
  const run = "/Api/LoadTests/told";
  for (const [url, told] of [
    [`${run}/Events`, "a deploy"],
    [`${run}/Files`, "a.txt"],
    [`${run}/Samples`, "ab12"],
    [`${run}/Verdict`, "errors > 5%"],
    [`${run}/Events/Stream`, "event: data"],
    [`/Api/Thresholds/${name}`, "errors > 5%"],
    [`${run}/Compare?base=told-base`, "told"],
    ["/Api/Compare?runs=told,told-base", "a deploy"],
    ["/Api/Compare/Report?runs=told,told-base", "told"],
    [`${run}/Report?samples=true`, "told"],
    [run, "told"],
  ] as const) {
    const { status, text } = await ask(link.key, url);
    expect([url, status]).toEqual([url, 200]);
    const all = text + packedIn(text);
    expect(all).toContain(told);
    expect(all).not.toMatch(/ada@example|internal|secret|"author"/);
  }
  for (const [url, told] of [
    [`${run}/Events`, AUTHOR],
    [`${run}/Samples`, "traces.internal"],
    [`/Api/Thresholds/${name}`, "prometheus.internal"],
  ] as const) {
    expect((await ask(reader, url)).text).toContain(told);
  }
});

test("a link to a comparison opens both, with the verdicts that its maker sees", async () => {
  for (const n of [1, 2, 3, 4]) {
    const id = `earlier-${n}`;
    await world.store.loadTests.create({ ...loadTest(id), name: "name of run" });
    const batch = batchOf([sample("GET /own", AT - 3600 * n, 1000 * n)]);
    await world.store.points.append({ ...batch, loadTestId: id });
  }
  const { key } = await makeLink({ loadTestId: "run", base: "base" });
  const several = (ids: string) => ask(key, `/Api/Compare?runs=${ids}`);
  expect((await several("base,run")).status).toBe(200);
  expect((await several(`base,${HIDDEN}`)).status).toBe(404);
  const url = "/Api/LoadTests/run/Compare?base=base";
  const own = await ask(reader, url);
  expect(own.text).toContain('"kind":"between"');
  const shared = await ask(key, url);
  expect(shared.text).toBe(own.text);
  expect((await ask(key, "/Api/LoadTests/base")).status).toBe(200);
  expect((await ask(key, "/Api/LoadTests/earlier-1")).status).toBe(404);
  expect((await ask(key, "/Api/LoadTests")).text).not.toContain("earlier");
  // A link to one load test says nothing of earlier ones.
  const alone = await ask((await toRun()).key, "/Api/LoadTests/run/Compare?base=run");
  expect(alone.text).toContain('"kind":"within"');
});

/** Which of the two that links open are found, and how many load tests are unknown. */
async function searched(key: string, search: string) {
  const { text } = await ask(key, `/Api/LoadTests?search=${encodeURIComponent(search)}`);
  const { loadTests, unknown = 0 } = JSON.parse(text) as {
    readonly loadTests: readonly { readonly id: string }[];
    readonly unknown?: number;
  };
  return [loadTests.map(({ id }) => id).filter((id) => ["run", "base"].includes(id)), unknown];
}

test("a search of a link by a percentile finds what it finds in the project, and computes it once", async () => {
  const { key } = await makeLink({ loadTestId: "run", base: "base" });
  for (const [search, ids] of [
    ["p95<1h", ["run", "base"]],
    ["p95>1h", []],
  ] as const) {
    expect(await searched(key, search)).toEqual([ids, 0]);
    expect(await searched(reader, search)).toEqual([ids, 0]);
  }
});

test("a link shows the verdict that its maker sees, without the baseline that it does not open", async () => {
  const about = { name: "judged", tags: [] };
  for (const [id, millis] of [["slow", 40] as const, ["pinned", 20] as const]) {
    await world.store.loadTests.create({ ...loadTest(id), ...about });
    const samples = Array.from({ length: 600 }, (_, at) =>
      sample("GET /own", AT + at, millis * 1000),
    );
    await world.store.points.append(batchOf(samples, { loadTestId: id }));
  }
  await world.store.loadTests.update("pinned", { addedTags: ["baseline"] });
  const thresholds = [{ failIf: ["avg grows > 50%"] }];
  await world.store.thresholds.keep("judged", JSON.stringify({ thresholds }));
  const url = "/Api/LoadTests/slow/Verdict";
  const own = JSON.parse((await ask(reader, url)).text) as object;
  expect(own).toMatchObject({ fails: true, against: "pinned" });
  const { key } = await makeLink({ loadTestId: "slow" });
  const shared = await ask(key, url);
  expect(JSON.parse(shared.text)).toEqual({ ...own, against: null, isAgainstHidden: true });
  expect(shared.text).not.toContain("pinned");
  const both = await makeLink({ loadTestId: "slow", base: "pinned" });
  expect(JSON.parse((await ask(both.key, url)).text)).toEqual(own);
});

test("a revoked link gets 404 from its next request on, repeated heads included", async () => {
  const { key, name } = await toRun();
  const url = "/Api/LoadTests/run/Summary";
  for (const _ of [1, 2, 3]) expect((await ask(key, url)).status).toBe(200);
  const { headers } = await ask(key, url);
  const path = `/Api/Links/${encodeURIComponent(name)}`;
  expect((await ask(writer, path, "DELETE")).status).toBe(200);
  expect((await ask(writer, path, "DELETE")).status).toBe(200);
  for (const each of [url, "/Api/CurrentKey", "/Api/LoadTests"]) {
    const { status, text } = await ask(key, each);
    expect(status).toBe(404);
    expect(text).toContain("urn:tachograph:error:unknown-link");
  }
  expect(
    (await world.ask(url, { key, headers: { "if-none-match": String(headers["etag"]) } }))
      .statusCode,
  ).toBe(404);
});

test("a link starts no session, and the names of keys are no links", async () => {
  const { key } = await toRun();
  expect((await ask(key, "/Api/Session", "POST")).status).toBe(401);
  await world.ring.create({ name: "robot", scopes: ["read"], expiresAtMs: undefined });
  expect((await ask(writer, "/Api/Links/robot", "DELETE")).status).toBe(404);
  const admin = await world.makeKey("admin");
  expect((await ask(admin, "/Api/Keys/link%201", "DELETE")).status).toBe(404);
});

test.each([1, -86_400_000])(
  "a load test made %d ms later with the id of a deleted one is another",
  async (ms) => {
    const atMs = Date.now();
    await world.store.loadTests.create(loadTest("again", atMs));
    const { key } = await makeLink({ loadTestId: "again" });
    expect((await ask(key, "/Api/LoadTests/again")).status).toBe(200);
    await world.store.loadTests.delete("again");
    await world.store.loadTests.create(loadTest("again", atMs + ms));
    expect((await ask(key, "/Api/LoadTests/again")).status).toBe(404);
    await world.store.loadTests.delete("again");
  },
);

test("a key that may not read makes no link that reads", async () => {
  const payload = { name: "x", loadTestId: "run" };
  const answer = await ask(await world.makeKey("write"), "/Api/Links", "POST", payload);
  expect(answer.status).toBe(403);
});

test.each([
  ["of nothing", { name: "x", loadTestId: "none" }, 404],
  ["with an unknown base", { name: "x", loadTestId: "run", base: "none" }, 404],
  ["with itself", { name: "x", loadTestId: "run", base: "run" }, 400],
  ["without a name", { name: " ", loadTestId: "run" }, 400],
  ["without a load test", { name: "x" }, 400],
])("a link %s is refused", async (_, payload, status) => {
  expect((await ask(writer, "/Api/Links", "POST", payload)).status).toBe(status);
});

test.each([1, 2])(
  "a link does not show a load test that gets the id while it reads (read %i)",
  async (read) => {
    const { store, ring, server } = await createTestServer({ samples: [sample("GET /own", AT)] });
    const opens = { loadTestIds: ["run"], loadTestTimesMs: [loadTest().createdAtMs] };
    const key = await ring.create({
      name: "l",
      scopes: ["read"],
      expiresAtMs: undefined,
      ...opens,
    });
    const points = { ...store.points };
    let opened = 0;
    Object.assign(store.points, {
      async snapshot(id: string) {
        if (++opened === read) {
          await store.loadTests.delete("run");
          await store.loadTests.create(loadTest("run", 2));
          await store.points.append(batchOf([sample(`GET /${HIDDEN}`, AT)]));
        }
        return points.snapshot(id);
      },
    });
    const url = "/Api/LoadTests/run/Summary";
    const answer = await server.inject({ url, headers: { "x-service-auth": key } });
    expect(opened).toBe(2);
    expect(answer.body).not.toContain(HIDDEN);
  },
);
