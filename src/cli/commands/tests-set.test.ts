import { expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";

const ROWS = "timeStamp,elapsed,label,success,bytes\n1700000000000,10,cart,true,10\n";

test("an import describes its run, set adds and removes, and the list is searched for it", async () => {
  const program = createFakeProgram();
  const described = ["--description", "pool of *5*", "--property", "commit=ab12=="];
  await program.run(
    ["import", "-", "--id", "run", ...described, "--link", "build=https://ci.example.org/7"],
    ROWS,
  );
  await program.run(["tests", "create", "--id", "other", "--property", "branch=main"]);
  await program.run(["tests", "set", "run", "--property", "branch=dev", "--remove", "build"]);
  const { out } = await program.run(["tests", "show", "run", "--json"]);
  expect(JSON.parse(out)).toMatchObject({
    description: "pool of *5*",
    properties: { branch: "dev", commit: "ab12==" },
    links: {},
  });
  const found = await program.run(["tests", "list", "--search", "branch:DEV", "--json"]);
  expect((JSON.parse(found.out) as { id: string }[]).map(({ id }) => id)).toEqual(["run"]);
  expect((await program.run(["tests", "show", "run"])).out).toContain(
    "pool of *5*\nbranch: dev\ncommit: ab12==\n",
  );
  await program.run(["tests", "set", "run", "--description", ""]);
  expect(JSON.parse((await program.run(["tests", "show", "run", "--json"])).out)).toMatchObject({
    description: null,
    properties: { branch: "dev" },
  });
});

test("a malformed property and a URL that is not http are refused", async () => {
  const program = createFakeProgram();
  await program.run(["tests", "create", "--id", "run"]);
  const pair = await program.run(["tests", "set", "run", "--property", "commit"]);
  expect([pair.exitCode, pair.error]).toEqual([
    2,
    expect.stringContaining("a name, = and a value"),
  ]);
  const link = await program.run(["tests", "set", "run", "--link", "x=javascript:alert(1)"]);
  expect([link.exitCode, link.error]).toEqual([2, expect.stringContaining("links: expected")]);
});
