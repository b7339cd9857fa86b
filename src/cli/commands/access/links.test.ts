import { afterAll, beforeAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../../test/support/fake-program.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { createTestServer } from "../../../../test/support/test-server.ts";

const world = await createTestServer();
let place: string[] = [];

beforeAll(async () => {
  await world.store.loadTests.create(loadTest("base"));
  place = ["--url", await world.server.listen(), "--key", await world.makeKey("read", "write")];
});
afterAll(() => world.server.close());

const TIME = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`;

test("a link of a server is printed once as a URL, listed and revoked", async () => {
  const program = createFakeProgram();
  const words = ["links", "create", "run", "--against", "base", "--name", "a b", ...place];
  const { out } = await program.run(words);
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/compare\/base\/run#tgl_\w{36}\n$/);
  const listed = await program.run(["links", "list", ...place]);
  expect(listed.out).toMatch(new RegExp(`^a b +run +base +no +${TIME} +- +- +-$`, "m"));
  expect((await program.run(["links", "revoke", "a b", ...place])).exitCode).toBe(0);
  const json = JSON.parse(
    (await program.run(["links", "list", "--json", ...place])).out,
  ) as object[];
  expect(json).toMatchObject([{ name: "a b", revokedAt: expect.stringMatching(/^\d{4}-/) }]);
});

test("a link of a data directory is printed as a path", async () => {
  const program = createFakeProgram(world.store);
  const words = ["links", "create", "run", "--name", "local", "--expires-days", "30"];
  const { out, error } = await program.run(words);
  expect(out).toMatch(/^\/t\/run#tgl_\w{36}\n$/);
  expect(error).toContain("Put the address of your server in front.");
  expect((await program.run(["links", "list"])).out).toMatch(
    /^local +run +- +no +2026-11-21 12:00 +- +2026-12-21 12:00 +-$/m,
  );
});

test.each([
  [["create", "none", "--name", "x"], "none"],
  [["create", "run", "--against", "run", "--name", "x"], "another load test"],
  [["revoke", "none"], '"none"'],
])("links %j says what is wrong", async (words, message) => {
  const { exitCode, error } = await createFakeProgram(world.store).run(["links", ...words]);
  expect(exitCode).toBeGreaterThan(0);
  expect(error).toContain(message);
});
