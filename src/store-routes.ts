import type { HeldBytes } from "./http/held-bytes.ts";
import type { Route } from "./http/route.ts";
import { createBatchesRoute } from "./http/routes/batches.ts";
import { createCompareRoute } from "./http/routes/compare.ts";
import { createReportRoute } from "./http/routes/report.ts";
import { createSourceRoutes } from "./http/routes/sources.ts";
import { createTagsRoute } from "./http/routes/tags.ts";
import { createTrendRoute } from "./http/routes/trend.ts";
import { compareLoadTests } from "./operations/compare-load-tests.ts";
import { countTags } from "./operations/count-tags.ts";
import { readTrend } from "./operations/trend/read-trend.ts";
import { selectSeries } from "./operations/trend/trend-series.ts";
import { type ReportOrigin, type ReportWish, writeReport } from "./operations/write-report.ts";
import { snapshotRoutes } from "./snapshot-routes.ts";
import type { Store } from "./store/store.ts";

/** What reports are made with, and how much of batches is held at once. */
interface Surroundings extends Pick<ReportWish, "template">, Pick<ReportOrigin, "version"> {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly heldBytes: HeldBytes;
}

/** The routes of a server beside those it always has, over one store. */
export function storeRoutes(
  store: Pick<Store, "loadTests" | "points">,
  { template, version, now, heldBytes }: Surroundings,
): readonly Route[] {
  const { points } = store;
  return [
    ...snapshotRoutes(points),
    createCompareRoute((query) => compareLoadTests(points, query)),
    createTrendRoute({
      readTrend: (query) => readTrend(store, query),
      selectSeries: (query) => selectSeries(store.loadTests, query),
    }),
    createTagsRoute((search) => countTags(store.loadTests, search)),
    createReportRoute((wish) =>
      writeReport(store, { ...wish, template, version, madeAtMs: now() }),
    ),
    createBatchesRoute(store, heldBytes),
    ...createSourceRoutes(store),
  ];
}
