import type { Comparison, ComparedRow, Verdict } from "../operations/compare-judge.ts";
import type { LoadTestComparison } from "../operations/compare-load-tests.ts";
import { formatChange, formatCount, formatMilliseconds, formatShare } from "./format-quantity.ts";
import { wholeNotes, withRole } from "./whole-texts.ts";

const VERDICTS: Readonly<Record<Verdict, string>> = {
  slower: "▲ slower",
  faster: "▼ faster",
  unchanged: "= no significant change",
  tooFew: "? too few requests",
  new: "+ new",
  gone: "− gone",
};

const HEAD = ["VERDICT", "REQUESTS", "FAILED", "SHIFT", "AVG", "P50", "P95", "P99", "ENDPOINT"];

const STAR_NOTE = "* more than noise explains";

/** A comparison as people read it. */
export interface ComparisonTexts {
  /** How many endpoints have each verdict. */
  readonly counts: string;
  /** Cells, with a head. */
  readonly rows: readonly (readonly string[])[];
  /** Lines below the rows. */
  readonly notes: readonly string[];
}

/** At most `limit` endpoints are shown, and all are counted; `show` makes a label fit to be shown. */
export function comparisonTexts(
  comparison: LoadTestComparison,
  limit: number,
  show: (label: string) => string,
): ComparisonTexts {
  const { overall, endpoints } = comparison;
  const rows = endpoints
    .slice(0, limit)
    .map((row) => [...cellsOf(row), withRole(show(row.label), row.role)]);
  const hidden = endpoints.length - rows.length;
  return {
    counts: verdictCounts(comparison),
    rows: [HEAD, [...cellsOf(overall), "(all)"], ...rows],
    notes: [
      ...(hidden === 0 ? [] : [`${formatCount(hidden, "endpoint")} not shown`]),
      ...wholeNotes(comparison),
      STAR_NOTE,
    ],
  };
}

function verdictCounts({ endpoints }: LoadTestComparison): string {
  const groups = Map.groupBy(endpoints, ({ verdict }) => verdict);
  const parts = Object.entries(VERDICTS).flatMap(([verdict, words]) => {
    const count = groups.get(verdict as Verdict)?.length ?? 0;
    return count === 0 ? [] : [`${words.slice(2)} ${count}`];
  });
  return [formatCount(endpoints.length, "endpoint"), ...parts].join(" · ");
}

function cellsOf(row: ComparedRow): string[] {
  const { verdict, count, errRate, shift, avgLoadTime, p50, p95, p99 } = row;
  return [
    VERDICTS[verdict],
    pairOf(String(count.base), String(count.value)),
    failures(errRate),
    changeOf(shift),
    ...[avgLoadTime, p50, p95, p99].map(time),
  ];
}

function failures({ base, value, isSignificant }: Comparison): string {
  const [from, to] = [base, value].map((each) => (each === undefined ? "-" : formatShare(each)));
  return `${pairOf(from ?? "-", to ?? "-")}${isSignificant ? " *" : ""}`;
}

function time(comparison: Comparison): string {
  const { base, value, change } = comparison;
  const pair = pairOf(formatMilliseconds(base), formatMilliseconds(value));
  return change === undefined ? pair : `${pair} (${changeOf(comparison)})`;
}

function changeOf({ change, isSignificant }: Comparison): string {
  return change === undefined ? "-" : `${formatChange(change)}${isSignificant ? " *" : ""}`;
}

function pairOf(from: string, to: string): string {
  return from === to ? from : `${from} → ${to}`;
}
