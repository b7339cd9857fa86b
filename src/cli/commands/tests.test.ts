import { expect, test } from "vitest";
import { createFakeProgram, type FakeProgram } from "../../../test/support/fake-program.ts";

const RESULTS = "timeStamp,elapsed,label,success\n1700000000000,100,cart,true\n";

async function json(program: FakeProgram, ...words: readonly string[]): Promise<unknown> {
  const { out, exitCode, error } = await program.run(["tests", ...words, "--json"]);
  expect({ exitCode, error }).toEqual({ exitCode: 0, error: "" });
  return JSON.parse(out);
}

async function filled(): Promise<FakeProgram> {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "run"], RESULTS);
  await program.run([
    "tests",
    "create",
    "--id",
    "night",
    "--name",
    "Night",
    "--tag",
    "b,a",
    "--pin",
  ]);
  return program;
}

test("create prints the id of the load test it created", async () => {
  const program = await filled();
  expect(await program.run(["tests", "create"])).toEqual({
    exitCode: 0,
    out: "new-1\n",
    error: "",
  });
  expect(await json(program, "create", "--name", "Day")).toMatchObject({
    id: "new-2",
    name: "Day",
  });
  expect(await json(program, "show", "night")).toMatchObject({
    name: "Night",
    tags: ["a", "b"],
    pinned: true,
    requests: 0,
    labels: [],
    sources: [],
  });
});

test("each command changes what it names and prints the load test with --json", async () => {
  const program = await filled();
  const steps: [string[], object][] = [
    [["rename", "night", "after the fix"], { name: "after the fix" }],
    [["tag", "night", "c", "d", "--remove", "a,d"], { tags: ["b", "c"] }],
    [["tag", "night", "--remove", "c"], { tags: ["b"] }],
    [["unpin", "night"], { pinned: false }],
    [["pin", "night"], { pinned: true }],
    [["finish", "night"], { finishedAt: "2026-11-21T12:00:00.000Z" }],
    [["finish", "night", "--undo"], { finishedAt: null }],
  ];
  let expected = (await json(program, "list", "--search", "night")) as object[];
  for (const [words, difference] of steps) {
    expected = [{ ...expected[0], ...difference }];
    expect(await json(program, ...words)).toEqual(expected[0]);
    expect(await json(program, "list", "--tag", "b")).toEqual(expected);
    expect((await program.run(["tests", ...words])).out).toBe("");
  }
});

test("a list can be searched and limited, and shows the attributes of each run", async () => {
  const program = await filled();
  expect(await json(program, "list", "--search", "RUN")).toMatchObject([{ id: "run" }]);
  expect(await json(program, "list", "--limit", "1")).toHaveLength(1);
  expect(await json(program, "list", "--tag", "none")).toEqual([]);
  const { out } = await program.run(["tests", "list"]);
  expect(out).toContain("PINNED  TAGS\n");
  expect(out).toMatch(/^night .* pinned {2}a,b$/m);
  const shown = await program.run(["tests", "show", "night"]);
  expect(shown.out).toContain("tags a, b; pinned\n");
});

test("prune prints what would go, then deletes it; pinned load tests stay and do not count", async () => {
  const program = await filled();
  await program.run(["tests", "create", "--id", "second"]);
  for (const id of ["run", "second"]) await program.run(["tests", "finish", id]);
  const words = ["tests", "prune", "--keep-tests", "1"];
  const dry = await program.run([...words, "--dry-run"]);
  expect(dry.out).toMatch(/^(run|second) {2}.* {2}\(count\)\n$/);
  expect(await json(program, "list")).toHaveLength(3);
  expect(await program.run(words)).toEqual(dry);
  expect((await program.run(words)).out).toMatch(/^nothing to delete/);
  expect(await json(program, "list")).toHaveLength(2);
  expect(await json(program, "prune", "--keep-days", "3")).toEqual([]);
});

test("prune says why it deletes nothing, and a pinned run is deleted only with --yes", async () => {
  const program = createFakeProgram();
  await program.run(["tests", "create", "--id", "a"]);
  await program.run(["tests", "create", "--id", "b", "--pin"]);
  expect((await program.run(["tests", "prune", "--keep-tests", "5"])).out).toBe(
    "nothing to delete: --keep-tests 5 keeps all 2 runs, 1 pinned or baselines\n",
  );
  const refused = await program.run(["tests", "delete", "b"]);
  expect([refused.exitCode, refused.error]).toEqual([2, expect.stringContaining("--yes")]);
  expect((await program.run(["tests", "delete", "b", "--yes"])).exitCode).toBe(0);
  expect((await program.run(["tests", "delete", "a"])).exitCode).toBe(0);
});

test("prune deletes more than a tenth only with --yes", async () => {
  const program = await filled();
  for (const id of ["second", "third"]) await program.run(["tests", "create", "--id", id]);
  for (const id of ["run", "second", "third"]) await program.run(["tests", "finish", id]);
  const before = await json(program, "list");
  const words = ["tests", "prune", "--keep-tests", "1"];
  const refused = await program.run(words);
  expect(refused).toMatchObject({ exitCode: 2, out: "" });
  expect(refused.error).toContain("2 of 4 runs would be deleted, more than a tenth");
  expect(await json(program, "list")).toEqual(before);
  expect((await program.run([...words, "--yes"])).out.split("\n")).toHaveLength(3);
  expect(await json(program, "list")).toHaveLength(2);
});

test.each([
  [["prune"], 2, "expected --keep-days or --keep-tests"],
  [["prune", "--keep-days", "0"], 2, "whole number from 1"],
  [["create", "--id", "night"], 1, 'load test "night" already exists'],
  [["create", "--id", "a b"], 2, "not a load test id"],
  [["tag", "night", "a,b"], 2, "cannot tag a run"],
  [["pin", "none"], 1, 'there is no run "none"'],
  [["finish", "none"], 1, 'there is no run "none"'],
])("tests %j exits with %d and says why", async (words, exitCode, message) => {
  const outcome = await (await filled()).run(["tests", ...words]);
  expect(outcome).toMatchObject({ exitCode, out: "" });
  expect(outcome.error).toContain(message);
});

test("a filter without matches prints a hint about letter case, apart from the output", async () => {
  const program = await filled();
  const read = await program.run(["metrics", "run", "--filter", "NOPE", "--format", "csv"]);
  expect(read).toMatchObject({ exitCode: 0, out: "[]\n" });
  expect(read.error).toContain('no endpoint matches the filter "NOPE" (case-sensitive)');
  const figures = await program.run(["summary", "run", "--filter", "NOPE"]);
  expect(figures.error).toContain("(case-sensitive)");
});
