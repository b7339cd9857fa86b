import { expect, test } from "vitest";
import { createTestServer } from "../../test/support/test-server.ts";
import type { Person } from "./routes/access/sign-in.ts";

const PERSON: Person = {
  name: "anna@example.org\n",
  subject: "7",
  scopes: ["read"],
  project: undefined,
};

/** A provider that knows one person, by the code 42 and the secret of the started sign-in. */
function openWorld(person: Person = PERSON, settings = {}) {
  return createTestServer({
    settings,
    dependencies: {
      signIn: {
        begin: async () => ({ url: "https://login.example.org/?state=1", secret: "secret-1" }),
        async finish(query, secret) {
          if (query === "code=42&state=1" && secret === "secret-1") return person;
          throw new Error("the state is another");
        },
      },
    },
  });
}

const STARTED = { cookie: "tachograph-sign-in=secret-1", host: "localhost" };
const BACK = "/sign-in/callback?code=42&state=1";

test("a browser is sent to the provider, with a cookie that comes back from there", async () => {
  const { server } = await openWorld();
  const { statusCode, headers } = await server.inject("/sign-in");
  expect([statusCode, headers["location"]]).toEqual([303, "https://login.example.org/?state=1"]);
  expect(headers["set-cookie"]).toBe(
    "tachograph-sign-in-80=secret-1; Path=/; Max-Age=600; HttpOnly; SameSite=Lax",
  );
  expect(headers["cache-control"]).toBe("no-store");
});

test("who comes back has a session of a key that ends with it", async () => {
  const { server, ring, logged } = await openWorld();
  const { statusCode, headers } = await server.inject({ url: BACK, headers: STARTED });
  expect([statusCode, headers["location"]]).toEqual([303, "/#signed-in"]);
  const [cookie = ""] = String(headers["set-cookie"]).split(";");
  expect(cookie).toMatch(/^tachograph-session=tgs_/);
  const asked = { ...STARTED, cookie, "x-service-auth": "session" };
  const answer = await server.inject({ url: "/Api/CurrentKey", headers: asked });
  expect(answer.json()).toMatchObject({ scopes: ["read"] });
  const key = (await ring.list()).find(({ name }) => name.startsWith("anna@example.org "));
  const lifeMs = (key?.expiresAtMs ?? 0) - (key?.createdAtMs ?? 0);
  expect(Math.abs(lifeMs - 12 * 3_600_000)).toBeLessThan(1000);
  await ring.revoke(key?.name ?? "");
  expect((await server.inject({ url: "/Api/CurrentKey", headers: asked })).statusCode).toBe(401);
  expect(JSON.stringify(logged)).not.toMatch(/code|secret-1|tgs_|tgk_/);
  expect(logged).toContainEqual(expect.objectContaining({ event: "signed_in", scopes: ["read"] }));
});

test("HEAD takes no code, makes no key and sets no cookie", async () => {
  const { server, ring } = await openWorld();
  const { length } = await ring.list();
  const answer = await server.inject({ method: "HEAD", url: BACK, headers: STARTED });
  expect([answer.statusCode, answer.headers["location"]]).toEqual([303, "/"]);
  expect(answer.headers).not.toHaveProperty("set-cookie");
  expect(await ring.list()).toHaveLength(length);
});

test("the audit log names the account of a sign-in, and one that has no role", async () => {
  const about = { operation: "signIn", target: "7" };
  const named = expect.stringMatching(/^anna@example\.org {2}\d{4}-/);
  const expected = [
    [PERSON, { ...about, key: named, outcome: "done" }],
    [
      { ...PERSON, scopes: [] },
      { ...about, key: undefined, outcome: "no-role" },
    ],
  ] as const;
  for (const [person, entry] of expected) {
    const { server, store } = await openWorld(person);
    await server.inject({ url: BACK, headers: STARTED });
    expect(await store.audit.list({ project: undefined, limit: 9 })).toMatchObject([entry]);
  }
});

test.each([
  ["without a sign-in", BACK, { host: "localhost" }, PERSON],
  ["with the state of another", "/sign-in/callback?code=42&state=2", STARTED, PERSON],
  [
    "with the cookie of another",
    BACK,
    { ...STARTED, cookie: "tachograph-sign-in=secret-2" },
    PERSON,
  ],
  [
    "with an error of the provider",
    "/sign-in/callback?error=access_denied&state=1",
    STARTED,
    PERSON,
  ],
  ["without a role", BACK, STARTED, { ...PERSON, scopes: [] }],
])("who comes back %s has no session, and no key", async (_, url, headers, person) => {
  const { server, ring } = await openWorld(person);
  const before = (await ring.list()).length;
  const answer = await server.inject({ url, headers });
  expect([answer.statusCode, answer.headers["location"]]).toEqual([303, "/#sign-in-refused"]);
  // Nor does it lose the sign-in of another tab.
  expect(answer.headers["set-cookie"]).toBeUndefined();
  expect(await ring.list()).toHaveLength(before);
});

test("the log says what was wrong with an answer of the provider", async () => {
  const cause = new Error('unexpected JWT "aud" (audience) claim value');
  const signIn = {
    begin: async () => ({ url: "", secret: "" }),
    finish: () => Promise.reject(new Error("unexpected JWT claim value encountered", { cause })),
  };
  const { server, logged } = await createTestServer({ dependencies: { signIn } });
  await server.inject({ url: BACK, headers: STARTED });
  const reason = expect.stringContaining('"aud"');
  expect(logged).toContainEqual(expect.objectContaining({ event: "sign_in_refused", reason }));
});

test("the key of an account is one of its project", async () => {
  const { server, ring } = await openWorld({ ...PERSON, project: "web" });
  await server.inject({ url: BACK, headers: STARTED });
  expect(await ring.list()).toContainEqual(expect.objectContaining({ project: "web" }));
});

test("below a base path, everything is there", async () => {
  const { server } = await openWorld(PERSON, { basePath: "/perf" });
  expect((await server.inject("/perf/Api/SignIn")).json()).toEqual({ path: "/perf/sign-in" });
  const answer = await server.inject({ url: `/perf${BACK}`, headers: STARTED });
  expect(answer.headers["location"]).toBe("/perf/#signed-in");
});

test("a link signs a browser in once; who asks for the head alone does not use it up", async () => {
  let key: string | undefined;
  const takeLink = () => {
    const taken = key === undefined ? undefined : { key, path: "/t/demo" };
    key = undefined;
    return taken;
  };
  const { server, ring } = await createTestServer({ dependencies: { takeLink } });
  key = await ring.create({ name: "demo", scopes: ["read"], expiresAtMs: undefined });
  const url = "/sign-in/link?code=1";
  const head = await server.inject({ method: "HEAD", url });
  expect([head.statusCode, head.headers["set-cookie"]]).toEqual([303, undefined]);
  const first = await server.inject(url);
  expect(first.headers["location"]).toBe("/t/demo#signed-in");
  expect(first.headers["set-cookie"]).toMatch(/=tgs_/);
  const again = await server.inject(url);
  expect([again.headers["location"], again.headers["set-cookie"]]).toEqual([
    "/#link-used",
    undefined,
  ]);
});

test("without a provider there are only keys", async () => {
  const { server } = await createTestServer();
  expect((await server.inject("/Api/SignIn")).json()).toEqual({ path: null });
  expect((await server.inject("/sign-in")).statusCode).toBe(404);
});
