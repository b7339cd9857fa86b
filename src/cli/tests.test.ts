import { expect, test } from "vitest";
import { createFakeShell, type FakeShell } from "../../test/support/fake-shell.ts";

const RESULTS = "timeStamp,elapsed,label,success\n1700000000000,100,cart,true\n";

async function json(shell: FakeShell, ...words: readonly string[]): Promise<unknown> {
  const { out, exitCode, error } = await shell.run(["tests", ...words, "--json"]);
  expect({ exitCode, error }).toEqual({ exitCode: 0, error: "" });
  return JSON.parse(out);
}

async function filled(): Promise<FakeShell> {
  const shell = createFakeShell();
  await shell.run(["import", "-", "--id", "run"], RESULTS);
  await shell.run(["tests", "create", "--id", "night", "--name", "Night", "--tag", "b,a", "--pin"]);
  return shell;
}

test("create prints the id of a load test that is there then", async () => {
  const shell = await filled();
  expect(await shell.run(["tests", "create"])).toEqual({ exitCode: 0, out: "new-1\n", error: "" });
  expect(await json(shell, "create", "--name", "Day")).toMatchObject({ id: "new-2", name: "Day" });
  expect(await json(shell, "show", "night")).toMatchObject({
    name: "Night",
    tags: ["a", "b"],
    pinned: true,
    requests: 0,
    labels: [],
    sources: [],
  });
});

test("each command changes what it names and prints the load test with --json", async () => {
  const shell = await filled();
  const steps: [string[], object][] = [
    [["rename", "night", "after the fix"], { name: "after the fix" }],
    [["tag", "night", "c", "d", "--remove", "a,d"], { tags: ["b", "c"] }],
    [["tag", "night", "--remove", "c"], { tags: ["b"] }],
    [["unpin", "night"], { pinned: false }],
    [["pin", "night"], { pinned: true }],
    [["finish", "night"], { finishedAt: "2026-11-21T12:00:00.000Z" }],
    [["finish", "night", "--undo"], { finishedAt: null }],
  ];
  let expected = (await json(shell, "list", "--search", "night")) as object[];
  for (const [words, difference] of steps) {
    expected = [{ ...expected[0], ...difference }];
    expect(await json(shell, ...words)).toEqual(expected[0]);
    expect(await json(shell, "list", "--tag", "b")).toEqual(expected);
    expect((await shell.run(["tests", ...words])).out).toBe("");
  }
});

test("a list is searched, cut short, and shows what is said about each load test", async () => {
  const shell = await filled();
  expect(await json(shell, "list", "--search", "RUN")).toMatchObject([{ id: "run" }]);
  expect(await json(shell, "list", "--limit", "1")).toHaveLength(1);
  expect(await json(shell, "list", "--tag", "none")).toEqual([]);
  const { out } = await shell.run(["tests", "list"]);
  expect(out).toContain("PINNED  TAGS\n");
  expect(out).toMatch(/^night .* pinned {2}a,b$/m);
  const shown = await shell.run(["tests", "show", "night"]);
  expect(shown.out).toContain("tags a, b; pinned\n");
});

test("prune prints what would go, then deletes it; pinned load tests stay and do not count", async () => {
  const shell = await filled();
  await shell.run(["tests", "create", "--id", "second"]);
  for (const id of ["run", "second"]) await shell.run(["tests", "finish", id]);
  const words = ["tests", "prune", "--keep-tests", "1"];
  const dry = await shell.run([...words, "--dry-run"]);
  expect(dry.out).toMatch(/^(run|second) {2}.* {2}\(count\)\n$/);
  expect(await json(shell, "list")).toHaveLength(3);
  expect(await shell.run(words)).toEqual(dry);
  expect(await shell.run(words)).toMatchObject({ exitCode: 0, out: "" });
  expect(await json(shell, "list")).toHaveLength(2);
  expect(await json(shell, "prune", "--keep-days", "3")).toEqual([]);
});

test("prune deletes more than a tenth only where somebody says yes", async () => {
  const shell = await filled();
  for (const id of ["second", "third"]) await shell.run(["tests", "create", "--id", id]);
  for (const id of ["run", "second", "third"]) await shell.run(["tests", "finish", id]);
  const before = await json(shell, "list");
  const words = ["tests", "prune", "--keep-tests", "1"];
  const refused = await shell.run(words);
  expect(refused).toMatchObject({ exitCode: 2, out: "" });
  expect(refused.error).toContain("2 of 4 load tests would go, more than a tenth");
  expect(await json(shell, "list")).toEqual(before);
  expect((await shell.run([...words, "--yes"])).out.split("\n")).toHaveLength(3);
  expect(await json(shell, "list")).toHaveLength(2);
});

test.each([
  [["prune"], 2, "expected --keep-days or --keep-tests"],
  [["prune", "--keep-days", "0"], 2, "whole number from 1"],
  [["create", "--id", "night"], 1, 'there is a load test "night" already'],
  [["create", "--id", "a b"], 2, "not a load test id"],
  [["tag", "night", "a,b"], 2, "cannot tag a load test"],
  [["pin", "none"], 1, 'there is no load test "none"'],
  [["finish", "none"], 1, 'there is no load test "none"'],
])("tests %j exits with %d and says why", async (words, exitCode, message) => {
  const outcome = await (await filled()).run(["tests", ...words]);
  expect(outcome).toMatchObject({ exitCode, out: "" });
  expect(outcome.error).toContain(message);
});
