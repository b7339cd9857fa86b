import type { Store } from "../store/store.ts";
import {
  compareLoadTests,
  type CompareQuery,
  type LoadTestComparison,
} from "./compare/compare-load-tests.ts";
import {
  type EndpointFailureKinds,
  type FailuresQuery,
  type KindCount,
  readFailures,
} from "../query/read-failures.ts";
import { type Findings, type FindingsQuery, readFindings } from "./findings/read-findings.ts";
import { type MetricsQuery, openMetrics } from "../query/read-metrics.ts";
import { type ReportRequest, writeReport } from "./report/write-report.ts";
import { type Summary, type SummaryQuery, summarise } from "../query/open-summary.ts";
import { readTrend, type Trend, type TrendQuery } from "./trend/read-trend.ts";

/** Port: what was measured, read back from a store or from a server. */
export interface LoadTestReader {
  /** Throws what `summarise` throws. */
  summarise(query: SummaryQuery): Promise<SummaryFigures>;
  /** Throws what `compareLoadTests` throws. */
  compare(query: CompareQuery): Promise<LoadTestComparison>;
  /** A series of load tests. Throws what `readTrend` throws. */
  trend(query: TrendQuery): Promise<Trend>;
  /** What stands out. Throws what `readFindings` throws. */
  findings(query: FindingsQuery): Promise<FoundOut>;
  /** Those that have failed requests, by label. Throws what `readFailures` throws. */
  failures(query: FailuresQuery): Promise<readonly EndpointFailureCounts[]>;
  /**
   * The bytes that `GET /Api/Metrics` answers with, in pieces; each is valid until the next one is
   * asked for. Memory does not grow with them. Throws what `openMetrics` and its pieces throw.
   */
  metrics(query: MetricsQuery): AsyncIterable<Uint8Array>;
  /**
   * The document of a report. A server makes it by itself: with its own page, version and clock.
   * Throws what `writeReport` throws.
   */
  report(request: ReportRequest): Promise<string>;
}

export type SummaryFigures = Omit<Summary, "revision">;

export type FoundOut = Omit<Findings, "revision">;

/** Failures by kind, without their seconds. */
export interface EndpointFailureCounts extends Omit<EndpointFailureKinds, "kinds"> {
  readonly kinds: readonly Omit<KindCount, "seconds">[];
}

/** Reads from a store of one's own. */
export function openStoreReader(store: Pick<Store, "loadTests" | "points">): LoadTestReader {
  const { points } = store;
  return {
    async summarise(query) {
      const { revision: _, ...figures } = await summarise(points, query);
      return figures;
    },
    compare: (query) => compareLoadTests(points, query),
    async trend(query) {
      const { series: _, revisions: __, ...trend } = await readTrend(store, query);
      return trend;
    },
    findings: (query) => readFindings(points, query),
    failures: async (query) => (await readFailures(points, query)).endpoints,
    async *metrics(query) {
      const answer = await openMetrics(points, query);
      try {
        yield* answer.pieces();
      } finally {
        answer.release();
      }
    },
    report: (request) => writeReport(store, request),
  };
}
