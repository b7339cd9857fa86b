import type {
  ComparedMeasure,
  ComparedRow,
  Comparison,
  MeasureVerdict,
  Verdict,
  ComparedQuality,
  LoadTestComparison,
} from "../../api/compare.ts";
import type { DerivedRole } from "../../model/role.ts";
import type { QualityRemark } from "../../api/parts.ts";
import type { OverallContents } from "../../series/overall.ts";
import {
  formatChange,
  formatCount,
  formatMeasured,
  formatMilliseconds,
  formatShare,
} from "./format-quantity.ts";

const ROLES: Readonly<Record<DerivedRole, string>> = {
  transaction: "transaction",
  subresult: "sub-result",
};

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  slower: "▲ slower",
  faster: "▼ faster",
  unchanged: "= unchanged",
  inconclusive: "~ inconclusive",
  tooFew: "? too few requests",
  tooShort: "? too short",
  new: "+ new",
  gone: "− gone",
};

export const MEASURE_WORDS: Readonly<Record<MeasureVerdict, string>> = {
  worse: "▲ worse",
  changed: "≠ changed",
  inconclusive: VERDICT_WORDS.inconclusive,
  unchanged: VERDICT_WORDS.unchanged,
  better: "▼ better",
  gone: VERDICT_WORDS.gone,
  new: VERDICT_WORDS.new,
};

const MEASURES_HEAD = ["VERDICT", "AVG", "P50", "P95", "P99", "MAX", "MEASURE"];

const HEAD = ["VERDICT", "REQUESTS", "FAILED", "SHIFT", "AVG", "P50", "P95", "P99", "ENDPOINT"];

const STAR_NOTE = "* beyond noise";

export interface ComparisonTexts {
  readonly counts: string;
  /** With a header. */
  readonly rows: readonly (readonly string[])[];
  /** The same of measures; empty if neither run has any. */
  readonly measures: readonly (readonly string[])[];
  readonly notes: readonly string[];
}

/** Shows at most `limit` endpoints but counts all; `show` makes foreign text safe to print. */
export function comparisonTexts(
  comparison: LoadTestComparison,
  limit: number,
  show: (label: string) => string,
): ComparisonTexts {
  const { overall, endpoints, measures = [] } = comparison;
  const ofMeasures = measures.slice(0, limit).map((each) => measureCells(each, show));
  const rows = endpoints
    .slice(0, limit)
    .map((row) => [...cellsOf(row), withRole(show(row.label), row.role)]);
  const hidden = endpoints.length - rows.length;
  return {
    counts: verdictCounts(comparison),
    rows: [HEAD, [...cellsOf(overall), "(all)"], ...rows],
    measures: measures.length === 0 ? [] : [MEASURES_HEAD, ...ofMeasures],
    notes: [
      ...(hidden === 0 ? [] : [`${formatCount(hidden, "endpoint")} not shown`]),
      ...measureNotes(measures, ofMeasures.length),
      ...wholeNotes(comparison),
      ...qualityNotes(comparison.quality, show),
      ...(comparison.noise === undefined ? [] : [show(comparison.noise.message)]),
      ...excludedNote(overall),
      ...detectableNote(overall),
      STAR_NOTE,
    ],
  };
}

function measureCells(measure: ComparedMeasure, show: (text: string) => string): string[] {
  const cell = (compared: ComparedMeasure["mean"]): string => {
    if (compared === undefined) return "-";
    const { base, value, change, isSignificant } = compared;
    const pair = pairOf(formatMeasured(base, measure), formatMeasured(value, measure));
    if (change === undefined || measure.kind === "rate")
      return `${pair}${isSignificant ? " *" : ""}`;
    return `${pair} (${changeOf(compared)})`;
  };
  const { verdict, mean, rate, p50, p95, p99, max, name, tags, endpoint } = measure;
  const of = Object.entries(tags).map(([tag, value]) => `${tag}=${value}`);
  const words = [name, ...(endpoint === undefined ? [] : [endpoint.label]), ...of];
  return [
    MEASURE_WORDS[verdict],
    cell(mean ?? rate),
    ...[p50, p95, p99, max].map(cell),
    show(words.join(" ")),
  ];
}

/** What is not shown, which run has none of them, and why noise is not known. */
function measureNotes(measures: readonly ComparedMeasure[], shown: number): readonly string[] {
  if (measures.length === 0) return [];
  const hidden = measures.length - shown;
  const reasons = Map.groupBy(measures, ({ reason }) => reason);
  return [
    ...(hidden === 0 ? [] : [`${formatCount(hidden, "measure")} not shown`]),
    ...(measures.every(({ verdict }) => verdict === "new")
      ? ["the base has no such measures"]
      : []),
    ...(measures.every(({ verdict }) => verdict === "gone")
      ? ["this run has no such measures"]
      : []),
    ...[...reasons].flatMap(([reason, { length }]) =>
      reason === undefined ? [] : [`${formatCount(length, "measure")} inconclusive: ${reason}`],
    ),
  ];
}

function excludedNote({ verdict, shift }: ComparedRow): readonly string[] {
  if (verdict !== "inconclusive" || shift.atMost === undefined) return [];
  return [`a shift of (all) by more than ${Math.ceil(100 * shift.atMost)} % is excluded`];
}

function detectableNote({ p95 }: ComparedRow): readonly string[] {
  const { detectable } = p95.betweenRuns ?? {};
  if (detectable === undefined) return [];
  return [`if p95 of (all) grows by ${Math.ceil(100 * detectable)} %, 9 of 10 comparisons find it`];
}

/** Unique sentences, with their side unless both have them. */
function qualityNotes(
  { base, value }: ComparedQuality,
  show: (text: string) => string,
): readonly string[] {
  const [ofBase, ofLater] = [messagesOf(base), messagesOf(value)];
  return [...new Set([...ofBase, ...ofLater])].map((message) => {
    if (!ofLater.has(message)) return `${show(message)} (base only)`;
    return ofBase.has(message) ? show(message) : `${show(message)} (not the base)`;
  });
}

export function messagesOf(remarks: readonly QualityRemark[]): ReadonlySet<string> {
  return new Set(remarks.map(({ message }) => message));
}

function verdictCounts({ endpoints }: LoadTestComparison): string {
  const groups = Map.groupBy(endpoints, ({ verdict }) => verdict);
  const parts = Object.entries(VERDICT_WORDS).flatMap(([verdict, words]) => {
    const count = groups.get(verdict as Verdict)?.length ?? 0;
    return count === 0 ? [] : [`${words.slice(2)} ${count}`];
  });
  return [formatCount(endpoints.length, "endpoint"), ...parts].join(" · ");
}

function cellsOf(row: ComparedRow): string[] {
  const { verdict, count, errRate, shift, avgLoadTime, p50, p95, p99 } = row;
  return [
    VERDICT_WORDS[verdict],
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

/** Marks labels whose rows are no requests. */
export function withRole(label: string, role: DerivedRole | undefined): string {
  return role === undefined ? label : `${label} (${ROLES[role]})`;
}

/** Note for the row `(all)`, if any. */
export function wholeNotes({ overallOf, leftOut }: OverallContents): readonly string[] {
  if (overallOf === "everything") return ["(all) includes transactions or sub-results"];
  const parts = countRoles(leftOut);
  return parts === "" ? [] : [`(all) is without ${parts}`];
}

/** Such as `1 transaction and 2 sub-results`; empty if there are none. */
export function countRoles({ transactions, subresults }: OverallContents["leftOut"]): string {
  return [
    ...(transactions === 0 ? [] : [formatCount(transactions, ROLES.transaction)]),
    ...(subresults === 0 ? [] : [formatCount(subresults, ROLES.subresult)]),
  ].join(" and ");
}
