import { expect, test } from "vitest";
import { createFakeProgram } from "../../../../test/support/fake-program.ts";

test("keys revoke leaves links and keys of other projects alone, as a server does", async () => {
  const program = createFakeProgram();
  const made = [
    ["tests", "create", "--id", "a", "--project", "web"],
    ["links", "create", "a", "--name", "review", "--project", "web"],
    ["keys", "create", "--name", "ci", "--project", "web"],
    ["keys", "create", "--name", "boss", "--scope", "admin"],
  ];
  for (const words of made) expect((await program.run(words)).exitCode).toBe(0);
  for (const words of [["review", "--project", "web"], ["ci"], ["boss", "--project", "web"]]) {
    const { exitCode, error } = await program.run(["keys", "revoke", ...words]);
    const refused = `error: there is no key named "${words[0]}"\n`;
    expect([exitCode, error.slice(-refused.length)]).toEqual([1, refused]);
  }
  // Even the last key that may administer.
  expect((await program.run(["keys", "revoke", "boss"])).exitCode).toBe(0);
});
