import { afterAll, expect, test, vi } from "vitest";
import { createFakeProgram } from "../../test/support/fake-program.ts";
import { createTestServer } from "../../test/support/test-server.ts";

// Last use is stored to the minute, which must not end between two lists.
vi.useFakeTimers({ toFake: ["Date"] });

const world = await createTestServer();
const program = createFakeProgram({ ...world.store, close: async () => {} });
const url = await world.server.listen();
const key = await world.makeKey("admin");
const server = ["--url", url, "--key", key];

afterAll(() => {
  vi.useRealTimers();
  return world.server.close();
});

test("a key that is made on a server is printed once, works there, and can be revoked", async () => {
  const words = ["keys", "create", "--name", "ci / é", "--scope", "write,read"];
  const made = await program.run([...words, "--expires-days", "2", ...server]);
  expect(made).toMatchObject({ exitCode: 0, error: expect.stringContaining("shown only once") });
  expect(await world.ring.authenticate(made.out.trim())).toMatchObject({
    accepted: true,
    key: { name: "ci / é", scopes: ["read", "write"], expiresAtMs: expect.any(Number) },
  });
  await world.ring.settle();
  const listed = await program.run(["keys", "list", ...server]);
  expect(listed.out).toMatch(/^ci \/ é +read,write +20/m);
  for (const format of [[], ["--json"]]) {
    const there = await program.run(["keys", "list", ...format, ...server]);
    expect(there).toEqual(await program.run(["keys", "list", ...format]));
  }
  const revoked = await program.run(["keys", "revoke", "ci / é", ...server]);
  expect(revoked).toEqual({ exitCode: 0, out: "", error: "" });
  expect(await world.ring.authenticate(made.out.trim())).toMatchObject({ reason: "revoked" });
});

test.each([
  ["create", "--name", " "],
  ["create", "--name", "a", "--scope", "root"],
  ["revoke", "none"],
])("keys %s %s %s is rejected with the same message", async (...words) => {
  const here = await program.run(["keys", ...words]);
  expect(here.exitCode).toBeGreaterThan(0);
  expect(await program.run(["keys", ...words, ...server])).toEqual(here);
});

test("only an administrator can manage keys on a server, and one always remains", async () => {
  const location = ["--url", url, "--key", await world.makeKey("read", "write")];
  const { error } = await program.run(["keys", "list", ...location]);
  expect(error).toContain("the key may not admin");
  const [admin] = (await world.ring.list()).filter(({ scopes }) => scopes.includes("admin"));
  const refused = await program.run(["keys", "revoke", admin?.name ?? "", ...server]);
  expect(refused).toMatchObject({ exitCode: 1, error: expect.stringContaining("no other key") });
  // Access to the data directory is full access.
  expect((await program.run(["keys", "revoke", admin?.name ?? ""])).exitCode).toBe(0);
});
