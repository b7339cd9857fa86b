/** A comparison as text for export. */

import type {
  ComparedEndpoint,
  ComparedRow,
  Comparison,
  LoadTestComparison,
} from "../api/comparison.ts";
import { change, inWords } from "../format/changes.ts";
import { csvCell, markdownCode } from "../../../src/render/table-cell.ts";
import { count, duration, type Quantity, share } from "../format/numbers.ts";
import { ROLES, wholeText } from "../format/whole.ts";
import { KINDS } from "./verdicts.ts";

const TIMES = ["avgLoadTime", "p50", "p95", "p99"] as const;
const FIGURES = ["errRate", ...TIMES] as const;
const CHANGE = ["change", "low", "high", "isSignificant"] as const;
const MEMBERS = ["base", "value", ...CHANGE] as const;

/** One row per endpoint with all numbers as answered; times in seconds. */
export function comparisonCsv(endpoints: readonly ComparedEndpoint[]): string {
  const figures = FIGURES.flatMap((figure) => MEMBERS.map((member) => `${figure} ${member}`));
  const shift = CHANGE.map((member) => `shift ${member}`);
  const head = ["label", "role", "verdict", "count base", "count value", ...figures, ...shift];
  const rows = endpoints.map((row) => [
    csvCell(row.label),
    row.role,
    row.verdict,
    row.count.base,
    row.count.value,
    ...FIGURES.flatMap((figure) => MEMBERS.map((member) => row[figure][member])),
    ...CHANGE.map((member) => row.shift[member]),
  ]);
  return [head, ...rows].map((cells) => `${cells.join(",")}\r\n`).join("");
}

const HEAD = ["VERDICT", "REQUESTS", "FAILED", "SHIFT", "AVG", "P50", "P95", "P99", "ENDPOINT"];

/**
 * GitHub's limit for comments; 40 characters are reserved for the line that counts omitted rows.
 */
const TEXT_MAX = 65_536 - 40;

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}

/** The table of `tachograph compare --markdown`, with as many endpoints as fit in a comment. */
export function comparisonMarkdown(comparison: LoadTestComparison): string {
  const { overall, endpoints } = comparison;
  const head = [HEAD, HEAD.map(() => "---"), [...cellsOf(overall), "(all)"]].map(lineOf);
  const whole = wholeText(comparison);
  const note = whole === "" ? "" : `\n(all) is ${whole}\n`;
  const remarks = comparedRemarks(comparison, markdownCode).map((remark) => `\n${remark}\n`);
  const below = `${note}${remarks.join("")}\n\\* beyond noise\n`;
  const lines = endpoints.map((row) => lineOf([...cellsOf(row), nameOf(row)]));
  let room = TEXT_MAX - head.join("").length - below.length;
  const end = lines.findIndex((line) => (room -= line.length) < 0);
  const hidden = end === -1 ? 0 : lines.length - end;
  const left = hidden === 0 ? "" : `\n${count(hidden)} row${hidden === 1 ? "" : "s"} not shown\n`;
  return `${head.join("")}${lines.slice(0, lines.length - hidden).join("")}${left}${below}`;
}

/**
 * Limits of the compared figures, each sentence once, with its side unless it is about both; then the noise.
 */
export function comparedRemarks(
  { quality: { base, value }, noise }: LoadTestComparison,
  show: (text: string) => string,
): readonly string[] {
  const [ofBase, ofLater] = [base, value].map(
    (remarks) => new Set(remarks.map(({ message }) => message)),
  );
  const messages = new Set([...base, ...value].map(({ message }) => message));
  const remarks = [...messages].map((message) => {
    if (ofLater?.has(message) !== true) return `${show(message)} (base only)`;
    return ofBase?.has(message) === true ? show(message) : `${show(message)} (not the base)`;
  });
  return noise === undefined ? remarks : [...remarks, show(noise.message)];
}

function nameOf({ label, role }: ComparedEndpoint): string {
  return role === undefined ? markdownCode(label) : `${markdownCode(label)} (${ROLES[role]})`;
}

function cellsOf(row: ComparedRow): string[] {
  const { sign, words } = KINDS[row.verdict];
  return [
    `${sign} ${words}`,
    pairOf(count(row.count.base), count(row.count.value)),
    `${pairOfFigures(row.errRate, share)}${row.errRate.isSignificant === true ? " *" : ""}`,
    changeOf(row.shift),
    ...TIMES.map((figure) => timeCell(row[figure])),
  ];
}

/** `50 ms → 61 ms (+22 % *)`. */
function timeCell(comparison: Comparison): string {
  const pair = pairOfFigures(comparison, duration);
  return comparison.change === undefined ? pair : `${pair} (${changeOf(comparison)})`;
}

/** The star marks a difference beyond noise. */
function changeOf({ change: value, isSignificant }: Comparison): string {
  if (value === undefined) return "–";
  return `${inWords(change(value))}${isSignificant === true ? " *" : ""}`;
}

function pairOfFigures({ base, value }: Comparison, format: (value: number) => Quantity): string {
  const [from = "–", to = "–"] = [base, value].map((each) =>
    each === undefined ? undefined : inWords(format(each)),
  );
  return pairOf(from, to);
}

function pairOf(from: string, to: string): string {
  return from === to ? from : `${from} → ${to}`;
}
