import { openCatalogue } from "../catalogue/catalogue.ts";
import type { KeyRing } from "../catalogue/keys.ts";
import type { CommandContext } from "../cli/command-context.ts";
import type { HeldBytes } from "../http/request/held-bytes.ts";
import { createBatchesRoute } from "../http/routes/batches.ts";
import type { ProjectServices } from "../http/server.ts";
import { openProject } from "../catalogue/environment-stretch.ts";
import { SAMPLE_BYTES_DEFAULT } from "../model/samples/sample-choice.ts";
import { samplesOf } from "../import/decode-settings.ts";
import { createLineWriter } from "../live/write-lines.ts";
import type { OtlpMemories } from "../live/otlp/memories.ts";
import { createOtlpWriter } from "../live/otlp/write-otlp.ts";
import { createRemoteWriter } from "../live/otlp/write-remote.ts";
import { openMetrics } from "../query/read-metrics.ts";
import { revisionOf, endpointSecondsOf } from "../series/open-snapshot.ts";
import {
  accessRoutes,
  liveRoute,
  type StoreRouteDependencies,
  storeRoutes,
} from "./store-routes.ts";
import type { Store } from "../store/store.ts";

interface OpenedServer {
  readonly whole: Store;
  readonly project: string | undefined;
  readonly keyRing: KeyRing;
  readonly context: CommandContext;
  readonly reading: StoreRouteDependencies;
  readonly heldBytes: HeldBytes;
  readonly memories: OtlpMemories;
}

export function openProjectServices({
  whole,
  project,
  keyRing,
  context,
  reading,
  heldBytes,
  memories,
}: OpenedServer): ProjectServices {
  const { now } = context;
  const store = openProject(whole, project);
  const samples = samplesOf(reading.sampleBytesMax ?? SAMPLE_BYTES_DEFAULT, undefined);
  const writeOtlp = createOtlpWriter({ store, memories, project, samples, now });
  const catalogue = openCatalogue({
    ...store,
    now,
    createLoadTestId: () => context.imports.createLoadTestId(),
  });
  return {
    openMetrics: (query) => openMetrics(store.points, query),
    catalogue,
    importResults: (request) =>
      context.imports.importResults(store, { ...request, isUpload: true }),
    writeOtlp,
    writeRemote: createRemoteWriter(writeOtlp),
    writeLines: createLineWriter({ store, now, samples }),
    revisionOf: (loadTestId) => revisionOf(store.points, loadTestId),
    endpointSecondsOf: (loadTestId, range) => endpointSecondsOf(store.loadTests, loadTestId, range),
    furtherRoutes: [
      ...(reading.live === undefined ? [] : [liveRoute(catalogue, reading.live, project)]),
      ...storeRoutes(store, reading),
      createBatchesRoute(store, heldBytes, reading.sampleBytesMax !== 0),
      ...accessRoutes(store, keyRing, { now, project }),
    ],
  };
}
