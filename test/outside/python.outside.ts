/** Builds the Python client as a wheel, checks its types, and reads every recording with it. */

import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import type { LoadTestComparison } from "../../src/api/compare.ts";
import type { MeasuresJson } from "../../src/api/measures.ts";
import type { Figures, SummaryFigures } from "../../src/api/summary.ts";
import { FIXTURE_FOLDER, FIXTURES } from "../samples/fixtures.ts";
import { createFakeProgram } from "../support/fake-program.ts";
import { createTestServer } from "../support/test-server.ts";
import { installTool } from "../tools/install.ts";
import { runCommand } from "../tools/run-command.ts";
import { DEMO, demoReport } from "./demo-report.ts";

const root = path.join(import.meta.dirname, "../..");
const CLIENT = path.join(root, "clients/python");
const folder = mkdtempSync(path.join(tmpdir(), "tachograph-python-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A server, and the command line on its store. */
async function startServer() {
  const world = await createTestServer();
  const { server, store } = world;
  const environment = {
    ...process.env,
    PYTHONPATH: path.join(folder, "installed"),
    TACHOGRAPH_URL: await server.listen(),
    TACHOGRAPH_KEY: await world.makeKey("read"),
  };
  afterAll(() => server.close());
  return { environment, program: createFakeProgram({ ...store, close: async () => {} }) };
}

const { program, environment } = await startServer();
const other = await startServer();

/** Runs Python with the versions that pyproject.toml pins, and with the wheel of this checkout. */
async function installPython(): Promise<string> {
  const project = readFileSync(path.join(CLIENT, "pyproject.toml"), "utf8");
  const pinned = [...project.matchAll(/"([a-z]+==[\d.]+)"/g)].map(([, each]) => each ?? "");
  const tools = await installTool({
    name: "python-client",
    version: pinned.join("-").replaceAll("==", "-"),
    async install(own) {
      const settings = { cwd: own, log: path.join(own, "install.log") };
      await runCommand("python3", ["-m", "venv", "venv"], settings);
      const words = ["-m", "pip", "install", "--quiet", "wheel", ...pinned];
      await runCommand(path.join(own, "venv/bin/python"), words, settings);
    },
  });
  const python = path.join(tools, "venv/bin/python");
  const settings = { cwd: folder, log: path.join(folder, "log") };
  const wheel = ["--no-deps", "--no-build-isolation", "--wheel-dir", folder, CLIENT];
  await runCommand(python, ["-m", "pip", "wheel", "--quiet", ...wheel], settings);
  const file = readdirSync(folder).find((name) => name.endsWith(".whl")) ?? "";
  const install = [
    "--no-deps",
    "--target",
    path.join(folder, "installed"),
    path.join(folder, file),
  ];
  await runCommand(python, ["-m", "pip", "install", "--quiet", ...install], settings);
  return python;
}

const python = await installPython().catch((error: unknown) => {
  console.log(`the Python client is not tested: ${String(error)}`);
});

/** What Python prints. */
async function runPython(words: readonly string[], env = environment): Promise<string> {
  const run = await promisify(execFile)(python ?? "", words, { env, maxBuffer: 2 ** 30 });
  return run.stdout;
}

/** Imports every recording that an import takes as it is, and returns the ids of the runs. */
async function importRecordings(): Promise<readonly string[]> {
  const files = FIXTURES.flatMap(({ file }) =>
    [file, `${file}.gz`].map((name) => path.join(FIXTURE_FOLDER, name)).filter(existsSync),
  );
  for (const [index, file] of files.entries()) {
    const id = `recording-${index}`;
    const words = ["import", file, "--id", id, "--started-at", "2026-11-01T12:00:00Z", "--again"];
    const { error } = await program.run(words);
    // Files that say when the run began.
    if (error.includes("--started-at")) await program.run(words.toSpliced(4, 2));
  }
  const runs = await cli<{ id: string; requests: number }[]>(
    "tests",
    "list",
    "--json",
    "--limit",
    "1000",
  );
  return runs.filter(({ requests }) => requests > 0).map(({ id }) => id);
}

interface Answer {
  readonly summary: unknown;
  readonly series: readonly (readonly [string, ...number[]])[];
  readonly measures: unknown;
  readonly compared: unknown;
  readonly unstored: number;
  readonly changes: unknown;
  readonly measured: Readonly<Record<string, number>>;
}

async function cli<Json>(...words: readonly string[]): Promise<Json> {
  const { out, error } = await program.run(words);
  expect(error).toBe("");
  return JSON.parse(out) as Json;
}

const FIGURES = [
  "count",
  "errCount",
  "errRate",
  "avgLoadTime",
  "minLoadTime",
  "maxLoadTime",
  "p50",
  "p95",
  "p99",
] as const;

test("its types are consistent", async ({ skip }) => {
  skip(python === undefined, "no Python with pandas");
  const words = ["-m", "mypy", "--config-file", path.join(CLIENT, "pyproject.toml")];
  const cache = ["--cache-dir", path.join(folder, "mypy")];
  expect(await runPython([...words, ...cache, path.join(CLIENT, "src/tachograph")])).toContain(
    "Success",
  );
});

test("it has the figures of the command line, on all recordings", async ({ skip }) => {
  skip(python === undefined, "no Python with pandas");
  const ids = await importRecordings();
  expect(ids.length).toBeGreaterThan(40);
  const output = await runPython([path.join(import.meta.dirname, "read_runs.py")]);
  const { refused, ...answers } = JSON.parse(output) as Record<string, Answer>;
  expect(refused).toEqual([404, "unknown-load-test"]);
  expect(Object.keys(answers)).toEqual(expect.arrayContaining([...ids]));
  for (const id of ids) {
    const { overall, endpoints } = await cli<SummaryFigures>("summary", id, "--json");
    const figures = (label: string, each: Figures) => [label, ...FIGURES.map((name) => each[name])];
    const { measures, unstored } = await cli<MeasuresJson>("measures", id, "--json");
    const compared = await cli<LoadTestComparison>("compare", id, "--against", id, "--json");
    const metrics = await cli<{ label: string; data: string[][] }[]>(
      "metrics",
      id,
      "--all",
      "--format",
      "csv",
    );
    const answer = answers[id];
    expect(answer).toMatchObject({
      summary: [
        figures("(all)", overall),
        ...endpoints.map((endpoint) => figures(endpoint.label, endpoint)),
      ],
      measures: measures.map(({ name, endpoint, count, mean, p95 }) => [
        name,
        endpoint?.label ?? null,
        count,
        mean ?? null,
        p95 ?? null,
      ]),
      compared: [{ label: "(all)", ...compared.overall }, ...compared.endpoints].map((row) => [
        row.label,
        row.verdict,
        row.p95.base ?? null,
        row.avgLoadTime.value ?? null,
      ]),
      unstored: Object.values(unstored).reduce((sum, count) => sum + count, 0),
      changes: (compared.measures ?? []).map(({ name, verdict, mean }) => [
        name,
        verdict,
        mean?.base ?? null,
      ]),
    });
    const counts = metrics.flatMap(({ label, data: [head = [], ...rows] }) => {
      const columns = ["Timestamp", "count", "errCount"].map((name) => head.indexOf(name));
      return rows
        .map((row) => [label, ...columns.map((column) => Number(row[column]))])
        .filter(([, second]) => second !== 0);
    });
    expect(answer?.series.map((row) => row.slice(0, 4))).toEqual(counts);
    const sumOf = (name: string) =>
      measures.filter((each) => each.name === name).reduce((sum, { count }) => sum + count, 0);
    for (const [name, count] of Object.entries(answer?.measured ?? {})) {
      expect(count).toBe(sumOf(name));
    }
  }
});

/** Runs all cells in order, as a notebook does, and prints the results. */
const RUN_CELLS = `
import json, sys
found = {}
with open(sys.argv[1], encoding="utf-8") as notebook:
    for cell in json.load(notebook)["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), found)
print(json.dumps({
    "counts": found["summary"]["count"].drop("(all)").to_dict(),
    "averages": found["summary"]["avgLoadTime"].to_dict(),
    "minutes": found["series"].groupby("label")["count"].sum().to_dict(),
    "merged": int(found["merged"]["count"].sum()),
}))
`;

interface Found {
  readonly counts: Readonly<Record<string, number>>;
  readonly averages: Readonly<Record<string, number>>;
  readonly minutes: Readonly<Record<string, number>>;
  readonly merged: number;
}

const CLOCK = `
from tachograph import Tachograph
results = Tachograph()
for wrong in ({"resolutoin": 60}, {"merge": True, "zebra": 1}):
    try:
        results.series("one", **wrong)
    except TypeError as error:
        print(str(error)[:70])
# Two requests are too few to compare.
print(results.compare("two", "one")["p95.isSignificant"].isna().all())
frame = results.series(["one", "two"], resolution=10, merge=True)
print(frame.groupby("run")["sinceStart"].agg(list).to_dict())
print(len(results.series(["empty", "one"], merge=True)), list(results.series(["empty"])))
`;

test("misspelt parameters are refused, and several runs have a common clock", async ({ skip }) => {
  skip(python === undefined, "the Python client is not installed");
  for (const [id, second] of Object.entries({ one: 1_700_000_000, two: 1_700_090_000 })) {
    const rows = [second, second + 12].map((at) => `${at}000,100,cart,true,10\n`);
    const text = `timeStamp,elapsed,label,success,bytes\n${rows.join("")}`;
    await other.program.run(["import", "-", "--id", id], text);
  }
  await other.program.run(["tests", "create", "--id", "empty"]);
  const [misspelt, unknown, unmeasured, clock, empty] = (
    await runPython(["-c", CLOCK], other.environment)
  ).split("\n");
  expect(misspelt).toBe(
    "'resolutoin' is no parameter of getPercentiles: did you mean 'resolution'?".slice(0, 70),
  );
  expect(unknown).toContain(
    "'zebra' is no parameter of getPercentiles: expected one of id, filter",
  );
  expect(unmeasured).toBe("True");
  expect(clock).toBe("{'one': [0.0, 10.0], 'two': [0.0, 10.0]}");
  expect(empty).toBe("2 ['label', 'time', 'count', 'run', 'sinceStart']");
});

test("every cell of the notebook runs, and agrees with JMeter's report", async ({ skip }) => {
  skip(python === undefined, "no Python with pandas");
  await other.program.run(["import", DEMO, "--id", "shop"]);
  const notebook = path.join(root, "examples/load-tests.ipynb");
  const found = JSON.parse(
    await runPython(["-c", RUN_CELLS, notebook], other.environment),
  ) as Found;
  const reported = Object.entries(demoReport());
  const counts = Object.fromEntries(
    reported.map(([label, { sampleCount }]) => [label, sampleCount]),
  );
  expect(found.counts).toEqual(counts);
  expect(found.minutes).toEqual(counts);
  for (const [label, { meanResTime }] of reported) {
    expect(found.averages[label]).toBeCloseTo(meanResTime / 1000, 5);
  }
  // Only requests count: see examples/demo/README.md.
  expect(found.merged).toBe(9225);
});
