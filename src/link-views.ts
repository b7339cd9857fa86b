import { openCatalogue } from "./catalogue/catalogue.ts";
import { LruCache } from "./concurrency/lru-cache.ts";
import type { KeyView, ViewOf } from "./http/key-view.ts";
import { createLoadTestRoutes } from "./http/routes/load-tests.ts";
import { createMetricsRoute } from "./http/routes/metrics.ts";
import { openMetrics } from "./query/read-metrics.ts";
import { projectStore } from "./catalogue/project-store.ts";
import { revisionOf } from "./series/open-snapshot.ts";
import { narrowStore } from "./catalogue/narrow-store.ts";
import type { Store } from "./store/store.ts";
import { type StoreRouteDependencies, storeRoutes } from "./store-routes.ts";

const VIEWS_REMEMBERED = 100;

/**
 * What links see: the routes that read, over a store that has nothing but their load tests. The noise between runs of a
 * comparison is that of the whole project, so that its verdicts are those that its maker saw.
 */
export function createLinkViews(whole: Store, dependencies: StoreRouteDependencies): ViewOf {
  const views = new LruCache<string, KeyView>(VIEWS_REMEMBERED);
  return ({ digest, loadTestIds, createdAtMs, project }) => {
    if (loadTestIds === undefined) return undefined;
    const known = views.get(digest);
    if (known !== undefined) return known;
    const store = projectStore(whole, project);
    const seen = narrowStore(store, loadTestIds, createdAtMs);
    const history = loadTestIds.length > 1 ? store : seen;
    const { now } = dependencies;
    const catalogue = openCatalogue({ ...seen, now, createLoadTestId: refuse });
    const routes = [
      createMetricsRoute((query) => openMetrics(seen.points, query)),
      ...createLoadTestRoutes(catalogue, ""),
      ...storeRoutes(seen, { ...dependencies, history }),
    ];
    const reading = routes.filter(({ scope }) => scope === "read");
    const view: KeyView = {
      name: digest,
      revisionOf: (loadTestId) => revisionOf(store.points, loadTestId),
      routes: new Map(reading.map((route) => [route.operationId, route])),
    };
    views.set(digest, view);
    return view;
  };
}

function refuse(): never {
  throw new Error("BUG: a link creates a load test");
}
