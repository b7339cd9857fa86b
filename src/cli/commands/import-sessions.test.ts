import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createFakeProgram, type FakeProgram } from "../../../test/support/fake-program.ts";
import { testFolder } from "../../../test/support/test-folder.ts";

const HEADER = "timeStamp,elapsed,label,success,bytes\n";
const FIRST = 1_790_000_000;
const SECOND = FIRST + 1800;

const folder = testFolder();

/** Writes a JMeter file with one request per given second and its response time in milliseconds. */
async function fileOf(name: string, rows: readonly (readonly [number, number])[], more = "") {
  const lines = rows.map(([second, ms]) => `${second}000,${ms},a,${ms < 100},1\n`);
  const file = path.join(folder, name);
  await writeFile(file, HEADER + lines.join("") + more);
  return file;
}

async function countOf(program: FakeProgram, id: string) {
  const { out } = await program.run(["summary", id, "--json"]);
  const { overall } = JSON.parse(out) as { overall: { count: number; avgLoadTime: number } };
  return { count: overall.count, avgLoadTime: overall.avgLoadTime };
}

const split = ["--split-gap", "30m"];

test("each session becomes a load test, and the same again changes nothing", async () => {
  const program = createFakeProgram();
  // Out of order across the gap.
  const rows = [
    [SECOND, 20],
    [FIRST, 5],
    [SECOND + 1, 30],
    [FIRST + 0, 7],
  ] as const;
  const file = await fileOf("run.jtl", rows, `oops\n${SECOND}`);
  const words = ["import", file, "--id", "run", "--name", "Nightly", "--json", ...split];
  const first = await program.run(words);
  expect(first.exitCode).toBe(3);
  const rejections = [expect.objectContaining({ line: 6 })];
  const one = { loadTestId: "run-1", samples: { read: 3, recorded: 2, rejected: 1 }, rejections };
  const two = { loadTestId: "run-2", samples: { read: 2, recorded: 2, rejected: 0 } };
  expect(JSON.parse(first.out)).toMatchObject([
    { ...one, from: FIRST, until: FIRST, truncatedAt: null, alreadyImported: false },
    { ...two, from: SECOND, until: SECOND + 1, truncatedAt: { line: 7 }, alreadyImported: false },
  ]);
  const again = await program.run(words);
  expect(JSON.parse(again.out)).toMatchObject([
    { loadTestId: "run-1", alreadyImported: true },
    { loadTestId: "run-2", alreadyImported: true },
  ]);
  expect(await countOf(program, "run-1")).toEqual({ count: 2, avgLoadTime: 0.006 });
  expect(await countOf(program, "run-2")).toEqual({ count: 2, avgLoadTime: 0.025 });
  const { out } = await program.run(["tests", "list", "--json"]);
  const names = (JSON.parse(out) as { name: string }[]).map(({ name }) => name);
  expect(names.toSorted()).toEqual(["Nightly 1", "Nightly 2"]);
});

test("a file to which a third session was appended adds that one", async () => {
  const program = createFakeProgram();
  const words = ["import", "--id", "run", ...split];
  const rows = [
    [FIRST, 5],
    [SECOND, 20],
  ] as const;
  await program.run([...words, await fileOf("grown.jtl", rows)]);
  await program.run([...words, await fileOf("grown.jtl", [...rows, [SECOND + 9000, 3]])]);
  for (const [id, avgLoadTime] of [
    ["run-1", 0.005],
    ["run-2", 0.02],
    ["run-3", 0.003],
  ] as const) {
    expect(await countOf(program, id)).toEqual({ count: 1, avgLoadTime });
  }
});

test("sessions span all files, and a single session is accepted", async () => {
  const program = createFakeProgram();
  const files = [
    await fileOf("a.jtl", [
      [FIRST, 5],
      [SECOND, 200],
    ]),
    await fileOf("b.jtl", [[SECOND + 5, 300]]),
  ];
  const { exitCode, out } = await program.run(["import", ...files, "--id", "run", ...split]);
  expect(exitCode).toBe(0);
  expect(out.endsWith("Next: tachograph tests list\n")).toBe(true);
  expect(await countOf(program, "run-1")).toEqual({ count: 1, avgLoadTime: 0.005 });
  expect(await countOf(program, "run-2")).toEqual({ count: 2, avgLoadTime: 0.25 });
  const shorter = await program.run(["import", ...files, "--id", "whole", "--split-gap", "31m"]);
  expect(shorter.out).toContain("  run whole-1\n");
  expect(await countOf(program, "whole-1")).toMatchObject({ count: 3 });
});

test("rejects what cannot be split", async () => {
  const program = createFakeProgram();
  const many = Array.from({ length: 101 }, (_, at) => [FIRST + 1800 * at, 1] as const);
  const file = await fileOf("many.jtl", many);
  const refusals: [string[], string][] = [
    [["-", ...split], "cannot split standard input: --split-gap reads a file twice"],
    [[file, "--follow", ...split], "--split-gap cannot be used with --follow"],
    [[file, "--split-gap", "59s"], "Expected at least 1m."],
    [[file, ...split], "got 101 sessions, want at most 100: give a longer --split-gap"],
  ];
  for (const [words, message] of refusals) {
    const { exitCode, error } = await program.run(["import", ...words]);
    expect(exitCode).not.toBe(0);
    expect(error).toContain(message);
  }
  const { out } = await program.run(["tests", "list", "--json"]);
  expect(JSON.parse(out)).toEqual([]);
});

/** Of a tick of Locust: totals since the start. */
function historyRows(second: number, requests: number, maxMs: number): readonly string[] {
  return ["GET,/cart", ",Aggregated"].map(
    (name) =>
      `${second},1,${name},1,0,${maxMs},${maxMs},${maxMs},${requests},0,10,10,10,${maxMs},1`,
  );
}

/** Locust's extremes and percentiles of a run are those of all its sessions. */
test("extremes that a tool reports of the whole file are unknown for its sessions", async () => {
  const program = createFakeProgram();
  const header =
    "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,95%,100%,Total Request Count,Total Failure Count," +
    "Total Median Response Time,Total Average Response Time,Total Min Response Time,Total Max Response Time,Total Average Content Size";
  const file = path.join(folder, "history.csv");
  const lines = [header, ...historyRows(FIRST, 10, 20), ...historyRows(SECOND, 20, 9000)];
  await writeFile(file, `${lines.join("\n")}\n`);
  const maximum = async (id: string) => {
    const { out } = await program.run(["summary", id, "--json"]);
    return (JSON.parse(out) as { overall: { maxLoadTime: number | null } }).overall.maxLoadTime;
  };
  expect((await program.run(["import", file, "--id", "whole"])).exitCode).toBe(0);
  expect(await maximum("whole")).toBe(9);
  await program.run(["import", file, "--id", "part", "--again", ...split]);
  expect([await maximum("part-1"), await maximum("part-2")]).toEqual([null, null]);
});
