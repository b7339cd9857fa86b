import type { Route } from "./http/route.ts";
import { createBatchesRoute } from "./http/routes/batches.ts";
import { createCompareRoute } from "./http/routes/compare.ts";
import { createDistributionRoute } from "./http/routes/distribution.ts";
import { createFailuresRoute } from "./http/routes/failures.ts";
import { createFindingsRoute } from "./http/routes/findings.ts";
import { createHeatmapRoute } from "./http/routes/heatmap.ts";
import { createPercentilesRoute } from "./http/routes/percentiles.ts";
import { createSourceRoutes } from "./http/routes/sources.ts";
import { createSummaryRoute } from "./http/routes/summary.ts";
import { createUsersRoute } from "./http/routes/users.ts";
import { compareLoadTests } from "./operations/compare-load-tests.ts";
import { readDistribution } from "./operations/read-distribution.ts";
import { readFailures } from "./operations/read-failures.ts";
import { readFindings } from "./operations/read-findings.ts";
import { readHeatmap } from "./operations/read-heatmap.ts";
import { openPercentiles } from "./operations/read-percentiles.ts";
import { readUsers } from "./operations/read-users.ts";
import { summarise } from "./operations/summarise.ts";
import type { Store } from "./store/store.ts";

/** The routes of a server beside those it always has, over one store. */
export function storeRoutes(store: Pick<Store, "loadTests" | "points">): readonly Route[] {
  const { points } = store;
  return [
    createSummaryRoute((query) => summarise(points, query)),
    createPercentilesRoute((query) => openPercentiles(points, query)),
    createCompareRoute((query) => compareLoadTests(points, query)),
    createDistributionRoute((query) => readDistribution(points, query)),
    createFindingsRoute((query) => readFindings(points, query)),
    createHeatmapRoute((query) => readHeatmap(points, query)),
    createFailuresRoute((query) => readFailures(points, query)),
    createBatchesRoute(store),
    ...createSourceRoutes(store),
    createUsersRoute((query) => readUsers(points, query)),
  ];
}
