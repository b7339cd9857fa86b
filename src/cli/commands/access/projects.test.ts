import { expect, test } from "vitest";
import { createFakeProgram } from "../../../../test/support/fake-program.ts";

test("projects are listed with their runs and valid keys", async () => {
  const program = createFakeProgram();
  const made = [
    ["tests", "create", "--id", "a"],
    ["tests", "create", "--id", "a", "--project", "web"],
    ["tests", "create", "--id", "b", "--project", "web"],
    ["keys", "create", "--name", "boss", "--scope", "admin"],
    ["keys", "create", "--name", "ci", "--project", "web"],
    ["keys", "create", "--name", "lost", "--project", "web"],
    ["keys", "revoke", "lost", "--project", "web"],
    ["keys", "create", "--name", "first", "--project", "api"],
    ["links", "create", "a", "--name", "for review", "--project", "web"],
  ];
  for (const words of made) expect((await program.run(words)).exitCode).toBe(0);
  const { out } = await program.run(["projects"]);
  expect(out).toBe(
    ["PROJECT  RUNS  KEYS", "(none)   1     1", "api      0     1", "web      2     1", ""].join(
      "\n",
    ),
  );
  expect(JSON.parse((await program.run(["projects", "--json"])).out)).toEqual([
    { name: null, loadTests: 1, keys: 1 },
    { name: "api", loadTests: 0, keys: 1 },
    { name: "web", loadTests: 2, keys: 1 },
  ]);
});
