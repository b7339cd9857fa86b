import type { MeasuresJson } from "../../api/measures.ts";
import type { MeasuresQuery } from "../../query/read-measures.ts";
import type { LoadTestReader } from "../load-test-reader.ts";
import { type CheckedLimit, isBeyond, type Limit, MEASURE_FIGURES } from "./limit.ts";

type ByName = ReadonlyMap<string, MeasuresJson["measures"]>;

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

/** Judges a limit by the series that is furthest beyond it. */
export function checkMeasure(
  limit: Limit,
  name: string,
  measures: ByName,
): Omit<CheckedLimit, "quality"> {
  const series = measures.get(name) ?? [];
  const figure = MEASURE_FIGURES[limit.figure as keyof typeof MEASURE_FIGURES];
  const values = series.flatMap((each) => each[figure] ?? []);
  const isUpper = limit.comparison.startsWith(">");
  const measured =
    values.length === 0 ? undefined : isUpper ? Math.max(...values) : Math.min(...values);
  const checked = { limit, measured };
  if (series.length === 0) return { ...checked, outcome: "unmeasured" };
  if (measured !== undefined && isBeyond(measured, limit)) return { ...checked, outcome: "broken" };
  return { ...checked, outcome: values.length < series.length ? "notEvaluated" : "kept" };
}
