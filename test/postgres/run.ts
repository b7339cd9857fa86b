/**
 * The tests of the PostgreSQL store on real servers:
 *
 *     npm run task test:postgres -- [--allow-missing] [--out FILE]
 *
 * Exit code 1: a test failed, or PostgreSQL is missing. With --allow-missing, a missing PostgreSQL is reported and counted
 * as skipped, and the exit code is 3. `--out` writes the counts of results as JSON.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { programsOf } from "./server.ts";

const { values } = parseArgs({
  options: {
    "allow-missing": { type: "boolean", default: false },
    out: { type: "string" },
  },
});
process.exitCode = programsOf() === undefined ? reportMissing() : await runTests();

function reportMissing(): number {
  console.error("no PostgreSQL here: test/postgres/install-programs.sh installs it");
  if (!values["allow-missing"]) return 1;
  const counts = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 1 };
  if (values.out !== undefined) writeFileSync(values.out, JSON.stringify(counts));
  return 3;
}

async function runTests(): Promise<number> {
  const root = path.join(import.meta.dirname, "../..");
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const out = values.out === undefined ? undefined : path.resolve(values.out);
  const child = spawn(
    process.execPath,
    [vitest, "run", "--config", "test/config/postgres.config.ts"],
    {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, ...(out && { TACHOGRAPH_POSTGRES_TEST_RESULTS: out }) },
    },
  );
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}
