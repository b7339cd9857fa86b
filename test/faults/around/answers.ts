import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { runTachograph } from "../../support/run-tachograph.ts";

/**
 * Length and digest of what readers see of the load test `run` in a data directory: every number of the
 * endpoints whose label contains `filter`, percentiles, failures.
 */
export async function answersIn(data: string, filter: string): Promise<string[]> {
  const readings = [
    ["metrics", "run", "--filter", filter, "--format", "csv"],
    ["summary", "run", "--json"],
    ["failures", "run"],
  ];
  const outcomes = await Promise.all(
    readings.map((words) => runTachograph([...words, "--data", data])),
  );
  for (const { exitCode, error } of outcomes) assert.equal(exitCode, 0, error);
  return outcomes.map(({ out }) => `${out.length} ${hash("sha256", out)}`);
}

/**
 * Whether `run` exists after a kill. `whole` has the length and digest of its complete metrics, as in
 * `answersIn`. Throws if only a part is stored.
 */
export async function isThere(data: string, filter: string, whole: string): Promise<boolean> {
  const words = ["metrics", "run", "--filter", filter, "--format", "csv", "--data", data];
  const { exitCode, out, error } = await runTachograph(words);
  if (exitCode !== 0) {
    assert.match(error, /no run|there is no store/);
    return false;
  }
  if (out.trim() === "[]") return false;
  assert.equal(`${out.length} ${hash("sha256", out)}`, whole, "a part of the file is visible");
  return true;
}
