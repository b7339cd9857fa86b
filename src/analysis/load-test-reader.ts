import { ALL_ENDPOINTS, type SelectedPart } from "../series/endpoint-selection.ts";
import type { OmissionFinding } from "../api/findings.ts";
import type { SummaryFigures } from "../api/summary.ts";
import { findOmission } from "./findings/read-findings.ts";
import type { MeasureSeriesJson, MeasuresJson } from "../api/measures.ts";
import type { LoadTestComparison } from "../api/compare.ts";
import type { Store } from "../store/store.ts";
import type { CompareQuery } from "./compare/compare-load-tests.ts";
import { compareWithEarlier } from "./compare/compare-with-earlier.ts";
import { selectEarlier } from "./compare/earlier-runs.ts";
import { type MeasuresQuery, readMeasures, readMeasureSeries } from "../query/read-measures.ts";
import { summarise, type SummaryQuery } from "../query/open-summary.ts";
import type { PercentilesItem } from "../api/response-times.ts";
import { type SecondRange, timedRequestsOf } from "../model/columns.ts";
import { openPercentiles, type PercentileSeries } from "../query/read-percentiles.ts";
import type { Trend } from "../api/trend.ts";
import { readTrend, type TrendQuery } from "./trend/read-trend.ts";
import { hasRamps, type SteadyPart, steadyRange } from "../series/overall.ts";

/** What checks need to know of load tests, from a store or the API. */
export interface LoadTestReader {
  /** Throws what `summarise` throws. */
  summarise(query: Omit<SummaryQuery, "outcome">): Promise<SummaryFigures>;
  /** Throws what `compareWithEarlier` throws. */
  compare(query: CompareQuery): Promise<LoadTestComparison>;
  trend(query: TrendQuery): Promise<Trend>;
  /** Throws what `readMeasures` throws. */
  measures(query: Omit<MeasuresQuery, "name" | "endpoint" | "tags">): Promise<MeasuresJson>;
  /** By second. Throws what `readMeasureSeries` throws. */
  measureSeries(
    query: Pick<MeasuresQuery, "loadTestId" | "range" | "selector">,
  ): Promise<Pick<MeasureSeriesJson, "series">>;
  /** Windows that hold a request, by label, or those of all selected endpoints together. Throws what `openPercentiles` throws. */
  windows(query: WindowsQuery): Promise<readonly SeriesOfWindows[]>;
  /** Requests that the load generator did not send while it waited, if any. Throws what `summarise` throws. */
  omission(query: SelectedPart): Promise<OmissionFinding | undefined>;
}

interface WindowsQuery extends SelectedPart {
  readonly windowSeconds: number;
  readonly isMerged: boolean;
  /** Each 0 to 100. */
  readonly percents: readonly number[];
}

/** Times in seconds; null if unknown. */
export type SeriesOfWindows = Pick<
  PercentilesItem,
  | "label"
  | "labels"
  | "count"
  | "errCount"
  | "avgLoadTime"
  | "percentiles"
  | "percentileOrigin"
  | "leftOut"
>;

/** As many as a run may have. */
export const SERIES_MAX = 2000;

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
    measureSeries: (query) =>
      readMeasureSeries(points, { ...query, resolutionSeconds: 1, limit: SERIES_MAX }),
    omission: (query) => findOmission(points, query),
    async windows({ percents, ...query }) {
      const quantiles = percents.map((percent) => percent / 100);
      const answer = await openPercentiles(points, { ...query, quantiles, resolutionSeconds: 1 });
      try {
        return (await Array.fromAsync(answer.series())).map((series) =>
          windowsOf(series, percents),
        );
      } finally {
        answer.release();
      }
    },
  };
}

function windowsOf(
  { endpoint, second, sums, quantileMicros, origin, leftOut }: PercentileSeries,
  percents: readonly number[],
): SeriesOfWindows {
  const timed = timedRequestsOf(sums);
  const columns = percents.map((percent, at) => {
    return [`p${percent}`, Array.from(quantileMicros[at] ?? [], inSeconds)] as const;
  });
  return {
    ...(endpoint && { label: endpoint.label }),
    labels: [...second],
    count: [...sums.requests],
    errCount: [...sums.failedRequests],
    avgLoadTime: Array.from(sums.elapsedMicros, (micros, at) =>
      // To the microsecond, as in the API: both must judge a bound alike.
      inSeconds(Math.round(micros / (timed[at] ?? 0))),
    ),
    percentileOrigin: origin,
    percentiles: Object.fromEntries(columns),
    ...(leftOut !== undefined && { leftOut }),
  };
}

function inSeconds(micros: number): number | null {
  return Number.isFinite(micros) ? micros / 1_000_000 : null;
}

/** Returns a part without its ramps; `undefined`: all of it. Throws what `LoadTestReader.summarise` throws. */
export async function readSteadyRange(
  reader: LoadTestReader,
  part: SteadyPart & { readonly loadTestId: string },
): Promise<SecondRange | undefined> {
  return hasRamps(part) ? readWithinRun(reader, part) : part.range;
}

/**
 * Returns the seconds of a part that are between the first and the last request of its run; without a request and without
 * ramps to skip, its range. Throws what `LoadTestReader.summarise` throws.
 */
export async function readWithinRun(
  reader: LoadTestReader,
  part: SteadyPart & { readonly loadTestId: string },
): Promise<SecondRange | undefined> {
  const { loadTestId, range } = part;
  const everything = { selection: ALL_ENDPOINTS, range: undefined, apdexMicros: undefined };
  const span = spanOf(await reader.summarise({ loadTestId, ...everything }));
  return span === undefined && !hasRamps(part) ? range : steadyRange(part, span);
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
