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

/** Id of the faults of `npm run task test:cluster`. */
export const CLUSTER = "cluster";

/** What the runs do, by id. Each run is of one kind. */
export const KINDS: Readonly<Record<string, readonly string[]>> = {
  "`kill -9` while all kinds of writes arrive": ["C1", "C3"],
  "`kill -9` of an upload, followers or an import": ["C1b", "C1c", "C2"],
  "`kill -9` of judging, notices, retention, copies, exports or backups": ["C1d", "C1e", "C1f"],
  "`kill -9` of PostgreSQL or of one of two servers on it": ["P1"],
  "failover in a cluster of PostgreSQL servers": [CLUSTER],
  "power cut": ["C4", "C5"],
  "kill or power cut at any call of any write": ["C4b"],
  "failing write or sync": ["C6", "C7", "C8"],
  "full disk": ["C9", "C9b", "C9c", "C10", "C11"],
  "read-only disk, few files": ["C12", "C12b", "C13"],
  "little memory": ["C13b", "C14", "C27", "M1", "M2"],
  "flipped bits, damaged or missing files": ["C15", "C16", "C29"],
  "stop or pause": ["C17", "C18", "C19"],
  "slow disk or reader": ["C20", "C21", "C28"],
  "clock that jumps": ["C22", "C22b"],
  "backup under load": ["C23"],
  "broken connections": ["C25"],
  "two processes": ["T34", "H1"],
  "clients that take too much": ["A1", "A2", "A3", "A4", "A5", "A6"],
};

const TABLE_HEAD = [
  "| fault | runs | rounds | result | seed | commit |",
  "| --- | --- | --: | --- | --: | --- |",
];

/** Where and with what faults were tried. */
export interface Trial {
  readonly seed: number;
  readonly commit: string;
}

/** Returns the document with its table of kinds of faults, in which those that were tried have a new row. Throws without a table. */
export function withResults(
  document: string,
  results: readonly FaultResult[],
  trial: Trial,
): string {
  const [head = ""] = TABLE_HEAD;
  const firstCell = head.split("|")[1]?.trim() ?? "";
  const table = new RegExp(String.raw`^\| ${firstCell} .*(\n\|.*)*`, "m");
  const found = table.exec(document)?.[0];
  if (found === undefined)
    throw new Error(`the document has no table with the column "${firstCell}"`);
  const rows = Object.entries(KINDS).flatMap(([kind, ids]) => {
    const tried = results.filter(({ id }) => ids.includes(id));
    if (tried.length > 0) return rowOf(kind, tried, trial);
    return found.split("\n").find((row) => row.split("|")[1]?.trim() === kind) ?? [];
  });
  return document.replace(table, () => [...TABLE_HEAD, ...rows].join("\n"));
}

function rowOf(kind: string, tried: readonly FaultResult[], { seed, commit }: Trial): string {
  const rounds = tried.reduce((sum, each) => sum + each.rounds, 0);
  const others = tried.filter(({ outcome }) => outcome !== "held");
  const result = others.map(
    ({ id, outcome }) => `${id} ${outcome === "missing" ? "not run" : outcome}`,
  );
  const cells = [
    kind,
    tried.map(({ id }) => id).join(", "),
    rounds,
    result.join(", ") || "held",
    seed,
    commit,
  ];
  return `| ${cells.join(" | ")} |`;
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
