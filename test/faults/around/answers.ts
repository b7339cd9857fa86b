import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { runTachograph } from "../../support/run-tachograph.ts";

const READINGS = [
  ["metrics", "run", "--filter", "", "--format", "csv"],
  ["summary", "run", "--json"],
  ["failures", "run"],
];

/** Length and digest of what readers see of the load test `run`: each number, percentiles, failures. */
export async function answersIn(data: string, filter: string): Promise<string[]> {
  const outcomes = await Promise.all(
    READINGS.map((words) => {
      const filled = words.map((word) => (word === "" ? filter : word));
      return runTachograph([...filled, "--data", data]);
    }),
  );
  for (const { exitCode, error } of outcomes) assert.equal(exitCode, 0, error);
  return outcomes.map(({ out }) => `${out.length} ${hash("sha256", out)}`);
}

/** What a reader sees of `run` after a kill: all of it or nothing. Throws for a part; answers whether it is there. */
export async function isThere(data: string, filter: string, whole: string): Promise<boolean> {
  const words = ["metrics", "run", "--filter", filter, "--format", "csv", "--data", data];
  const { exitCode, out, error } = await runTachograph(words);
  if (exitCode !== 0) {
    assert.match(error, /no load test|there is no store/);
    return false;
  }
  if (out.trim() === "[]") return false;
  assert.equal(`${out.length} ${hash("sha256", out)}`, whole, "a part of the file is visible");
  return true;
}
