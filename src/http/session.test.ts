import { expect, test } from "vitest";
import { createTestServer } from "../../test/support/test-server.ts";

type World = Awaited<ReturnType<typeof createTestServer>>;

const world = await createTestServer();

interface Sent {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly url?: string;
  readonly headers: Record<string, string>;
}

function ask({ server }: World, { method = "GET", url = "/Api/CurrentKey", headers }: Sent) {
  return server.inject({ method, url, headers });
}

/** The cookie that signing in with a key sets, as a browser returns it. */
async function signIn(at: World, headers: Record<string, string> = {}): Promise<string> {
  const sent = { "x-service-auth": at.key, ...headers };
  const answer = await ask(at, { method: "POST", url: "/Api/Session", headers: sent });
  expect(answer.statusCode).toBe(204);
  return String(answer.headers["set-cookie"]).split(";")[0] ?? "";
}

test("signing in sets a cookie that scripts and other sites cannot use", async () => {
  const headers = { "x-service-auth": world.key, host: "localhost:8013" };
  const answer = await ask(world, { method: "POST", url: "/Api/Session", headers });
  expect(answer.statusCode).toBe(204);
  expect(answer.body).toBe("");
  expect(answer.headers["cache-control"]).toContain("no-store");
  expect(answer.headers["set-cookie"]).toMatch(
    /^tachograph-session-8013=tgs_[\w-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  );
});

test("behind a trusted proxy with TLS the cookie is Secure, and stays below the base path", async () => {
  const settings = { basePath: "/perf", trustedProxies: ["127.0.0.1"] };
  const proxied = await createTestServer({ settings });
  const headers = { "x-service-auth": proxied.key, "x-forwarded-proto": "https" };
  const answer = await ask(proxied, { method: "POST", url: "/perf/Api/Session", headers });
  expect(answer.headers["set-cookie"]).toMatch(/; Path=\/perf; .*; Secure$/);
  const direct = await ask(world, {
    method: "POST",
    url: "/Api/Session",
    headers: { ...headers, "x-service-auth": world.key },
  });
  expect(direct.headers["set-cookie"]).not.toContain("Secure");
});

test("with a public address of https the cookie is Secure, whatever the proxy says", async () => {
  const server = await createTestServer({ dependencies: { isAlwaysTls: true } });
  const headers = { "x-service-auth": server.key };
  const answer = await ask(server, { method: "POST", url: "/Api/Session", headers });
  expect(answer.headers["set-cookie"]).toMatch(/; Secure$/);
});

test("the cookie counts only where the header asks for it", async () => {
  const cookie = await signIn(world);
  const asked = await ask(world, { headers: { cookie, "x-service-auth": "session" } });
  expect(asked.statusCode).toBe(200);
  expect(JSON.parse(asked.body)).toMatchObject({ scopes: ["read"] });
  // A form or a link of another site sends the cookie at most.
  expect((await ask(world, { headers: { cookie } })).statusCode).toBe(401);
  const metrics = "/Api/Metrics?loadTestId=test&format=csv&filter=x";
  expect((await ask(world, { url: metrics, headers: { cookie } })).statusCode).toBe(401);
});

test("a key in the header wins over the cookie", async () => {
  const cookie = await signIn(world);
  const writer = await world.makeKey("write");
  const answer = await ask(world, { headers: { cookie, "x-service-auth": writer } });
  expect(JSON.parse(answer.body)).toMatchObject({ scopes: ["write"] });
  const wrong = { cookie, "x-service-auth": `tgk_${"x".repeat(36)}` };
  expect((await ask(world, { headers: wrong })).statusCode).toBe(401);
});

test.each([
  ["no cookie", ""],
  ["the cookie of another program", "tachograph=tgs_x"],
  ["that of another port", "tachograph-session-1=tgs_x"],
  ["an empty one", "tachograph-session-80="],
  ["another text", "tachograph-session-80=hello"],
  ["a long one", `tachograph-session-80=tgs_${"A".repeat(7000)}`],
])("%s is no session", async (_, cookie) => {
  const headers = { cookie, host: "localhost:80", "x-service-auth": "session" };
  expect((await ask(world, { headers })).statusCode).toBe(401);
});

test("a session has the scopes of its key and no others", async () => {
  const cookie = await signIn(world);
  const headers = { cookie, "x-service-auth": "session" };
  expect((await ask(world, { url: "/Api/LoadTests", headers })).statusCode).toBe(200);
  expect((await ask(world, { url: "/Api/Keys", headers })).statusCode).toBe(403);
  const deletion = { method: "DELETE", url: "/Api/LoadTests/x", headers } as const;
  expect((await ask(world, deletion)).statusCode).toBe(403);
});

test("a session cannot start another", async () => {
  const cookie = await signIn(world);
  const headers = { cookie, "x-service-auth": "session" };
  const answer = await ask(world, { method: "POST", url: "/Api/Session", headers });
  expect(answer.statusCode).toBe(401);
  expect(answer.headers["set-cookie"]).toBeUndefined();
});

test("a revoked key ends its sessions, also where an answer was cached", async () => {
  const own = await createTestServer();
  const key = await own.ring.create({ name: "short", scopes: ["read"], expiresAtMs: undefined });
  const cookie = await signIn(own, { "x-service-auth": key });
  const headers = { cookie, "x-service-auth": "session" };
  for (let repeat = 0; repeat < 3; repeat++) {
    expect((await ask(own, { url: "/Api/LoadTests", headers })).statusCode).toBe(200);
  }
  await own.ring.revoke("short");
  expect((await ask(own, { url: "/Api/LoadTests", headers })).statusCode).toBe(401);
});

test("signing out removes the cookie and needs none", async () => {
  const headers = { host: "localhost:8013" };
  const answer = await ask(world, { method: "DELETE", url: "/Api/Session", headers });
  expect(answer.statusCode).toBe(204);
  expect(answer.headers["set-cookie"]).toMatch(/^tachograph-session-8013=; Path=\/; Max-Age=0; /);
});
