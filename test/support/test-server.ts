/** A server on a memory store, with keys, one load test and a captured log. */

import { randomBytes, randomUUID } from "node:crypto";
import inject, { type Chain, type InjectOptions, type Response } from "light-my-request";
import { FORMATS } from "../../src/decode/formats.ts";
import { type HttpDependencies, type HttpServer, createHttpServer } from "../../src/http/server.ts";
import { createBatchesRoute } from "../../src/http/routes/batches.ts";
import { HeldBytes } from "../../src/http/request/held-bytes.ts";
import { createUploadLimit } from "../../src/http/request/running-uploads.ts";
import { DEFAULT_HTTP_SETTINGS, type HttpSettings } from "../../src/http/settings.ts";
import type { Scope } from "../../src/model/access-key.ts";
import { createLinkViews } from "../../src/server/link-views.ts";
import { type KeyRing, createKeyRing } from "../../src/catalogue/keys.ts";
import { openProject } from "../../src/catalogue/environment-stretch.ts";
import { openCatalogue } from "../../src/catalogue/catalogue.ts";
import { decodePoints } from "../../src/import/decode-points.ts";
import { type ImportRequest, importResults } from "../../src/import/import-results.ts";
import type { SecondRange } from "../../src/model/columns.ts";
import { revisionOf, endpointSecondsOf } from "../../src/series/open-snapshot.ts";
import { OtlpMemories } from "../../src/live/otlp/memories.ts";
import { createOtlpWriter } from "../../src/live/otlp/write-otlp.ts";
import { createRemoteWriter } from "../../src/live/otlp/write-remote.ts";
import { type MetricsQuery, openMetrics } from "../../src/query/read-metrics.ts";
import { samplesOf } from "../../src/import/decode-settings.ts";
import { createLineWriter } from "../../src/live/write-lines.ts";
import { openMemoryStore } from "./memory-store/memory-store.ts";
import { LiveStreams } from "../../src/http/live-streams.ts";
import {
  accessRoutes,
  liveRoute,
  type StoreRouteDependencies,
  storeRoutes,
} from "../../src/server/store-routes.ts";
import type { Store } from "../../src/store/store.ts";
import { type LabelledSample, batchOf } from "./batches.ts";
import { loadTest } from "./load-tests.ts";

interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly [field: string]: unknown;
}

export interface TestServer {
  readonly server: HttpServer & {
    /** Sends a request without a socket. */
    readonly inject: (request: InjectOptions | string) => Promise<Response>;
  };
  readonly store: Store;
  readonly ring: KeyRing;
  /** A read key. */
  readonly key: string;
  /** Sends a request without a socket, with the read key unless another is given. */
  readonly ask: (url: string, request?: Asked) => Promise<Response>;
  readonly logged: LogLine[];
  makeKey(...scopes: readonly Scope[]): Promise<string>;
}

interface Asked {
  /** @default "GET" */
  readonly method?: string;
  readonly key?: string;
  /** Those that are `undefined` are not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly payload?: InjectOptions["payload"] | undefined;
}

export interface TestServerOptions {
  /** An empty store. @default one in memory */
  readonly store?: Store;
  readonly samples?: readonly LabelledSample[];
  readonly settings?: Partial<HttpSettings>;
  readonly dependencies?: Partial<HttpDependencies>;
  readonly live?: Partial<NonNullable<StoreRouteDependencies["live"]>>;
  /** Milliseconds since the epoch. @default the time for keys, `NOW_MS` for data */
  readonly now?: () => number;
}

/** A report page that shows nothing. */
const REPORT_TEMPLATE =
  "<title>__report_title__</title><script>__report_contents__</script></html>";

const NOW_MS = Date.UTC(2026, 10, 21, 12);

/** `samples` are in the load test `run`; nothing listens until `server.listen()`. */
export async function createTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { labelsMax } = { ...DEFAULT_HTTP_SETTINGS, ...options.settings };
  const store = options.store ?? openMemoryStore({ labelLimit: { max: labelsMax } });
  await store.loadTests.create(loadTest());
  if (options.samples !== undefined) await store.points.append(batchOf(options.samples));
  const opened = openTestServer(store, options);
  const own = await opened.makeKey("read");
  const ask: TestServer["ask"] = (url, { method = "GET", key = own, headers, payload } = {}) => {
    const sent = Object.entries({ "x-service-auth": key, ...headers });
    return opened.server.inject({
      method: method as "GET",
      url,
      headers: Object.fromEntries(
        sent.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
      ...(payload === undefined ? {} : { payload }),
    });
  };
  return { ...opened, key: own, ask };
}

/** On a store as it is. */
export function openTestServer(
  store: Store,
  options: Omit<TestServerOptions, "store" | "samples"> = {},
): Omit<TestServer, "key" | "ask"> {
  const settings = { ...DEFAULT_HTTP_SETTINGS, ...options.settings };
  const { heldBytesMax, sampleBytesMax } = settings;
  const heldBytes = new HeldBytes(heldBytesMax);
  const { now = () => Date.now() } = options;
  const dataNow = options.now ?? (() => NOW_MS);
  const ring = createKeyRing(store.keys, {
    now,
    randomBytes,
    upkeepFailed(error) {
      throw error;
    },
  });
  let ids = 0;
  const logged: LogLine[] = [];
  const logAt =
    (level: LogLine["level"]) =>
    (fields: object, event: string): void =>
      void logged.push({ level, event, ...fields });
  const makeKey = (...scopes: readonly Scope[]): Promise<string> =>
    ring.create({ name: randomUUID(), scopes, expiresAtMs: undefined });
  const live = {
    streams: new LiveStreams(2, 20),
    limitsOf: () => undefined,
    // Streams end at once, as long after the last data: requests without a socket wait for their end.
    now: () => now() + 600_000,
    ...options.live,
  };
  const reading = {
    live,
    template: () => REPORT_TEMPLATE,
    version: "1.2.3",
    now: dataNow,
    sampleBytesMax,
    traceUrl: settings.traceUrl,
    fileLimits: { ...settings, uploads: createUploadLimit(settings) },
  };
  const memories = new OtlpMemories();
  const servicesOf = (project?: string) => {
    const part = openProject(store, project);
    const writeOtlp = createOtlpWriter({ store: part, memories, project, now: dataNow });
    const catalogue = openCatalogue({
      ...part,
      now: dataNow,
      createLoadTestId: () => "new-1",
    });
    return {
      openMetrics: (query: MetricsQuery) => openMetrics(part.points, query),
      furtherRoutes: [
        liveRoute(catalogue, live, project),
        ...storeRoutes(part, reading),
        createBatchesRoute(part, heldBytes, sampleBytesMax > 0),
        ...accessRoutes(part, ring, { now, project }),
      ],
      catalogue,
      importResults: (request: ImportRequest) =>
        importResults(request, { store: part, formats: FORMATS, decodePoints, now: dataNow }),
      writeOtlp,
      writeRemote: createRemoteWriter(writeOtlp),
      writeLines: createLineWriter({
        store: part,
        now: dataNow,
        samples: samplesOf(sampleBytesMax, undefined),
      }),
      revisionOf: (loadTestId: string) => revisionOf(part.points, loadTestId),
      endpointSecondsOf: (loadTestId: string, range?: SecondRange) =>
        endpointSecondsOf(part.loadTests, loadTestId, range),
    };
  };
  const server = createHttpServer(
    {
      ...servicesOf(),
      servicesOf,
      linkViewOf: createLinkViews(store, reading),
      audit: store.audit,
      createKey: (request) => ring.create(request),
      createSession: (text) => ring.createSession(text),
      heldBytes,
      createLoadTestId: () => `new-${++ids}`,
      localTimeZone: () => "UTC",
      now,
      authenticate: (text) => ring.authenticate(text),
      isReady: async () => true,
      log: {
        info: logAt("info"),
        warn: logAt("warn"),
        error: logAt("error"),
      },
      createRequestId: randomUUID,
      version: "1.2.3",
      ...options.dependencies,
    },
    { port: 0, ...options.settings },
  );
  const injected = (request: InjectOptions | string): Chain =>
    inject((incoming, response) => {
      // As Node sets it.
      response.once("finish", () =>
        Object.defineProperty(response, "writableFinished", { value: true }),
      );
      server.node.emit("request", incoming, response);
    }, request);
  return {
    server: { ...server, inject: injected },
    store,
    ring,
    logged,
    makeKey,
  };
}
