/** Counts true and false changes in generated histories, for Tachograph and, if wanted, Apache Otava on the same data. Prints two tables. */

import { findChanges } from "../../src/analysis/trend/find-changes.ts";
import { TREND_FIGURES, type TrendValues } from "../../src/api/trend.ts";
import {
  FIGURES,
  generateHistory,
  type GeneratedHistory,
  type HistoryKind,
  readNoises,
} from "./generated-histories.ts";
import { runOtava } from "./run-otava.ts";
import { type Score, scoreOf } from "./trend-score.ts";

/** 200 in all. */
const HISTORIES: Readonly<Record<HistoryKind, number>> = {
  "no change": 40,
  "step of 5 %": 30,
  "step of 10 %": 30,
  "step of 20 %": 30,
  "two steps of 10 %": 30,
  "drift of 20 %": 20,
  outlier: 20,
};

function generateAll(): readonly GeneratedHistory[] {
  const noises = readNoises();
  const kinds = Object.entries(HISTORIES).flatMap(([kind, count]) =>
    Array.from({ length: count }, () => kind as HistoryKind),
  );
  return kinds.flatMap((kind, index) => {
    const noise = noises[index % noises.length];
    return noise === undefined ? [] : [generateHistory(noise, kind, index + 1)];
  });
}

/** Indexes of the changes in each series of a history, as `readTrend` reports them. */
async function changesOf({ series }: GeneratedHistory): Promise<readonly (readonly number[])[]> {
  const byEndpoint = [...Map.groupBy(series, ({ endpoint }) => endpoint).values()];
  const endpoints = byEndpoint.map((own) => {
    const values = own.map(({ figure, values: each }) => [figure, each]);
    return Object.fromEntries(values) as TrendValues;
  });
  const found = [
    ...(await findChanges(endpoints.slice(0, 1))),
    ...(await findChanges(endpoints.slice(1))),
  ];
  return found.flatMap((changes) =>
    TREND_FIGURES.map((figure) =>
      changes.filter((each) => each.figure === figure).map(({ at }) => at),
    ),
  );
}

interface Row {
  readonly name: string;
  readonly series: number;
  readonly scores: readonly (readonly Score[])[];
}

type Told = readonly (readonly (readonly number[])[])[];

function rowOf(name: string, { histories, told, isWanted }: ScoredHistories): Row {
  let series = 0;
  const scores: Score[][] = told.map(() => []);
  for (const [index, history] of histories.entries()) {
    for (const [place, each] of history.series.entries()) {
      if (!isWanted(history, each.figure)) continue;
      series += 1;
      for (const [tool, own] of told.entries()) {
        scores[tool]?.push(scoreOf(history, each, own[index]?.[place] ?? []));
      }
    }
  }
  return { name, series, scores };
}

interface ScoredHistories {
  readonly histories: readonly GeneratedHistory[];
  /** By tool, history and series. */
  readonly told: readonly Told[];
  readonly isWanted: (history: GeneratedHistory, figure: keyof typeof FIGURES) => boolean;
}

function cellsOf({ name, series, scores }: Row): readonly (string | number)[] {
  const changes = sumOf(scores[0] ?? [], "changes");
  const found = scores.map((own) => {
    const share = (100 * sumOf(own, "found")) / changes;
    return changes === 0 ? "-" : `${share.toFixed(1)} %`;
  });
  return [name, series, changes, ...found, ...scores.map((own) => sumOf(own, "falseAlarms"))];
}

function sumOf(scores: readonly Score[], member: keyof Score): number {
  return scores.reduce((sum, score) => sum + score[member], 0);
}

function printTable(head: readonly string[], rows: readonly Row[]): void {
  for (const cells of [head, head.map(() => "---"), ...rows.map(cellsOf)]) {
    console.log(`| ${cells.join(" | ")} |`);
  }
  console.log("");
}

export async function printHistories(withOtava: boolean): Promise<void> {
  const histories = generateAll();
  const ours: (readonly (readonly number[])[])[] = [];
  for (const history of histories) ours.push(await changesOf(history));
  const told = withOtava ? [ours, otavasOf(histories)] : [ours];
  const scored = { histories, told };
  const tools = ["Tachograph", "Otava"].slice(0, told.length);
  const head = ["series", "changes", ...tools, ...tools.map((tool) => `false, ${tool}`)];
  const all = rowOf("all", { ...scored, isWanted: () => true });
  const byKind = Object.keys(HISTORIES).map((kind) =>
    rowOf(kind, { ...scored, isWanted: (history) => history.kind === kind }),
  );
  const byFigure = TREND_FIGURES.map((figure) =>
    rowOf(figure, { ...scored, isWanted: (_, each) => each === figure }),
  );
  printTable(["histories", ...head], [...byKind, all]);
  printTable(["figure", ...head], byFigure);
}

function otavasOf(histories: readonly GeneratedHistory[]): Told {
  const flat = runOtava(histories.flatMap(({ series }) => series.map(({ values }) => values)));
  const places = flat.values();
  return histories.map(({ series }) => series.map(() => places.next().value ?? []));
}
