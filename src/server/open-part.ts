import { createKeyAdministration } from "../catalogue/administer-keys.ts";
import { openCatalogue } from "../catalogue/catalogue.ts";
import type { KeyRing } from "../catalogue/keys.ts";
import { openAuditReader } from "../catalogue/audit.ts";
import { createLinks } from "../catalogue/links.ts";
import type { CommandContext } from "../cli/command-context.ts";
import { createAuditRoute } from "../http/routes/access/audit.ts";
import { createKeyRoutes } from "../http/routes/access/keys.ts";
import { createLinkRoutes } from "../http/routes/access/links.ts";
import type { PartDependencies } from "../http/server.ts";
import { openProject } from "../catalogue/environment-stretch.ts";
import { createLineWriter } from "../live/write-lines.ts";
import type { OtlpMemories } from "../live/otlp/memories.ts";
import { createOtlpWriter } from "../live/otlp/write-otlp.ts";
import { openMetrics } from "../query/read-metrics.ts";
import { revisionOf } from "../series/open-snapshot.ts";
import { type StoreRouteDependencies, storeRoutes } from "./store-routes.ts";
import type { Store } from "../store/store.ts";

interface PartParts {
  readonly whole: Store;
  readonly project: string | undefined;
  readonly keyRing: KeyRing;
  readonly context: CommandContext;
  readonly reading: StoreRouteDependencies;
  readonly memories: OtlpMemories;
}

/** What is served of one project, or of what belongs to none. */
export function openPart({
  whole,
  project,
  keyRing,
  context,
  reading,
  memories,
}: PartParts): PartDependencies {
  const { now } = context;
  const store = openProject(whole, project);
  return {
    openMetrics: (query) => openMetrics(store.points, query),
    catalogue: openCatalogue({ ...store, now, createLoadTestId: () => context.createLoadTestId() }),
    importResults: (request) => context.importResults(store, { ...request, isUpload: true }),
    writeOtlp: createOtlpWriter({ store, memories, project, now }),
    writeLines: createLineWriter({ store, now }),
    revisionOf: (loadTestId) => revisionOf(store.points, loadTestId),
    furtherRoutes: [
      ...storeRoutes(store, reading),
      ...createLinkRoutes(createLinks(keyRing, store.loadTests, now, project)),
      createAuditRoute(openAuditReader(store.audit, project)),
      ...createKeyRoutes(createKeyAdministration(keyRing, now, project)),
    ],
  };
}
