import { expect } from "vitest";
import type {
  ComparedMeasure,
  ComparedRow,
  ComparedRuns,
  LoadTestComparison,
} from "../../src/api/compare.ts";

type Ask = (path: string) => Promise<{ readonly json: () => unknown }>;

const FIGURES = ["errRate", "avgLoadTime", "p50", "p95", "p99"] as const;

function membersOf({ value, change, isSignificant }: ComparedRow["p95"]) {
  return [value, change, isSignificant];
}

/** What the pair says of its later run, by the members that a cell has. */
function ofPair({ verdict, count, shift, ...row }: ComparedRow) {
  return [verdict, count.value, membersOf(shift), ...FIGURES.map((each) => membersOf(row[each]))];
}

function ofCell({ verdict, count, shift, ...row }: ComparedRuns["overall"][number]) {
  return ofPair({ ...row, verdict: verdict ?? "new", shift, count: { base: 0, value: count } });
}

const STATISTICS = ["mean", "rate", "p50", "p95", "p99", "max"] as const;

/** Members that JSON leaves out are absent. */
function ofMeasure({ verdict, count, ...measure }: ComparedMeasure) {
  const shown = STATISTICS.flatMap((each) => {
    const { value, change, isSignificant } = measure[each] ?? {};
    return measure[each] === undefined ? [] : [[each, { value, change, isSignificant }]];
  });
  return { count: count.value, verdict, ...Object.fromEntries(shown) };
}

function measuresAsPair({ measures }: ComparedRuns, at: number, pair: LoadTestComparison): void {
  for (const measure of pair.measures ?? []) {
    const row = measures?.find(({ name }) => name === measure.name);
    expect(row?.cells[at]).toEqual(ofMeasure(measure));
    expect(row?.cells[0]).toMatchObject({ count: measure.count.base });
  }
}

/** Expects each cell of `GET /Api/Compare` to be what `GET /Api/LoadTests/{id}/Compare` says, and returns how many of endpoints there are. */
export async function cellsAsPairs(ask: Ask, query: string, part = ""): Promise<number> {
  const several = (await ask(`Compare?${query}${part}`)).json() as ComparedRuns;
  const [base, ...others] = several.loadTests;
  let cells = 0;
  for (const [at, { id, quality, noise }] of others.entries()) {
    const asked = await ask(`LoadTests/${id}/Compare?base=${base?.id}${part}`);
    const pair = asked.json() as LoadTestComparison;
    expect(ofCell(several.overall[at + 1] as ComparedRuns["overall"][number])).toEqual(
      ofPair(pair.overall),
    );
    expect([quality, noise]).toEqual([pair.quality.value, pair.noise]);
    measuresAsPair(several, at + 1, pair);
    for (const row of pair.endpoints) {
      const { cells: own = [] } = several.endpoints.find(({ hash }) => hash === row.hash) ?? {};
      expect(ofCell(own[at + 1] as ComparedRuns["overall"][number])).toEqual(ofPair(row));
      const [first] = own;
      expect([first?.count, ...FIGURES.map((each) => first?.[each].value)]).toEqual([
        row.count.base,
        ...FIGURES.map((each) => row[each].base),
      ]);
      cells += 1;
    }
  }
  return cells;
}
