import { expect, test } from "vitest";
import { createTestServer } from "../../test/support/test-server.ts";
import type { AuditJson } from "../api/audit.ts";
import type { Scope } from "../model/access-key.ts";
import type { AuditLog } from "../store/store.ts";
import { UserError } from "../model/errors.ts";

const LINES = "http_req_duration,name=a,status=200 value=5 1700000000000000000\n";
const TAGGED = "http_req_duration,name=a,status=200,load_test=other value=5 1700000000000000001\n";

async function openWorld(audit?: Pick<AuditLog, "add">) {
  const world = await createTestServer(audit && { dependencies: { audit } });
  const make = (name: string, scopes: readonly Scope[], project?: string): Promise<string> =>
    world.ring.create({ name, scopes, expiresAtMs: undefined, project });
  const keys = { ci: await make("ci", ["write"]), boss: await make("boss", ["admin"]) };
  const send = async (key: string, method: string, url: string, payload?: object | string) => {
    const headers = { "x-service-auth": key };
    const request = { method: method as "GET", url, headers };
    return world.server.inject(payload === undefined ? request : { ...request, payload });
  };
  const entries = async (query = "", key = keys.boss): Promise<AuditJson["entries"]> =>
    (await send(key, "GET", `/Api/Audit${query}`)).json<AuditJson>().entries.toReversed();
  return { ...world, make, keys, send, entries };
}

test("each change is recorded with its key, target and outcome, and no key text", async () => {
  const { keys, send, entries } = await openWorld();
  const { ci, boss } = keys;
  await send(ci, "PATCH", "/Api/LoadTests/run", { name: "new name", addTags: ["slow"] });
  await send(ci, "POST", "/Api/LoadTests", { name: "made" });
  await send(
    ci,
    "POST",
    "/Api/Results?file=a.jtl",
    "timeStamp,elapsed,label,success\n1700000000000,5,a,true\n",
  );
  await send(ci, "PUT", "/Api/Thresholds/made", { thresholds: [{ failIf: ["p95 > 1s"] }] });
  const made = await send(boss, "POST", "/Api/Keys", { name: "grafana" });
  await send(boss, "POST", "/Api/Links", { name: "for review", loadTestId: "run" });
  await send(boss, "DELETE", "/Api/Keys/grafana");
  await send(boss, "DELETE", "/Api/LoadTests/run");
  await send(boss, "POST", "/Api/Session");
  const done = { key: "ci", outcome: "done" };
  const byBoss = { key: "boss", outcome: "done" };
  const all = await entries();
  expect(all).toMatchObject([
    { ...done, operation: "changeLoadTest", target: "run" },
    { ...done, operation: "createLoadTest", target: "new-1" },
    { ...done, operation: "uploadNewResults", target: "new-1", details: '{"file":"a.jtl"}' },
    { ...done, operation: "putThresholds", target: "made" },
    { ...byBoss, operation: "createKey", target: "grafana", details: '{"name":"grafana"}' },
    { ...byBoss, operation: "createLink", target: "for review" },
    { ...byBoss, operation: "revokeKey", target: "grafana", details: null },
    { ...byBoss, operation: "deleteLoadTest", target: "run" },
    { ...byBoss, operation: "createSession", target: null },
  ]);
  expect(all[0]?.details).toBe('{"name":"new name","addTags":["slow"]}');
  expect(Math.abs(Date.parse(all[0]?.at ?? "") - Date.now())).toBeLessThan(60_000);
  expect(JSON.stringify(all)).not.toContain(made.json<{ key: string }>().key.slice(4, 20));
});

test("live writes and repeated failures have one entry for each key and load test", async () => {
  const { keys, make, send, entries } = await openWorld();
  const other = await make("other", ["write"]);
  for (const body of [LINES, LINES.replace("=5", "=6"), TAGGED]) {
    await send(keys.ci, "POST", "/write?db=live", body);
  }
  await send(keys.ci, "POST", "/api/v2/write?bucket=live", LINES);
  await send(other, "POST", "/write?db=live", LINES);
  await send(keys.ci, "POST", "/query?q=CREATE%20DATABASE%20live");
  for (const _ of [1, 2]) await send(keys.ci, "DELETE", "/Api/LoadTests/none");
  const live = { operation: "writeLines", target: "live", outcome: "done" };
  expect(await entries()).toMatchObject([
    { ...live, key: "ci" },
    { ...live, key: "ci", target: "other" },
    { ...live, key: "other" },
    { key: "ci", operation: "deleteLoadTest", target: "none", outcome: "unknown-load-test" },
  ]);
});

test("a write that is refused in part names the load tests that the rest went to", async () => {
  const { keys, send, entries, store } = await openWorld();
  await send(keys.ci, "POST", "/write?db=live", `${LINES}${TAGGED}no line`);
  expect(await store.loadTests.find("other")).toMatchObject({ requests: 1 });
  const partial = { key: "ci", operation: "writeLines", outcome: "partial-write" };
  expect(await entries()).toMatchObject([
    { ...partial, target: "live" },
    { ...partial, target: "other" },
  ]);
});

test("of a name that is too long, the log and the memory have the beginning", async () => {
  const { keys, send, entries } = await openWorld();
  for (const end of ["a", "b"]) {
    const { statusCode } = await send(keys.ci, "POST", "/Api/LoadTests", {
      id: "x".repeat(60_000) + end,
    });
    expect(statusCode).toBe(400);
  }
  const refused = { operation: "createLoadTest", outcome: "bad-load-test-id" };
  expect(await entries()).toMatchObject([{ ...refused, target: "x".repeat(1000) }]);
});

test("pages follow each other, targets select, and projects have their own entries", async () => {
  const { keys, make, send, entries } = await openWorld();
  const web = await make("web", ["admin"], "web");
  for (const id of ["a", "b", "c"]) await send(keys.boss, "POST", "/Api/LoadTests", { id });
  await send(web, "POST", "/Api/LoadTests", { id: "a" });
  const first = (await send(keys.boss, "GET", "/Api/Audit?limit=2")).json<AuditJson>();
  expect(first.entries.map(({ target }) => target)).toEqual(["c", "b"]);
  const rest = await send(keys.boss, "GET", `/Api/Audit?limit=2&after=${first.next}`);
  expect(rest.json()).toMatchObject({ entries: [{ target: "a", key: "boss" }], next: null });
  expect(await entries("?target=b")).toMatchObject([{ target: "b" }]);
  expect(await entries("", web)).toMatchObject([{ target: "a", key: "web" }]);
  expect((await send(keys.boss, "GET", "/Api/Audit?after=x")).statusCode).toBe(400);
});

test("a change stays where the audit log cannot be written, which is logged and counted", async () => {
  const full = new UserError("storage-full", "the disk is full");
  const { keys, send, server, store, logged } = await openWorld({
    add: () => Promise.reject(full),
  });
  const answer = await send(keys.ci, "PATCH", "/Api/LoadTests/run", { name: "changed" });
  expect(answer.statusCode).toBe(200);
  expect(await store.loadTests.find("run")).toMatchObject({ name: "changed" });
  const entry = { level: "error", event: "audit_failed", key: "ci", target: "run" };
  expect(logged).toContainEqual(expect.objectContaining(entry));
  const { body } = await server.inject("/metrics");
  expect(body).toMatch(/^tachograph_audit_failures_total 1$/m);
});
