import { beforeEach, expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { createTestServer } from "../../../test/support/test-server.ts";

const world = await createTestServer();
const { loadTests } = world.store;
const program = createFakeProgram({ ...world.store, close: async () => {} });

beforeEach(async () => {
  for (const { id } of await loadTests.list()) await loadTests.delete(id);
  for (const [at, id] of ["a", "b", "c"].entries()) {
    const properties: Record<string, string> = id === "c" ? {} : { branch: "old" };
    await loadTests.create({ id, name: id, createdAtMs: at, pinned: id === "b", properties });
  }
});

async function outcomeOf(...words: string[]) {
  const { exitCode, out, error } = await program.run(["tests", "change", ...words]);
  return { exitCode, lines: out.trimEnd().split("\n"), error };
}

const ids = async () =>
  (await loadTests.list())
    .map(({ id }) => id)
    .toSorted()
    .join("");

test("what a search finds is only shown until --yes, and pinned runs are not deleted", async () => {
  const words = ["--search", "branch:old", "--delete"];
  const shown = await outcomeOf(...words);
  expect(shown).toMatchObject({ exitCode: 0, lines: ["b  b: pinned, stays", "a  a: delete"] });
  expect(shown.error).toBe("1 run would change: --yes does it\n");
  expect(await ids()).toBe("abc");
  expect(await outcomeOf(...words, "--yes")).toEqual({ ...shown, error: "" });
  expect(await ids()).toBe("bc");
});

test("several runs get tags and are pinned", async () => {
  await outcomeOf("a", "c", "a", "--add-tag", "x,y", "--pin", "--yes");
  await outcomeOf("a", "--remove-tag", "x", "--unpin", "--yes");
  expect(await loadTests.find("a")).toMatchObject({ tags: ["y"], pinned: false });
  expect(await loadTests.find("c")).toMatchObject({ tags: ["x", "y"], pinned: true });
  expect(await loadTests.find("b")).toMatchObject({ tags: [] });
});

test("nothing is changed where one of them is unknown, or nothing was asked", async () => {
  expect((await outcomeOf("a", "none", "--delete", "--yes")).exitCode).toBe(1);
  expect((await outcomeOf("a", "--yes")).error).toMatch(/nothing to do: expected --add-tag/);
  expect((await outcomeOf("--delete", "--yes")).error).toMatch(/expected ids of runs, or --search/);
  expect((await outcomeOf("a", "--search", "a", "--delete", "--yes")).error).toMatch(/or --search/);
  for (const none of ["", " "]) {
    const { error } = await outcomeOf("--search", none, "--delete", "--yes");
    expect(error).toMatch(/--search: expected terms, got none/);
  }
  expect((await outcomeOf("a", "--pin", "--delete", "--yes")).exitCode).toBe(2);
  expect(await ids()).toBe("abc");
});
