/**
 * The tests of the ClickHouse store on real servers, by kind (README.md beside this file):
 *
 *     npm run test:clickhouse    single and modern
 *     npm run test:cluster       cluster
 *     node test/clickhouse/run.ts [--allow-missing] [--fast] [--out FILE] [single] [modern] [cluster]
 *
 * Where TACHOGRAPH_TEST_CLICKHOUSE names servers, in the words of --clickhouse with spaces between
 * them, the tests run on those instead, whatever kind is asked for.
 *
 * With --fast, what every store must do is not tried once more with merged copies: that takes as long
 * as all the rest.
 *
 * Exit code 1: a test failed, or a program is missing. With --allow-missing a kind whose programs
 * cannot be had here is named and counted as skipped, and the exit code is 3. `--out` writes the
 * counts of results as JSON.
 */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { installChdb } from "./lab/install-chdb.ts";

/** Returns why a kind cannot run here; `undefined` if it can. */
const OBSTACLES = {
  single: findDebianPrograms,
  modern: () => installChdb().then(() => undefined, messageOf),
  cluster: findDebianPrograms,
  given: () => undefined,
} as const satisfies Record<string, () => string | undefined | Promise<string | undefined>>;

const SLOWEST = "compacted-conformance.clickhouse.ts";

type Kind = keyof typeof OBSTACLES;

interface Counts {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "allow-missing": { type: "boolean", default: false },
    fast: { type: "boolean", default: false },
    out: { type: "string" },
  },
});
process.exitCode = await run(chosenKinds(positionals));

async function run(kinds: readonly Kind[]): Promise<number> {
  const present: Kind[] = [];
  for (const kind of kinds) {
    const obstacle = await OBSTACLES[kind]();
    if (obstacle === undefined) present.push(kind);
    else console.error(`${kind} cannot be run: ${obstacle}`);
  }
  const missing = kinds.length - present.length;
  if (missing > 0 && !values["allow-missing"]) return 1;
  const { exitCode, counts } = await runTests(present);
  const told = { ...counts, numPendingTests: counts.numPendingTests + missing };
  if (values.out !== undefined) writeFileSync(values.out, JSON.stringify(told));
  return exitCode === 0 && missing > 0 ? 3 : exitCode;
}

function chosenKinds(names: readonly string[]): readonly Kind[] {
  const known = Object.keys(OBSTACLES) as Kind[];
  const unknown = names.filter((name) => known.every((kind) => kind !== name));
  if (unknown.length > 0) throw new Error(`no kind ${unknown.join(", ")}; say ${known.join(", ")}`);
  if (process.env["TACHOGRAPH_TEST_CLICKHOUSE"] !== undefined) return ["given"];
  return known.filter((kind) => names.includes(kind));
}

function findDebianPrograms(): string | undefined {
  const script = path.join(import.meta.dirname, "install-programs.sh");
  const { status, stderr } = spawnSync(script, ["--check"], { encoding: "utf8" });
  return status === 0 ? undefined : `${stderr.trim()}; ${script} installs them`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs the tests of these kinds, each from the folder of its name. */
async function runTests(
  kinds: readonly Kind[],
): Promise<{ readonly exitCode: number; readonly counts: Counts }> {
  const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 };
  if (kinds.length === 0) return { exitCode: 0, counts: none };
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-results-"));
  const results = path.join(folder, "results.json");
  try {
    const root = path.join(import.meta.dirname, "../..");
    const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
    const filters = kinds.map((kind) => `test/clickhouse/${kind}/`);
    const left = values.fast ? ["--exclude", `**/${SLOWEST}`] : [];
    const words = ["run", "--config", "vitest.clickhouse.config.ts", ...left, ...filters];
    const child = spawn(process.execPath, [vitest, ...words], {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, TACHOGRAPH_CLICKHOUSE_TEST_RESULTS: results },
    });
    const [code] = (await once(child, "exit")) as [number | null];
    return { exitCode: code ?? 1, counts: JSON.parse(readFileSync(results, "utf8")) as Counts };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
