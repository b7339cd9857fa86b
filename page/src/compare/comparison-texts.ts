/** A comparison as text for elsewhere. */

import type { ComparedEndpoint, ComparedRow, Comparison } from "../api/comparison.ts";
import { change, inWords } from "../format/changes.ts";
import { quoted } from "../format/csv.ts";
import { markdownCode } from "../format/markdown.ts";
import { count, duration, share } from "../format/numbers.ts";
import { KINDS } from "./verdicts.ts";

const TIMES = ["avgLoadTime", "p50", "p95", "p99"] as const;
const FIGURES = ["errRate", ...TIMES] as const;
const MEMBERS = ["base", "value", "change", "low", "high", "isSignificant"] as const;

/** A row for each endpoint, with every number as it was answered; times in seconds. */
export function comparisonCsv(endpoints: readonly ComparedEndpoint[]): string {
  const figures = FIGURES.flatMap((figure) => MEMBERS.map((member) => `${figure} ${member}`));
  const head = ["label", "verdict", "count base", "count value", ...figures];
  const rows = endpoints.map((row) => [
    quoted(row.label),
    row.verdict,
    row.count.base,
    row.count.value,
    ...FIGURES.flatMap((figure) => MEMBERS.map((member) => row[figure][member])),
  ]);
  return [head, ...rows].map((cells) => `${cells.join(",")}\r\n`).join("");
}

const HEAD = ["VERDICT", "REQUESTS", "FAILED", "AVG", "P50", "P95", "P99", "ENDPOINT"];

/** The table of `tachograph compare --markdown`. */
export function comparisonMarkdown({
  overall,
  endpoints,
}: {
  readonly overall: ComparedRow;
  readonly endpoints: readonly ComparedEndpoint[];
}): string {
  const rows = [
    HEAD,
    HEAD.map(() => "---"),
    [...cellsOf(overall), "(all)"],
    ...endpoints.map((row) => [...cellsOf(row), markdownCode(row.label)]),
  ];
  const table = rows.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
  return `${table}\n\\* more than noise explains\n`;
}

function cellsOf(row: ComparedRow): string[] {
  const { sign, words } = KINDS[row.verdict];
  return [
    `${sign} ${words}`,
    pairOf(count(row.count.base), count(row.count.value)),
    cellOf(row.errRate, share, undefined),
    ...TIMES.map((figure) => cellOf(row[figure], duration, row[figure].change)),
  ];
}

/** `50 ms → 61 ms (+22 % *)`; the star stands for a difference that is more than noise. */
function cellOf(
  { base, value, isSignificant }: Comparison,
  format: typeof duration,
  changed: number | undefined,
): string {
  const [from = "–", to = "–"] = [base, value].map((each) =>
    each === undefined ? undefined : inWords(format(each)),
  );
  const notes = [
    ...(changed === undefined ? [] : [inWords(change(changed))]),
    ...(isSignificant === true ? ["*"] : []),
  ];
  return `${pairOf(from, to)}${notes.length === 0 ? "" : ` (${notes.join(" ")})`}`;
}

function pairOf(from: string, to: string): string {
  return from === to ? from : `${from} → ${to}`;
}
