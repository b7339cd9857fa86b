import type { HeldBytes } from "../http/request/held-bytes.ts";
import type { Route } from "../http/route.ts";
import { createBatchesRoute } from "../http/routes/batches.ts";
import { createCompareRoute } from "../http/routes/compare.ts";
import { createExportRoute } from "../http/routes/export.ts";
import { createEventChangeRoutes } from "../http/routes/events.ts";
import { createTagsRoute } from "../http/routes/load-tests.ts";
import { createReportRoute } from "../http/routes/report.ts";
import { createSourceRoutes } from "../http/routes/sources.ts";
import { createThresholdsRoutes, createVerdictRoute } from "../http/routes/thresholds.ts";
import { createTrendRoute } from "../http/routes/trend.ts";
import { compareWithEarlier } from "../analysis/compare/compare-with-earlier.ts";
import { selectEarlier } from "../analysis/compare/earlier-runs.ts";
import { openEvents } from "../catalogue/catalogue.ts";
import { countTags } from "../catalogue/count-tags.ts";
import { openThresholdsByName } from "../analysis/thresholds/stored-thresholds.ts";
import { readVerdict } from "../analysis/thresholds/read-verdict.ts";
import { readTrend } from "../analysis/trend/read-trend.ts";
import { selectSeries } from "../analysis/trend/trend-series.ts";
import {
  type ReportOrigin,
  type ReportRequest,
  writeReport,
} from "../analysis/report/write-report.ts";
import { snapshotRoutes } from "./snapshot-routes.ts";
import type { Store } from "../store/store.ts";

export interface StoreRouteDependencies
  extends Pick<ReportRequest, "template">, Pick<ReportOrigin, "version"> {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly heldBytes: HeldBytes;
  /** Where comparisons find earlier runs. @default the store */
  readonly history?: Pick<Store, "loadTests" | "points">;
  /** Where verdicts find the baseline and earlier runs. @default the store */
  readonly judged?: Pick<Store, "loadTests" | "points">;
}

export function storeRoutes(
  store: Pick<Store, "loadTests" | "points" | "thresholds">,
  { template, version, now, heldBytes, history = store, judged = store }: StoreRouteDependencies,
): readonly Route[] {
  return [
    ...snapshotRoutes(store.points),
    ...createEventChangeRoutes(openEvents(store, now)),
    createExportRoute(async (loadTestId) => {
      const { openParquet } = await import("../query/write-parquet.ts");
      return openParquet(store.points, loadTestId);
    }),
    createCompareRoute({
      selectEarlier: (query) => selectEarlier(store, query, history),
      compare: (query, earlier) => compareWithEarlier(store, query, earlier, history),
    }),
    createTrendRoute({
      readTrend: (query) => readTrend(store, query),
      selectSeries: (query) => selectSeries(store.loadTests, query),
    }),
    createTagsRoute((search) => countTags(store.loadTests, search)),
    createReportRoute((request) =>
      writeReport(store, { ...request, template, version, madeAtMs: now() }),
    ),
    createBatchesRoute(store, heldBytes),
    ...createSourceRoutes(store),
    createVerdictRoute((id) => readVerdict(store, id, now, judged)),
    ...createThresholdsRoutes(openThresholdsByName(store.thresholds, now)),
  ];
}
