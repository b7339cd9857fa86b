/**
 * The one table of the benchmark, at the begin of bench/RESULTS.md: a row for each headline target of the
 * scenarios. It is also what later runs are compared with.
 */

import type { CandidateRounds } from "./run-rounds.ts";
import type { Scenario } from "./scenario.ts";
import { mediansOf, NOT_MEASURED, TARGET_HEAD, targetRow } from "./section.ts";
import { readTable, renderTable, type Table } from "./table.ts";

const HEAD = [...TARGET_HEAD, "measured"];
/** What a figure may lose before it counts. */
const LOSS_MAX = 0.1;

/** The targets of a scenario that have a row. */
export function headlines(scenario: Scenario): Scenario["targets"] {
  return scenario.targets.filter(({ isHeadline }) => isHeadline === true);
}

/** The scenario with no more than these targets need: their candidates, without the earlier version. */
export function withHeadlinesOnly(scenario: Scenario): Scenario {
  const needed = new Set(headlines(scenario).flatMap(({ candidates }) => candidates));
  return {
    ...scenario,
    candidates: async (context) =>
      (await scenario.candidates(context)).filter(({ name }) => needed.has(name)),
  };
}

/** The rows of one scenario; `measured` says when and at which commit. */
export function headlineRows(
  scenario: Scenario,
  candidates: readonly CandidateRounds[],
  measured: string,
): Table {
  const medians = mediansOf(candidates);
  return headlines(scenario).map((target) => [...targetRow(target, medians), measured]);
}

export function renderHeadlines(rows: Table): string {
  return renderTable([HEAD, ...rows]);
}

/** The document with the measured ones of these rows in its first table, in the order of all scenarios; others stay. */
export function replaceHeadlines(
  document: string,
  rows: Table,
  scenarios: readonly Scenario[],
): string {
  const known = readTable(document, HEAD);
  const ordered = scenarios.flatMap((scenario) =>
    headlines(scenario).flatMap(({ text }) => {
      const measured = rows.filter((row) => !row.includes(NOT_MEASURED));
      const row = rowOf(measured, text) ?? rowOf(known, text);
      return row === undefined ? [] : [row];
    }),
  );
  const begin = document.indexOf("\n|");
  const end = document.indexOf("\n\n", begin);
  return `${document.slice(0, begin)}\n${renderHeadlines(ordered)}${document.slice(end)}`;
}

/**
 * What rows lost against those of the document: a sentence each. Processor time is compared where there is some, as it
 * moves less than time on the clock. Figures with a peer, a share or a size hold on any machine; others are not compared.
 */
export function losses(document: string, rows: Table): readonly string[] {
  const known = readTable(document, HEAD);
  return rows.flatMap((row) => {
    const [what = "", , , , , target = ""] = row;
    const [now, before] = comparable(row, rowOf(known, what) ?? []);
    if (now === undefined || before === undefined) return [];
    const isLessBetter = target.startsWith("at most");
    const [worse, better] = isLessBetter ? [before, now] : [now, before];
    return worse >= better * (1 - LOSS_MAX) ? [] : [`${what}: ${now}, and ${before} before`];
  });
}

/** Units that do not depend on how fast the machine is. */
const SIZE = /^[\d.,]+ (?:MB|x)$/;

/** The first of processor time, ratio and size that both rows have. */
function comparable(...rows: readonly Table[number][]): readonly number[] {
  const choices = rows.map(([, ours = "", , ratio = "", processor = ""]) => {
    return [processor, ratio, SIZE.test(ours) ? ours : ""].map((text) =>
      Number.parseFloat(text.replaceAll(",", "")),
    );
  });
  const choice = [0, 1, 2].find((index) => choices.every((each) => !Number.isNaN(each[index])));
  return choice === undefined ? [] : choices.map((each) => each[choice] ?? 0);
}

function rowOf(rows: Table, what: string): readonly string[] | undefined {
  return rows.find(([name]) => name === what);
}
