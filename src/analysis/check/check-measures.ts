import type { MeasuresJson } from "../../api/measures.ts";
import type { MeasuresQuery } from "../../query/read-measures.ts";
import type { LoadTestReader } from "../load-test-reader.ts";
import { type CheckedLimit, isBeyond, type Limit, MEASURE_FIGURES } from "./limit.ts";

type Measures = MeasuresJson["measures"];
type ByName = ReadonlyMap<string, Measures>;

/** Reads the series that limits are about, by name. Throws what `LoadTestReader.measures` throws. */
export async function readMeasures(
  reader: Pick<LoadTestReader, "measures">,
  { loadTestId, range }: Pick<MeasuresQuery, "loadTestId" | "range">,
  limits: readonly Limit[],
): Promise<ByName> {
  const names = new Set(limits.flatMap(({ measure }) => measure ?? []));
  const found = new Map<string, MeasuresJson["measures"]>();
  for (const name of names) {
    found.set(name, (await reader.measures({ loadTestId, range, name })).measures);
  }
  return found;
}

/** Judges a limit by the series that is furthest beyond it; sums and rates by all series together. */
export function checkMeasure(
  limit: Limit,
  name: string,
  measures: ByName,
): Omit<CheckedLimit, "quality"> {
  const all = measures.get(name) ?? [];
  const ofLoadTest = all.filter(({ endpoint }) => endpoint === undefined);
  const series = ofLoadTest.length === 0 ? all : ofLoadTest;
  const judged = series.length === 0 ? [] : figuresOf(series, limit);
  const values = judged.flatMap((value) => value ?? []);
  const isUpper = limit.comparison.startsWith(">");
  const measured =
    values.length === 0 ? undefined : isUpper ? Math.max(...values) : Math.min(...values);
  const checked = { limit, measured };
  if (series.length === 0) return { ...checked, outcome: "unmeasured" };
  if (measured !== undefined && isBeyond(measured, limit)) return { ...checked, outcome: "broken" };
  return { ...checked, outcome: values.length < judged.length ? "notEvaluated" : "kept" };
}

/** `undefined`: it is not known. */
function figuresOf(series: Measures, { figure }: Limit): readonly (number | undefined)[] {
  const sum = series.reduce((all, each) => all + each.sum, 0);
  if (figure === "sum") return [sum];
  if (figure === "avg" && series.every(({ kind }) => kind === "rate")) {
    return [sum / series.reduce((all, { count }) => all + count, 0)];
  }
  return series.map((each) => each[MEASURE_FIGURES[figure as keyof typeof MEASURE_FIGURES]]);
}
