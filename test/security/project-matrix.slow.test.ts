import { describe, expect, test, vi } from "vitest";
import { batchOf, sample } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { createTestServer } from "../support/test-server.ts";
import { type Scope, SCOPES } from "../../src/model/access-key.ts";
import { encodeBatch } from "../../src/wire/batch.ts";
import type { Route } from "../../src/http/route.ts";
import { writeRequest } from "../support/remote-write.ts";

/** In the id, name, label, tag and thresholds of the load test of others, and in the names of their key and link. */
const SECRET = "secret";

/** Of others, too: what compares runs wants two. */
const EARLIER = "secret-earlier";

const AT = 1_700_000_000;

const FILE = {
  name: "a.jtl",
  format: "jmeter-csv",
  sizeBytes: 7,
  digest: `gmac:${"0".repeat(32)}`,
};

const QUALITY = {
  unrecorded: [],
  untimedRequests: 0,
  averagedRequests: 0,
  windowSeconds: 1,
  rejectedRows: 0,
};

const REMOTE_WRITE = { "content-type": "application/x-protobuf", "content-encoding": "snappy" };

type Project = string | undefined;

/** A server with a load test, thresholds, a key and a link of a project. */
async function openWorld(owner: Project) {
  const world = await createTestServer();
  await world.store.loadTests.delete("run");
  const { files, loadTests, points, thresholds } = world.store.within({ project: owner });
  await loadTests.create({ ...loadTest(SECRET), name: SECRET, tags: [SECRET] });
  const batch = batchOf([sample("GET /secret", AT), sample("GET /", AT + 1)]);
  await points.append({ ...batch, loadTestId: SECRET });
  await loadTests.create({ ...loadTest(EARLIER), name: EARLIER });
  await points.append({ ...batch, loadTestId: EARLIER });
  const file = files.begin({ loadTestId: SECRET, id: "a.jtl", name: SECRET });
  await file.write(Buffer.from(SECRET));
  await file.finish();
  await thresholds.keep(SECRET, '{"thresholds":[{"failIf":["errors > 7%"]}]}');
  const common = { expiresAtMs: undefined, project: owner };
  const key = await world.ring.create({ ...common, name: "key-secret", scopes: ["admin"] });
  const link = {
    name: "link-secret",
    scopes: ["read"],
    loadTestIds: [SECRET],
    opensFiles: true,
  } as const;
  await world.ring.create({ ...common, ...link });
  const ask = async (sent: string, route: Route) => {
    const { inject } = world.server;
    const type = route.operationId === "writeRemote" ? REMOTE_WRITE : undefined;
    const headers = { "x-service-auth": sent, "x-load-test": SECRET, ...type };
    const payload = payloadOf(route);
    const request = { method: route.method, url: urlOf(route), headers };
    const answer = await inject(payload === undefined ? request : { ...request, payload });
    return { status: answer.statusCode, text: answer.body };
  };
  const keys = new Map<Scope, Promise<string>>();
  /** One for each scope, always of the same project. */
  const keyOf = (project: Project, scope: Scope): Promise<string> => {
    const about = { name: `stranger-${scope}`, expiresAtMs: undefined, project };
    const made = keys.get(scope) ?? world.ring.create({ ...about, scopes: [scope] });
    keys.set(scope, made);
    return made;
  };
  /** All that the owner has. */
  const owned = async (): Promise<string> => {
    const routes = world.server.routes.filter(
      ({ method, scope }) => method === "GET" && scope !== undefined && scope !== "any",
    );
    const answers = await Promise.all(routes.map((route) => ask(key, route)));
    return JSON.stringify(answers.map(({ status, text }) => [status, withoutTimes(text)]));
  };
  return { ask, keyOf, owned };
}

/** Varies with the time and the request. */
function withoutTimes(text: string): string {
  return text
    .replaceAll(/"(instance|lastUsedAt|createdAt)":("[^"]*"|null)/g, "")
    .replaceAll(/"madeAt\w*":[^,}]*/g, "");
}

function nameAt(path: string): string {
  if (path.includes("Keys")) return "key-secret";
  return path.includes("Links") ? "link-secret" : SECRET;
}

/** A good request of a route, about the load test of the others. */
function urlOf(route: Route): string {
  if (["compareRuns", "getComparisonReport"].includes(route.operationId ?? ""))
    return `${route.path}?runs=${SECRET},${EARLIER}`;
  return urlWithParameters(route);
}

function urlWithParameters({ path, parameters = [] }: Route): string {
  const about = new Map([
    ["loadTestId", SECRET],
    ["base", SECRET],
    ["name", nameAt(path)],
    ["filter", "GET"],
    ["id", SECRET],
    ["db", SECRET],
    ["bucket", SECRET],
    ["sourceId", "sender"],
    ["file", "a.jtl"],
    ["sizeBytes", String(FILE.sizeBytes)],
    ["digest", FILE.digest],
  ]);
  const query = new URLSearchParams(path === "/query" ? { q: "CREATE DATABASE a" } : {});
  for (const { name, required, in: place, example = "x" } of parameters) {
    const value = about.get(name) ?? (required ? String(example) : undefined);
    const isMeant = required || /^(name|file|db|bucket)$/.test(name) || path === "/Api/Metrics";
    if (place !== "path" && value !== undefined && isMeant) query.set(name, value);
  }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => about.get(name) ?? "x");
  return `${filled}?${query}`;
}

const RESULTS = "timeStamp,elapsed,label,success\n1700000000000,5,a,true\n";
const LINES = "http_req_duration,name=a,status=200 value=5 1700000000000000000\n";

/** A good body of a route. */
function payloadOf({ operationId, body }: Route): object | string | undefined {
  const staged = batchOf([sample("a", 1)], { visibility: "staged" });
  const payloads: Readonly<Record<string, object | string>> = {
    createLoadTest: { id: SECRET },
    changeLoadTest: { name: "stolen", addTags: ["stolen"], pinned: true },
    uploadResults: RESULTS,
    uploadNewResults: RESULTS,
    appendBatch: Buffer.from(encodeBatch(staged)),
    publishSource: { ...FILE, ...QUALITY },
    writeLines: LINES,
    writeLinesV2: LINES,
    writeTraces: { resourceSpans: [] },
    writeMetrics: { resourceMetrics: [] },
    writeRemote: writeRequest({ labels: { __name__: "stolen" }, samples: [[AT * 1000, 1]] }),
    putThresholds: { thresholds: [{ failIf: ["p95 > 1s"] }] },
    addEvent: { at: "2026-11-21T12:00:00Z", text: "stolen" },
    createKey: { name: "made" },
    createLink: { name: "made", loadTestId: SECRET },
  };
  return body === undefined ? undefined : (payloads[operationId] ?? {});
}

/**
 * Operations that need nothing of the others: ids and names of load tests are free in each project, so that they do not reveal
 * what others have.
 */
const OWN: Readonly<Record<string, number>> = {
  createLoadTest: 201,
  uploadResults: 201,
  uploadNewResults: 201,
  writeLines: 204,
  writeLinesV2: 204,
  writeTraces: 200,
  writeMetrics: 200,
  writeRemote: 204,
  putThresholds: 204,
  deleteThresholds: 204,
  getThresholds: 200,
  createKey: 201,
  listUploads: 200,
  stopUploads: 200,
  // As for every load test that does not exist.
  removeSource: 204,
};

const { routes } = (await createTestServer()).server;
const keyed = routes.filter(({ scope }) => scope !== undefined && scope !== "any");

/** By the names in its address, or in its body. */
function expectedOf(route: Route): number {
  const isNamed = /secret/.test(urlOf(route)) || route.operationId === "createLink";
  return OWN[route.operationId] ?? (isNamed ? 404 : 200);
}

const PAIRS: readonly (readonly [stranger: Project, owner: Project])[] = [
  ["a", "b"],
  ["a", undefined],
  [undefined, "b"],
];

/** A world whose lists have their figures, which are computed after the first question. */
async function openSettled(owner: Project) {
  const world = await openWorld(owner);
  await vi.waitUntil(async () => !(await world.owned()).includes("pending"), { timeout: 60_000 });
  return { ...world, before: await world.owned() };
}

describe.each(PAIRS)("a key of the project %s, and what the project %s has:", (stranger, owner) => {
  const rows = keyed.flatMap((route) =>
    SCOPES.map((scope) => [scope, route.operationId, route] as const),
  );
  // For all that must change nothing anywhere; the last test says whether it did.
  const shared = openSettled(owner);
  test.each(rows)("with the scope %s, %s", async (scope, operationId, route) => {
    const isAllowed = scope === "admin" || scope === route.scope;
    const mayChange = isAllowed && route.method !== "GET";
    const world = await (mayChange ? openSettled(owner) : shared);
    const { status, text } = await world.ask(await world.keyOf(stranger, scope), route);
    // A key that may not read makes no link.
    const isRefused = !isAllowed || (operationId === "createLink" && scope === "write");
    expect(status).toBe(isRefused ? 403 : expectedOf(route));
    const shown = status === 404 || OWN[operationId] !== undefined ? "" : text;
    expect(shown).not.toMatch(/secret|errors > 7%/);
    expect(operationId === "getThresholds" ? text : "").not.toContain("errors");
    const after = mayChange ? await world.owned() : world.before;
    expect(after).toBe(world.before);
  });
  test("what is refused or only read changes nothing", async () => {
    const { owned, before } = await shared;
    expect(await owned()).toBe(before);
  });
});

test("the owner of the same load test gets its answers", async () => {
  for (const owner of ["b", undefined]) {
    const world = await openWorld(owner);
    for (const each of JSON.parse(await world.owned()) as [number, string][]) {
      expect(each[0]).toBe(200);
    }
  }
});

test("projects with the same id have their own answers, cached and revalidated ones included", async () => {
  const { server, store, ring } = await createTestServer();
  const keys: string[] = [];
  for (const project of ["a", "b"]) {
    const part = store.within({ project });
    await part.loadTests.create(loadTest());
    await part.points.append(batchOf([sample(`GET /${project}`, AT)]));
    const about = { scopes: ["read"], expiresAtMs: undefined, project } as const;
    keys.push(await ring.create({ name: project, ...about }));
  }
  const url = "/Api/LoadTests/run/Summary";
  const tags: string[] = [];
  for (const round of [0, 1, 2]) {
    for (const [index, key] of keys.entries()) {
      const headers = { "x-service-auth": key };
      const answer = await server.inject({ url, headers });
      expect(answer.body).toContain(index === 0 ? "GET /a" : "GET /b");
      expect(answer.body).not.toContain(index === 0 ? "GET /b" : "GET /a");
      tags[index] = String(answer.headers["etag"]);
      const foreign = { ...headers, "if-none-match": tags[1 - index] ?? '"none"' };
      expect([round, (await server.inject({ url, headers: foreign })).statusCode]).toEqual([
        round,
        200,
      ]);
    }
  }
});

test("an administrator of a project makes keys of it alone, and keeps the last one", async () => {
  const { server, ring } = await createTestServer();
  const about = { scopes: ["admin"], expiresAtMs: undefined, project: "a" } as const;
  const key = await ring.create({ name: "first", ...about });
  const headers = { "x-service-auth": key };
  const payload = { name: "second", scopes: ["read"] };
  const made = await server.inject({ method: "POST", url: "/Api/Keys", headers, payload });
  expect(made.json()).toMatchObject({ name: "second", project: "a" });
  const listed = await server.inject({ url: "/Api/Keys", headers });
  expect(listed.json<{ keys: object[] }>().keys).toMatchObject([
    { name: "first", project: "a", current: true },
    { name: "second", project: "a" },
  ]);
  const last = await server.inject({ method: "DELETE", url: "/Api/Keys/first", headers });
  expect(last.json()).toMatchObject({ type: "urn:tachograph:error:last-admin-key" });
});
