import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type ProcessOutcome, runTachograph, startTachograph } from "../support/run-tachograph.ts";
import { testFolder } from "../support/test-folder.ts";

test("a reader that closes the pipe early changes no exit code", async () => {
  const { file, data } = resultsOf("1700000000000,10,GET /,false");
  await runTachograph(["import", file, "--id", "all-fail", ...data]);
  const check = ["check", "all-fail", ...data, "--fail-if"];

  expect(await exitCodeUnread([...check, "errors > 1%"])).toBe(4);
  expect(await exitCodeUnread([...check, "avg > 1s"])).toBe(0);
  expect(await exitCodeUnread(["import", file, `${file}.missing`, "--id", "two", ...data])).toBe(2);
  expect(await exitCodeUnread(["metrics", "all-fail", "--all", ...data])).toBe(0);
});

test("an export stops once its output is closed", async () => {
  const { file, data } = resultsOf("1700000000000,10,GET /,true");
  await runTachograph(["import", file, "--id", "one", ...data]);

  // The hint that nothing matches comes after the last bytes.
  const { exitCode, error } = await unread(["metrics", "one", "--filter", "none", ...data]);
  expect(error).toBe("");
  expect(exitCode).toBe(0);
});

/** A JMeter file with this row, and an empty data directory. */
function resultsOf(row: string) {
  const folder = testFolder();
  const file = path.join(folder, "results.jtl");
  writeFileSync(file, `timeStamp,elapsed,label,success\n${row}\n`);
  return { file, data: ["--data", path.join(folder, "data")] };
}

async function exitCodeUnread(words: readonly string[]): Promise<number | undefined> {
  return (await unread(words)).exitCode;
}

function unread(words: readonly string[]): Promise<ProcessOutcome> {
  const { process: child, outcome } = startTachograph(words);
  child.stdout?.destroy();
  return outcome;
}
