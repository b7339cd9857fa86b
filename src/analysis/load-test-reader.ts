import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import type { SummaryFigures } from "../api/summary.ts";
import type { MeasuresJson } from "../api/measures.ts";
import type { LoadTestComparison } from "../api/compare.ts";
import type { Store } from "../store/store.ts";
import type { CompareQuery } from "./compare/compare-load-tests.ts";
import { compareWithEarlier } from "./compare/compare-with-earlier.ts";
import { selectEarlier } from "./compare/earlier-runs.ts";
import { type MeasuresQuery, readMeasures } from "../query/read-measures.ts";
import { summarise, type SummaryQuery } from "../query/open-summary.ts";
import type { Trend } from "../api/trend.ts";
import { readTrend, type TrendQuery } from "./trend/read-trend.ts";
import type { SecondRange } from "../model/second-range.ts";
import { hasRamps, type SteadyPart, steadyRange } from "../series/steady-range.ts";

/** What checks need to know of load tests, from a store or the API. */
export interface LoadTestReader {
  /** Throws what `summarise` throws. */
  summarise(query: Omit<SummaryQuery, "outcome">): Promise<SummaryFigures>;
  /** Throws what `compareWithEarlier` throws. */
  compare(query: CompareQuery): Promise<LoadTestComparison>;
  trend(query: TrendQuery): Promise<Trend>;
  /** Throws what `readMeasures` throws. */
  measures(query: Omit<MeasuresQuery, "name" | "endpoint" | "tags">): Promise<MeasuresJson>;
}

export function openStoreReader(store: Pick<Store, "loadTests" | "points">): LoadTestReader {
  const { points } = store;
  return {
    async summarise(query) {
      const { revision: _, ...figures } = await summarise(points, query);
      return figures;
    },
    async compare(query) {
      return compareWithEarlier(store, query, await selectEarlier(store, query));
    },
    async trend(query) {
      const { series: _, revisions: __, ...trend } = await readTrend(store, query);
      return trend;
    },
    measures: (query) => readMeasures(points, query),
  };
}

/** Returns a part without its ramps; `undefined`: all of it. Throws what `LoadTestReader.summarise` throws. */
export async function readSteadyRange(
  reader: LoadTestReader,
  part: SteadyPart & { readonly loadTestId: string },
): Promise<SecondRange | undefined> {
  if (!hasRamps(part)) return part.range;
  const { loadTestId } = part;
  const everything = { selection: ALL_ENDPOINTS, range: undefined, apdexMicros: undefined };
  return steadyRange(part, spanOf(await reader.summarise({ loadTestId, ...everything })));
}

/** Over all endpoints; `undefined` without known timestamps. */
function spanOf({ endpoints }: SummaryFigures): SecondRange | undefined {
  let [first, end] = [Infinity, 0];
  for (const { from, until } of endpoints) {
    if (from === undefined || until === undefined) continue;
    first = Math.min(first, from);
    end = Math.max(end, until + 1);
  }
  return end === 0 ? undefined : { from: first, until: end };
}
