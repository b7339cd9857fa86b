import type { Facet } from "../api/facets.ts";
import { askTrend, type TrendParameters, type TrendValues } from "../api/trend.ts";
import { useAnswer } from "../api/use-answer.ts";
import { valueLines } from "../load-test/charts/drawn-lines.ts";
import type { DrawnLine } from "../load-test/endpoints/endpoint-lines.ts";

/** Overall figures of the requests with a value. */
export interface ValueTrend {
  readonly line: DrawnLine;
  readonly values: TrendValues;
}

/** The values of the facet that splits, as `facets` of the latest run have them; `undefined` without, and until they are known. */
export function useValueTrends(
  request: TrendParameters,
  facets: readonly Facet[] | undefined,
): readonly ValueTrend[] | undefined {
  const lines = valueLines(request, facets) ?? [];
  const wanted = lines.length === 0 ? "" : JSON.stringify([request, lines]);
  const { value, question } = useAnswer("value trends", wanted, (signal) =>
    Promise.all(
      lines.map(async (line): Promise<ValueTrend> => {
        const part = { ...request, by: undefined, measure: undefined, ...line.part };
        return { line, values: (await askTrend(part, signal)).overall };
      }),
    ),
  );
  return wanted !== "" && question === wanted ? value : undefined;
}
