import { randomBytes } from "node:crypto";
import { openCatalogue } from "../catalogue/catalogue.ts";
import { createKeyRing } from "../catalogue/keys.ts";
import { openProject } from "../catalogue/environment-stretch.ts";
import type { Api } from "../client/api.ts";
import { openDirectApi } from "../http/direct-api.ts";
import { createLoadTestRoutes } from "../http/routes/load-tests.ts";
import { createMetricsRoute } from "../http/routes/metrics.ts";
import { type AccessKey, SCOPES } from "../model/access-key.ts";
import { openMetrics } from "../query/read-metrics.ts";
import type { Store } from "../store/store.ts";
import { type StoreRouteDependencies, accessRoutes, storeRoutes } from "./store-routes.ts";

interface Dependencies extends StoreRouteDependencies {
  readonly createLoadTestId: () => string;
}

/** The API over a store for its owner, of one project or of what belongs to none. */
export function openStoreApi(
  whole: Store,
  project: string | undefined,
  { createLoadTestId, ...reading }: Dependencies,
): Api {
  const { now } = reading;
  const store = openProject(whole, project);
  const ring = createKeyRing(store.keys, { now, randomBytes, upkeepFailed() {} });
  const routes = [
    createMetricsRoute((query) => openMetrics(store.points, query)),
    ...createLoadTestRoutes(openCatalogue({ ...store, now, createLoadTestId }), ""),
    ...storeRoutes(store, reading),
    ...accessRoutes(store, ring, { now, project, isOwner: true }),
  ];
  return openDirectApi(routes, OWNER);
}

/** No key has this name. */
const OWNER: AccessKey = {
  name: "",
  digest: "",
  scopes: SCOPES,
  createdAtMs: 0,
  lastUsedAtMs: undefined,
  expiresAtMs: undefined,
  revokedAtMs: undefined,
};
