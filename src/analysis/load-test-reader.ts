import { ALL_ENDPOINTS, type SelectedPart } from "../series/endpoint-selection.ts";
import type { SummaryFigures } from "../api/summary.ts";
import type { MeasuresJson } from "../api/measures.ts";
import type { CapacityJson } from "../api/findings.ts";
import type { LoadTestComparison } from "../api/compare.ts";
import type { Store } from "../store/store.ts";
import type { CompareQuery } from "./compare/compare-load-tests.ts";
import { readCapacity } from "./capacity/read-capacity.ts";
import { compareWithEarlier } from "./compare/compare-with-earlier.ts";
import type { EndpointFailureCounts } from "../api/failures.ts";
import { type FailuresQuery, readFailures } from "../query/read-failures.ts";
import { selectEarlier } from "./compare/earlier-runs.ts";
import { type Findings, readFindings } from "./findings/read-findings.ts";
import { type MeasuresQuery, readMeasures } from "../query/read-measures.ts";
import { type MetricsQuery, openMetrics } from "../query/read-metrics.ts";
import { type ReportRequest, writeReport } from "./report/write-report.ts";
import { summarise, type SummaryQuery } from "../query/open-summary.ts";
import type { Trend } from "../api/trend.ts";
import { readTrend, type TrendQuery } from "./trend/read-trend.ts";
import type { SecondRange } from "../model/second-range.ts";
import { hasRamps, type SteadyPart, steadyRange } from "../series/steady-range.ts";

/** Reads measurements from a store or a server. */
export interface LoadTestReader {
  /** Throws what `summarise` throws. */
  summarise(query: SummaryQuery): Promise<SummaryFigures>;
  /** Throws what `compareWithEarlier` throws. */
  compare(query: CompareQuery): Promise<LoadTestComparison>;
  trend(query: TrendQuery): Promise<Trend>;
  findings(query: SelectedPart): Promise<Findings>;
  capacity(query: SelectedPart): Promise<CapacityJson>;
  failures(query: FailuresQuery): Promise<readonly EndpointFailureCounts[]>;
  /** Throws what `readMeasures` throws. */
  measures(query: MeasuresQuery): Promise<MeasuresJson>;
  /** The bytes of `GET /Api/Metrics`; a chunk is valid until the next one. Bounded memory. Throws what `openMetrics` throws. */
  metrics(query: MetricsQuery): AsyncIterable<Uint8Array>;
  /** The bytes of a Parquet file. Bounded memory. Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
  exportParquet(loadTestId: string): AsyncIterable<Uint8Array>;
  /** Returns the HTML of a report; a server uses its own page, version and clock. Throws what `writeReport` throws. */
  report(request: ReportRequest): Promise<string>;
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
    capacity: (query) => readCapacity(points, query),
    findings: (query) => readFindings(points, query),
    failures: async (query) => (await readFailures(points, query)).endpoints,
    measures: (query) => readMeasures(points, query),
    async *metrics(query) {
      const answer = await openMetrics(points, query);
      try {
        yield* answer.chunks();
      } finally {
        answer.release();
      }
    },
    async *exportParquet(loadTestId) {
      const { openParquet } = await import("../query/write-parquet.ts");
      const file = await openParquet(points, loadTestId);
      try {
        yield* file.chunks();
      } finally {
        file.release();
      }
    },
    report: (request) => writeReport(store, request),
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
