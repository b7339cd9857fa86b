import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { parseDocument } from "yaml";
import { createFakeProgram } from "../support/fake-program.ts";
import { createTestServer } from "../support/test-server.ts";
import { type Block, codeBlocks, ROOT } from "./blocks.ts";
import { NOT_RUN } from "./not-run.ts";
import { prepareShell, runShell } from "./run-shell.ts";

const folder = await mkdtemp(path.join(tmpdir(), "tachograph-examples-"));

afterAll(() => rm(folder, { recursive: true }));

const blocks = codeBlocks();
const isNotRun = ({ name }: Block) => Object.keys(NOT_RUN).some((start) => name.startsWith(start));
const of = (...languages: readonly string[]) =>
  blocks.filter((block) => languages.includes(block.language) && !isNotRun(block));

/** What nothing runs: output, grammars, layouts of bytes. */
const PLAIN = new Set(["text", "console", "sql"]);

test("each block is checked or listed, and what is listed exists", () => {
  const known = new Set(["sh", "json", "yaml", "ts", "js", "python", "toml", ...PLAIN]);
  expect(blocks.filter(({ language }) => !known.has(language))).toEqual([]);
  const gone = Object.keys(NOT_RUN).filter(
    (start) => !blocks.some(({ name }) => name.startsWith(start)),
  );
  expect(gone).toEqual([]);
});

/** Of three endpoints, eight requests a second for two minutes. */
function results(factor: number, startMs: number): string {
  const rows = Array.from({ length: 960 }, (_, index) => {
    const label = ["GET /", "GET /cart", "POST /checkout"][index % 3];
    const elapsed = (20 + ((index * 7) % 10)) * factor;
    return `${startMs + index * 125},${elapsed},${label},200,OK,users 1-1,${index % 40 > 0},10\n`;
  });
  return `timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes\n${rows.join("")}`;
}

/** What the blocks import: recordings of the tools, in test/fixtures. */
const RECORDED = {
  "ab.tsv": "ab/gen-ab-2.3-g.tsv.gz",
  "report.json": "artillery/gen-artillery-2.0.34-metrics-by-endpoint.json.gz",
  "target/gatling/shopsimulation-20261121133606973/simulation.log":
    "gatling-text/gen-gatling-3.12.0.simulation.log.gz",
  "requests.csv": "locust/gen-locust-2.47.0-request-log_requests.csv.gz",
  "run_stats_history.csv": "locust/gen-locust-2.47.0-full-history_stats_history.csv.gz",
  "hey.csv": "hey/gen-hey-0.1.5-ok.csv.gz",
  "oha.csv": "oha/gen-oha-1.16.0-ok.csv.gz",
  "run.json": "k6-json/gen-k6-1.8.1-main.json.gz",
  "k6.csv": "k6-csv/gen-k6-1.8.1-main.csv.gz",
  "shop.har": "har/gen-har-playwright-1.65.1-full.har.gz",
  "siege.out": "siege/gen-siege-4.0.7-csv-timestamp.txt.gz",
} as const;

function seed(name: string): Buffer {
  return readFileSync(path.join(ROOT, "test/fuzz/corpus", name));
}

const WRITTEN = {
  "results.jtl": results(1, 1_700_000_000_000),
  "results.jtl.gz": gzipSync(results(1, 1_700_000_000_000)),
  "run.jtl.gz": gzipSync(results(3, 1_700_000_000_000)),
  "gc.log": "[0.1s][info][gc] Pause Young 3ms\n",
  "dashboard.png": Buffer.from("89504e470d0a1a0a", "hex"),
  "thresholds.yaml": "thresholds: [{ failIf: [errors > 50%] }]\n",
  "access.log": "1700000000.5 GET /cart 200 512 0.25\n",
  "phout.log": "1700000000.500\tcart\t12000\t100\t50\t11000\t850\t100\t200\t512\t0\t200\n",
  "profile_export.jsonl": seed("aiperf-jsonl/seed-gen-0.13.0.dat"),
  "READ.hlog": seed("hdr-log/seed-version-2.dat"),
  "ghz.json": seed("ghz-json/seed-report.dat"),
  "results.bin": seed("vegeta-gob/seed-results.dat"),
  "bin/vegeta.out": seed("vegeta-csv/seed-results.dat"),
  ".tsung/log/20261121-0343/tsung.dump": seed("tsung-dump/seed-rows.dat"),
  "run-side": "",
  FILE: "",
  ".siege/siege.conf": "",
  "h2load.log": "1700000000000000\t200\t5000\n",
  "fortio.log": '{"timestamp":1700000000123456789,"latency":0.01,"ok":true,"details":""}\n',
  "autocannon.ndjson":
    '{"timestamp":1700000000.5,"label":"GET /cart","elapsedMs":12,"code":200,"receivedBytes":10}\n',
};

const recorded = Object.entries(RECORDED).map(([name, fixture]) => {
  return [name, gunzipSync(readFileSync(path.join(ROOT, "test/fixtures", fixture)))] as const;
});
const k6Run = recorded.find(([name]) => name === "run.json")?.[1] ?? "";
const INPUTS = [...recorded, ["run.json.gz", gzipSync(k6Run)] as const, ...Object.entries(WRITTEN)];

/** Writes what a block reads; what load tools print is found beside their stand-ins. */
async function writeInputs(place: string, text: string): Promise<void> {
  for (const [name, contents] of INPUTS) {
    const base = path.basename(name);
    const tool = path.basename(name, path.extname(name));
    if (!text.includes(name.startsWith("bin/") ? tool : base)) continue;
    const copies = [path.join(place, name)];
    if (name in RECORDED) copies.push(path.join(place, "bin", `${tool}.out`));
    for (const file of copies) {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, contents, { mode: 0o755 });
    }
  }
}

const RUNS = [
  "demo-1",
  "demo-5",
  "demo",
  "checkout-1",
  "checkout-2",
  "release-40",
  "release-41",
  "release-42",
  "nightly-14",
  "nightly-42",
  "ramp-3",
];

/** Those that the block does not make itself. */
const LATER_RUNS = ["nightly-7"];

const PAIRED_RUNS = ["base-1", "head-1", "base-2", "head-2", "base-3", "head-3"];

test.each(of("sh"))("$name runs", async ({ text }) => {
  const place = await mkdtemp(path.join(folder, "block-"));
  const world = await createTestServer();
  try {
    const url = await world.server.listen();
    const key = await world.makeKey("read", "write", "admin");
    const program = createFakeProgram({ ...world.store, close: async () => {} });
    const isMade = (id: string) => /tests create|tachograph import/.test(text) && text.includes(id);
    const paired = PAIRED_RUNS.filter((id) => text.includes(id));
    const runs = [...RUNS, ...LATER_RUNS.filter((id) => !isMade(id)), ...paired];
    for (const [index, id] of runs.entries()) {
      const rows = results(1 + index, 1_690_000_000_000 + index * 86_400_000);
      const name = id.startsWith("demo") ? "Web shop" : "checkout";
      await program.run(["import", "-", "--id", id, "--name", name], rows);
      await program.run(["tests", "tag", id, "main", "prod", `pr-17-${id.slice(0, 4)}`]);
    }
    await prepareShell({ folder: place, url, key });
    await writeInputs(place, text);
    await expect(runShell(text, { folder: place, url, key }, program)).resolves.toBeUndefined();
  } finally {
    await world.server.close();
  }
});

test.each(of("json"))("$name is JSON", ({ text }) => {
  // What is left out is written as `...`.
  const whole = text.replaceAll(/,\s*\.\.\.(?=\s*[}\]])/g, "").replaceAll(/: \.\.\./g, ": null");
  expect(() => JSON.parse(whole)).not.toThrow();
});

test.each(of("yaml"))("$name is YAML", ({ text }) => {
  const { errors, warnings } = parseDocument(text);
  expect([...errors, ...warnings]).toEqual([]);
});

const run = promisify(execFile);

test.each(of("python"))("$name compiles", async ({ text }) => {
  const compiling = "import sys; compile(sys.argv[1], 'example', 'exec')";
  await expect(run("python3", ["-c", compiling, text])).resolves.toBeDefined();
});

test.each(of("toml"))("$name is TOML", async ({ text }) => {
  const reading = "import sys, tomllib; tomllib.loads(sys.argv[1])";
  await expect(run("python3", ["-c", reading, text])).resolves.toBeDefined();
});

test.each(of("js"))("$name is a module", async ({ text }) => {
  const file = path.join(folder, "example.mjs");
  await writeFile(file, text);
  await expect(run(process.execPath, ["--check", file])).resolves.toBeDefined();
});

test("blocks of TypeScript have the types of the client", { timeout: 60_000 }, async () => {
  const project = path.join(folder, "typescript");
  await mkdir(project);
  const examples = of("ts");
  expect(examples).not.toEqual([]);
  await Promise.all(
    examples.map(({ text }, index) => writeFile(path.join(project, `${index}.ts`), text)),
  );
  const compilerOptions = {
    paths: { "tachograph/client": [path.join(folder, "client/tachograph.d.ts")] },
    typeRoots: [path.join(ROOT, "node_modules/@types")],
    types: ["node"],
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: "esnext",
    module: "nodenext",
  };
  const compiler = path.join(ROOT, "node_modules/.bin/tsc");
  await run(compiler, [
    "-p",
    path.join(ROOT, "src/client"),
    "--outDir",
    path.join(folder, "client"),
  ]);
  const settings = path.join(project, "tsconfig.json");
  await writeFile(settings, JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  await writeFile(path.join(project, "package.json"), '{"type":"module"}');
  const checked = await run(compiler, ["-p", settings]).catch(
    (error: { readonly stdout: string }) => error,
  );
  expect(checked.stdout).toBe("");
});
