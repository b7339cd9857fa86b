/** An incident in figures and words. */

import type { FailureKind, Finding, OverallFigures, Scope, Users } from "../../api/figures.ts";
import type { Board } from "../../charts/chart-picture.ts";
import { change, failureChange, inWords } from "../../format/changes.ts";
import { markdownCode } from "../../../../src/render/table-cell.ts";
import { facetsText } from "../../facets/facet-filter.ts";
import { count, duration, rate, share } from "../../format/numbers.ts";
import { endpointsText } from "../charts/caption-of.ts";
import { kindName } from "../causes/failure-kinds.ts";
import type { Range } from "../scope/range.ts";

/** Length shown for a step without a known end. */
const OPEN_STEP_SECONDS = 300;

/** The seconds of a finding, half-open. */
export function stretchOfFinding(finding: Finding): Range {
  if (finding.kind === "step") {
    return { from: finding.at, until: finding.backAt ?? finding.at + OPEN_STEP_SECONDS };
  }
  return { from: finding.from, until: finding.until + 1 };
}

const BEFORE_SECONDS = { min: 60, max: 300 };

/**
 * The reference before an incident: as long as it, one to five minutes; `undefined` at the start.
 */
export function stretchBefore({ from, until }: Range, whole: Range): Range | undefined {
  const length = Math.min(Math.max(until - from, BEFORE_SECONDS.min), BEFORE_SECONDS.max);
  const before = { from: Math.max(whole.from, from - length), until: from };
  return before.from < before.until ? before : undefined;
}

/** The same seconds since the start in another load test that begins at `first`. */
export function stretchIn({ from, until }: Range, whole: Range, first: number): Range {
  return { from: from - whole.from + first, until: until - whole.from + first };
}

export interface Part {
  readonly figures: OverallFigures;
  readonly seconds: number;
}

export interface Measure {
  readonly name: string;
  /** In words; `–` if unknown. */
  readonly before: string;
  readonly during: string;
  readonly change: string;
  readonly baseline: string;
  /** Whether it differs from before by a fifth or more. */
  readonly hasMoved: boolean;
}

type Told = (part: Part) => number | null;

const MOVED_MIN = 0.2;

const MEASURES: readonly (readonly [name: string, of: Told, text: (value: number) => string])[] = [
  ["requests/s", ({ figures, seconds }) => figures.count / seconds, (value) => rate(value)],
  ["failed", ({ figures }) => figures.errRate, (value) => inWords(share(value))],
  ["average", ({ figures }) => figures.avgLoadTime, (value) => inWords(duration(value))],
  ["p50", ({ figures }) => figures.p50, (value) => inWords(duration(value))],
  ["p95", ({ figures }) => figures.p95, (value) => inWords(duration(value))],
  ["p99", ({ figures }) => figures.p99, (value) => inWords(duration(value))],
];

/** Measured before, during, and in the same seconds of the baseline. */
export function measuresOf(
  before: Part | undefined,
  during: Part,
  baseline: Part | undefined,
): readonly Measure[] {
  return MEASURES.map(([name, of, text]) => {
    const valueIn = (part: Part | undefined): number | null =>
      part === undefined || part.figures.count === 0 ? null : of(part);
    const [base, value, usual] = [before, during, baseline].map(valueIn);
    const written = (each: number | null | undefined): string =>
      each === null || each === undefined ? "–" : text(each);
    return {
      name,
      before: written(base),
      during: written(value),
      baseline: written(usual),
      ...changeOf(name, base ?? null, value ?? null),
    };
  });
}

function changeOf(
  name: string,
  base: number | null,
  value: number | null,
): Pick<Measure, "change" | "hasMoved"> {
  if (base === null || value === null) return { change: "–", hasMoved: false };
  if (name === "failed") {
    const quantity = failureChange(base, value);
    return { change: quantity ? inWords(quantity) : "0", hasMoved: value - base >= 0.01 };
  }
  if (base === 0) return { change: "–", hasMoved: false };
  const ratio = value / base - 1;
  return { change: inWords(change(ratio)), hasMoved: Math.abs(ratio) >= MOVED_MIN };
}

/**
 * Users just before an incident and the most during it; `undefined` if the tool does not record them.
 */
export function usersIn(
  users: Users,
  { from, until }: Range,
): { readonly before: number; readonly most: number } | undefined {
  const earlier = users.findLast(([second]) => second < from) ?? users[0];
  if (earlier === undefined) return undefined;
  const within = users.filter(([second]) => second >= from && second < until);
  const most = within.reduce((largest, [, number]) => Math.max(largest, number), earlier[1]);
  return { before: earlier[1], most };
}

export interface Incident {
  /** Of the load test. */
  readonly name: string;
  readonly address: string;
  /** `14:24:12 to 14:24:46 UTC, 35 s` */
  readonly when: string;
  readonly endpoints: readonly string[];
  /** What the figures are of, unless `endpoints` say it; empty: all requests. */
  readonly part: string;
  readonly kinds: readonly Pick<FailureKind, "code" | "message" | "count">[];
  readonly users: { readonly before: number; readonly most: number } | undefined;
  readonly measures: readonly Measure[];
  /** Id of the baseline, if any. */
  readonly baseline: string | undefined;
  /** Measures that moved together with it, strongest first; see docs/findings.md. */
  readonly moved: readonly string[];
  /** What may explain it; see docs/findings.md. */
  readonly causes: readonly string[];
  /** What happened during it or in the minute before, with its time. */
  readonly notes: readonly string[];
}

/** See `Incident.part`. */
export function partText(scope: Scope, endpoints: readonly string[]): string {
  const { filter, hashes, where } = scope;
  const isNamed = endpoints.length > 0 || (filter === "" && hashes.length === 0);
  const parts = [isNamed ? "" : endpointsText(scope), facetsText({ where })];
  return parts.filter((text) => text !== "").join(", ");
}

/** Users before and during, in words; empty if unknown. */
export function usersText(users: Incident["users"]): string {
  if (users === undefined) return "";
  const { before, most } = users;
  return before === most
    ? `${count(most)} users`
    : `${count(before)} users before, up to ${count(most)}`;
}

/** What happened, for a picture above the charts; `shown` is what these show. */
export function incidentBoard(
  incident: Incident,
  shown: string,
): Pick<Board, "name" | "lines" | "table"> {
  const { name, when, endpoints, kinds, users, measures, baseline, moved, notes } = incident;
  const facts = [
    incident.causes.join("; "),
    kinds.map((kind) => `${count(kind.count)} × ${kindName(kind)}`).join(", "),
    endpoints.join(", "),
    usersText(users),
    moved.length === 0 ? "" : `Moved together: ${moved.join("; ")}`,
    notes.join("; "),
  ];
  const row = (head: string, of: (measure: Measure) => string) => [head, ...measures.map(of)];
  return {
    name,
    lines: [`${when} (charts: ${shown})`, ...facts.filter((fact) => fact !== "")],
    table: [
      row("", (each) => each.name),
      row("before", (each) => each.before),
      row("during", (each) => each.during),
      row("change", (each) => each.change),
      ...(baseline === undefined ? [] : [row(`baseline ${baseline}`, (each) => each.baseline)]),
    ],
  };
}

/** The incident as Markdown, for a ticket or a chat. */
export function incidentMarkdown(incident: Incident): string {
  const { name, address, when, endpoints, part, kinds, users, measures, baseline, moved, notes } =
    incident;
  const failures = kinds.map((kind) => `${count(kind.count)} × ${markdownCode(kindName(kind))}`);
  const facts = [
    ["Endpoints", endpoints.map(markdownCode).join(", ")],
    ["Only", part === "" ? "" : markdownCode(part)],
    ["Failures", failures.join(", ")],
    ["Load", usersText(users)],
    ["May explain it", incident.causes.map(markdownCode).join(", ")],
    ["Moved together", moved.map(markdownCode).join(", ")],
    ["Events", notes.map(markdownCode).join(", ")],
  ].flatMap(([head, text]) => (text === "" ? [] : [`- ${head}: ${text}\n`]));
  const heads = ["", "before", "during", "change", ...(baseline === undefined ? [] : [`baseline`])];
  const rows = [
    heads,
    heads.map(() => "---"),
    ...measures.map((each) => [
      each.hasMoved ? `**${each.name}**` : each.name,
      each.before,
      each.during,
      each.change,
      ...(baseline === undefined ? [] : [each.baseline]),
    ]),
  ].map((cells) => `| ${cells.join(" | ")} |\n`);
  return `## ${markdownCode(name)}, ${when}\n\n${facts.join("")}\n${rows.join("")}\n${address}\n`;
}
