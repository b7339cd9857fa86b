/** What a scenario gave, as a section of bench/RESULTS.md. */

import type { SavedRounds } from "./saved-rounds.ts";
import type { CandidateRounds } from "./run-rounds.ts";
import type { Column, Scenario } from "./scenario.ts";
import { median } from "./statistics.ts";
import { renderTable, type Table } from "./table.ts";
import { figure, type Medians, type Target } from "./targets.ts";

export interface Run extends SavedRounds {
  readonly disagreements: readonly string[];
}

/** The heading comes first: it is by the heading that a section is found again. */
export function renderSection(scenario: Scenario, run: Run): string {
  const medians = mediansOf(run.candidates);
  const parts = [
    headingOf(scenario),
    scenario.about.trim(),
    factsOf(run),
    renderTable(figureTable(scenario, run.candidates, medians)),
    ...troubles(run),
    ...(scenario.targets.length === 0 ? [] : [renderTable(targetTable(scenario, medians))]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function headingOf({ title, name }: Scenario): string {
  return `## ${title} (\`npm run task bench -- ${name}\`)`;
}

/** Medians of the rounds of each candidate. */
export function mediansOf(candidates: readonly CandidateRounds[]): Medians {
  return (name, column) => {
    const values = valuesOf(
      candidates.find((candidate) => candidate.name === name),
      column,
    );
    return values.length === 0 ? undefined : median(values);
  };
}

function valuesOf(candidate: CandidateRounds | undefined, column: string): readonly number[] {
  return (candidate?.rounds ?? []).flatMap(({ figures }) => figures[column] ?? []);
}

function factsOf({ machine, candidates, checked }: Run): string {
  const most = Math.max(0, ...candidates.map(({ rounds }) => rounds.length));
  const counted =
    most > 1 ? `${most} rounds in turns: medians, and lowest to highest in brackets` : "one round";
  const loads = candidates.flatMap(({ rounds }) => rounds.map(({ load }) => load));
  const load = `load average ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`;
  const peers = [...new Set(candidates.flatMap(({ peers: each }) => each))];
  const beside = peers.length === 0 ? "" : ` Beside: ${peers.join(", ")}.`;
  const equal = checked === undefined ? "" : ` Checked: ${checked}.`;
  return `${machine}; ${load}; ${counted}.${beside}${equal}`;
}

function figureTable(
  { columns, relative }: Scenario,
  candidates: readonly CandidateRounds[],
  medians: Medians,
): Table {
  const shown = columns.filter(({ key }) =>
    candidates.some((candidate) => valuesOf(candidate, key).length > 0),
  );
  const compared = relative?.to.filter((name) => medians(name, relative.column) !== undefined);
  const by = columns.find(({ key }) => key === relative?.column);
  const head = ["candidate", ...shown.map(({ title }) => title)];
  const rows = candidates.map((candidate) => [
    candidate.name,
    ...shown.map(({ key }) => cellOf(valuesOf(candidate, key))),
    ...(compared ?? []).map((name) => ratioCell(medians, candidate.name, name, by)),
  ]);
  return [[...head, ...(compared ?? []).map((name) => `x ${name}`)], ...rows];
}

function cellOf(values: readonly number[]): string {
  if (values.length === 0) return "–";
  if (values.length === 1) return figure(median(values));
  const [low, high] = [Math.min(...values), Math.max(...values)].map(figure);
  return low === high ? figure(median(values)) : `${figure(median(values))} (${low} to ${high})`;
}

function ratioCell(
  medians: Medians,
  candidate: string,
  peer: string,
  by: Column | undefined,
): string {
  const [own, other] = [medians(candidate, by?.key ?? ""), medians(peer, by?.key ?? "")];
  if (own === undefined || other === undefined) return "–";
  return figure(by?.better === "less" ? other / own : own / other);
}

function troubles({ candidates, disagreements }: Run): readonly string[] {
  const lines = candidates.flatMap(({ name, trouble }) =>
    trouble === undefined ? [] : [`- ${name}: ${trouble}`],
  );
  for (const complaint of disagreements) lines.push(`- **Results differ**: ${complaint}`);
  return lines.length === 0 ? [] : [lines.join("\n")];
}

/** The columns of every table of targets. */
export const TARGET_HEAD = [
  "what",
  "ours",
  "peer",
  "ratio",
  "of processor time",
  "target",
  "reached",
];

/** The last cell where candidates are missing. */
export const NOT_MEASURED = "not measured";

/** What became of a target, a cell for each of these columns. */
export function targetRow({ text, judge }: Target, medians: Medians): readonly string[] {
  const judged = judge(medians);
  if (judged === undefined) return [text, "–", "–", "–", "–", "–", NOT_MEASURED];
  const { ours, peer = "–", ratio = "–", processorRatio = "–", target, isReached } = judged;
  return [text, ours, peer, ratio, processorRatio, target, isReached ? "yes" : "**no**"];
}

function targetTable({ targets }: Scenario, medians: Medians): Table {
  return [TARGET_HEAD, ...targets.map((target) => targetRow(target, medians))];
}
