import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { runTachograph, startTachograph } from "../support/run-tachograph.ts";
import { testFolder } from "../support/test-folder.ts";

const THRESHOLDS = `thresholds:
  - failIf: [avg > 1s]
  - failIf: [errors > 1% over 1s]
    severity: warn
`;

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("a watcher that %s ends has not checked the run", async (signal, exitCode) => {
  const folder = testFolder();
  const [results, thresholds] = [path.join(folder, "a.jtl"), path.join(folder, "a.yaml")];
  const rows = [0, 1, 2, 3].map((second) => `170000000${second}000,10,GET /,false\n`);
  writeFileSync(results, `timeStamp,elapsed,label,success\n${rows.join("")}`);
  writeFileSync(thresholds, THRESHOLDS);
  const data = ["--data", path.join(folder, "data")];
  await runTachograph(["import", results, "--id", "running", ...data]);

  const watch = ["check", "running", "--watch", "--thresholds", thresholds];
  const watcher = startTachograph([...watch, ...data]);
  await watcher.logged("warning: errors > 1% over 1s");
  watcher.process.kill(signal);
  const outcome = await watcher.outcome;

  expect(outcome).toMatchObject({ exitCode, out: "" });
  expect(outcome.error).toContain("interrupted\n");
});
