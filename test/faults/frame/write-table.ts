import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import type { FaultResult } from "./fault.ts";
import { withResults } from "./report.ts";

/** Writes results into the table of a document: see `withResults`. */
export function writeTable(file: string, results: readonly FaultResult[], seed: number): void {
  const document = readFileSync(file, "utf8");
  writeFileSync(file, withResults(document, results, { seed, commit: commitHere() }));
}

/** With a `+` if files differ from it. */
function commitHere(): string {
  const describe = ["describe", "--always", "--exclude=*", "--dirty=+", "--abbrev=8"];
  return execFileSync("git", describe, { encoding: "utf8" }).trim();
}
