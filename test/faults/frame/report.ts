import type { FaultResult } from "./fault.ts";

/** One line, followed by the error if there is one. */
export function describeResult(result: FaultResult): string {
  const { id, title, rounds, outcome, tookSeconds, trouble } = result;
  const head = `${outcome.toUpperCase().padEnd(8)} ${id.padEnd(4)} ${title}`;
  const figures = [`${rounds} rounds`, ...figuresOf(result), `${tookSeconds} s`].join(", ");
  const lines = [head, `              ${figures}`];
  if (trouble !== undefined)
    lines.push(...trouble.split("\n").map((line) => `              ${line}`));
  return lines.join("\n");
}

/** As a table in Markdown. */
export function markdownRows(results: readonly FaultResult[]): string {
  const rows = results.map((result) => {
    const figures = result.outcome === "held" ? figuresOf(result).join(", ") : result.outcome;
    return `| ${result.id} | ${result.title} | ${result.rounds} | ${figures} |`;
  });
  return ["| | fault | rounds | figures |", "| --- | --- | ---: | --- |", ...rows].join("\n");
}

/** In the format of the test runner's counts, so that both can be added up. */
export function countsOf(results: readonly FaultResult[]): Readonly<Record<string, number>> {
  const count = (outcome: FaultResult["outcome"]): number =>
    results.filter((result) => result.outcome === outcome).length;
  return {
    numPassedTests: count("held"),
    numFailedTests: count("failed"),
    numPendingTests: count("missing"),
  };
}

function figuresOf({ figures }: FaultResult): string[] {
  return Object.entries(figures).map(([name, figure]) => `${name} ${figure}`);
}
