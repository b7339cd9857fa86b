import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createTestServer } from "../../test/support/test-server.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A server with an administrator called `anna`. */
async function openWorld() {
  const world = await createTestServer();
  const admin = await world.ring.create({
    name: "anna",
    scopes: ["admin"],
    expiresAtMs: undefined,
  });
  const ask = async (
    method: "GET" | "POST" | "DELETE",
    url: string,
    { key = admin, payload }: { key?: string; payload?: object } = {},
  ): Promise<Reply> => {
    const answer = await world.ask(url, { method, key, payload });
    const { statusCode: status, headers, body: text } = answer;
    return { status, headers, text, body: JSON.parse(text) as Record<string, unknown> };
  };
  const create = (payload: object): Promise<Reply> => ask("POST", "/Api/Keys", { payload });
  const names = async (): Promise<unknown> => {
    const { keys } = (await ask("GET", "/Api/Keys")).body as { keys: { name: string }[] };
    return keys.map(({ name }) => name).filter((name) => !/^[0-9a-f-]{36}$/.test(name));
  };
  return { ...world, admin, ask, create, names };
}

/** For requests without visible effects. */
const quiet = await openWorld();

function codeOf({ body }: Reply): string {
  return String(body["type"]).replace("urn:tachograph:error:", "");
}

test("a key is created, returned once, works, and is listed without its text", async () => {
  const { ask, create, names } = await openWorld();
  const made = await create({ name: "ci", scopes: ["write", "read", "write"], expiresDays: 30 });
  const { key, createdAt, expiresAt, ...rest } = made.body as Record<string, string>;
  expect(made).toMatchObject({ status: 201, headers: { "cache-control": "no-store" } });
  expect(key).toMatch(/^tgk_[0-9A-Za-z]{36}$/);
  expect(rest).toEqual({
    name: "ci",
    scopes: ["read", "write"],
    lastUsedAt: null,
    revokedAt: null,
    current: false,
  });
  const lifeMs = Date.parse(expiresAt ?? "") - Date.parse(createdAt ?? "");
  expect(Math.abs(lifeMs - 30 * DAY_MS)).toBeLessThan(MINUTE_MS);
  expect(await ask("GET", "/Api/LoadTests", { key: key ?? "" })).toMatchObject({ status: 200 });
  expect(await names()).toEqual(["anna", "ci"]);
  const listed = await ask("GET", "/Api/Keys");
  expect(listed).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
  expect(listed.text).not.toContain(key);
  expect(listed.text).not.toContain(createHash("sha256").update(String(key)).digest("hex"));
});

test("without scopes and days a key may read and does not expire", async () => {
  const { create } = await openWorld();
  const made = await create({ name: "grafana" });
  expect(made.body).toMatchObject({ scopes: ["read"], expiresAt: null });
});

test("the last use is the time of the last request, to the minute", async () => {
  const { ask, ring } = await openWorld();
  const { body } = await ask("POST", "/Api/Keys", { payload: { name: "ci" } });
  const before = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  await ask("GET", "/Api/LoadTests", { key: String(body["key"]) });
  await ring.settle();
  const { keys } = (await ask("GET", "/Api/Keys")).body as {
    keys: { name: string; lastUsedAt: string }[];
  };
  const usedAtMs = Date.parse(keys.find(({ name }) => name === "ci")?.lastUsedAt ?? "");
  expect([before, before + MINUTE_MS]).toContain(usedAtMs);
});

test.each(["read", "write", "admin"] as const)(
  "a key that may %s can look itself up, and only an administrator sees the others",
  async (scope) => {
    const { ask } = quiet;
    const key = await quiet.makeKey(scope);
    const own = await ask("GET", "/Api/CurrentKey", { key });
    expect(own).toMatchObject({
      status: 200,
      headers: { "cache-control": "no-store" },
      body: { scopes: [scope], current: true },
    });
    const status = scope === "admin" ? 200 : 403;
    expect(await ask("GET", "/Api/Keys", { key })).toMatchObject({ status });
  },
);

test.each([
  ["GET", "/Api/Keys"],
  ["POST", "/Api/Keys"],
  ["DELETE", "/Api/Keys/anna"],
] as const)("%s %s changes nothing with a read and write key", async (method, url) => {
  const { ask, names } = quiet;
  const key = await quiet.makeKey("read", "write");
  const payload = { name: "mine", scopes: ["admin"] };
  const refused = await ask(method, url, { key, ...(method === "POST" ? { payload } : {}) });
  expect(refused).toMatchObject({
    status: 403,
    body: { detail: "the key may not administer; it needs the scope admin" },
  });
  expect(await names()).toEqual(["anna"]);
});

test.each([
  ["no name", {}, "bad-parameter"],
  ["a blank name", { name: " " }, "bad-key-name"],
  ["a name that is a step in an address", { name: ".." }, "bad-key-name"],
  ["a name that was given", { name: "anna" }, "key-name-taken"],
  ["no scope", { name: "a", scopes: [] }, "bad-parameter"],
  ["a scope that is none", { name: "a", scopes: ["read", "root"] }, "bad-parameter"],
  ["no day", { name: "a", expiresDays: 0 }, "bad-parameter"],
  ["half a day", { name: "a", expiresDays: 0.5 }, "bad-parameter"],
  ["more than a hundred years", { name: "a", expiresDays: 36_501 }, "bad-parameter"],
  ["a secret of one's own", { name: "a", key: `tgk_${"a".repeat(36)}` }, "bad-parameter"],
])("a key with %s is refused", async (_, payload, code) => {
  const { create, names } = quiet;
  expect(codeOf(await create(payload))).toBe(code);
  expect(await names()).toEqual(["anna"]);
});

test("a revoked key is rejected at once, with the same message as an unknown one", async () => {
  const { ask, create } = await openWorld();
  const key = String((await create({ name: "ci" })).body["key"]);
  expect(await ask("GET", "/Api/LoadTests", { key })).toMatchObject({ status: 200 });
  const revoked = await ask("DELETE", "/Api/Keys/ci");
  expect(revoked).toMatchObject({
    status: 200,
    headers: { "cache-control": "no-store" },
    body: { name: "ci", current: false, revokedAt: expect.any(String) },
  });
  expect((await ask("DELETE", "/Api/Keys/ci")).body).toEqual(revoked.body);
  const { key: strange } = await createTestServer();
  const refused = await ask("GET", "/Api/LoadTests", { key });
  const unknown = await ask("GET", "/Api/LoadTests", { key: strange });
  const words = [refused, unknown].map(({ body }) => ({ ...body, instance: "" }));
  expect(refused.status).toBe(401);
  expect(words[0]).toEqual(words[1]);
  expect(await ask("DELETE", "/Api/Keys/other")).toMatchObject({ status: 404 });
});

const shared = await openWorld();

test.each(["a/b", "a b", "ü&?#", "100 %", "%2F", "current", "CI", "..."])(
  "a key named %j is revoked by its name",
  async (name) => {
    const { ask, create } = shared;
    await create({ name });
    const revoked = await ask("DELETE", `/Api/Keys/${encodeURIComponent(name)}`);
    expect(revoked).toMatchObject({ status: 200, body: { name } });
  },
);

test("the key in use can be revoked, which is reported, but not the last administrator key", async () => {
  const { ask, create, admin } = await openWorld();
  const last = await ask("DELETE", "/Api/Keys/anna");
  expect([last.status, codeOf(last)]).toEqual([409, "last-admin-key"]);
  const second = await create({ name: "ben", scopes: ["admin"] });
  expect((await ask("DELETE", "/Api/Keys/anna")).body).toMatchObject({ current: true });
  expect(await ask("GET", "/Api/Keys", { key: admin })).toMatchObject({ status: 401 });
  const key = String(second.body["key"]);
  expect(await ask("DELETE", "/Api/Keys/ben", { key })).toMatchObject({ status: 409 });
});

test("administrators who are revoked or expired do not count as another one", async () => {
  const { ask, create, ring } = await openWorld();
  await create({ name: "ben", scopes: ["admin"] });
  await ask("DELETE", "/Api/Keys/ben");
  await ring.create({ name: "old", scopes: ["admin"], expiresAtMs: Date.now() - 1 });
  expect(codeOf(await ask("DELETE", "/Api/Keys/anna"))).toBe("last-admin-key");
  expect(await ask("DELETE", "/Api/Keys/old")).toMatchObject({ status: 200 });
});

test("of two administrators who revoke each other concurrently, one remains", async () => {
  const { ask, create } = await openWorld();
  const ben = String((await create({ name: "ben", scopes: ["admin"] })).body["key"]);
  const both = await Promise.all([
    ask("DELETE", "/Api/Keys/ben"),
    ask("DELETE", "/Api/Keys/anna", { key: ben }),
  ]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
});

test("the log holds the names of keys, never a key", async () => {
  const { ask, create, admin, logged } = await openWorld();
  const key = String((await create({ name: "ci", scopes: ["admin"] })).body["key"]);
  await ask("GET", "/Api/Keys", { key });
  expect(codeOf(await create({ name: key }))).toBe("bad-key-name");
  await ask("DELETE", "/Api/Keys/ci");
  await ask("GET", "/Api/Keys", { key });
  const text = JSON.stringify(logged);
  expect(text).toContain('"key":"ci"');
  expect(text).not.toContain(key);
  expect(text).not.toContain(key.slice(4, 14));
  expect(text).not.toContain(admin);
});
