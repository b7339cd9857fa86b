import type { Route } from "./http/route.ts";
import { createFailuresRoute } from "./http/routes/failures.ts";
import { createHeatmapRoute } from "./http/routes/heatmap.ts";
import { createPercentilesRoute } from "./http/routes/percentiles.ts";
import { createSummaryRoute } from "./http/routes/summary.ts";
import { createUsersRoute } from "./http/routes/users.ts";
import { readFailures } from "./operations/read-failures.ts";
import { readHeatmap } from "./operations/read-heatmap.ts";
import { openPercentiles } from "./operations/read-percentiles.ts";
import { readUsers } from "./operations/read-users.ts";
import { summarise } from "./operations/summarise.ts";
import type { Store } from "./store/store.ts";

/** The routes of a server beside those it always has, over one store. */
export function storeRoutes({ points }: Pick<Store, "points">): readonly Route[] {
  return [
    createSummaryRoute((query) => summarise(points, query)),
    createPercentilesRoute((query) => openPercentiles(points, query)),
    createHeatmapRoute((query) => readHeatmap(points, query)),
    createFailuresRoute((query) => readFailures(points, query)),
    createUsersRoute((query) => readUsers(points, query)),
  ];
}
