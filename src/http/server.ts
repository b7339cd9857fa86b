import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type ChangeLog, createChangeRecorder, type RecordChange } from "../catalogue/audit.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { KeyRing } from "../catalogue/keys.ts";
import { Semaphore } from "../concurrency/semaphore.ts";
import type { MetricsAnswer, MetricsQuery } from "../query/read-metrics.ts";
import type { HttpLog } from "./access-log.ts";
import { ResponseCache } from "./response/response-cache.ts";
import { createUploadLimit } from "./request/running-uploads.ts";
import { createHostCheck } from "./request/transport-checks.ts";
import { createAddressCheck } from "./client-address.ts";
import { Connections } from "./connections.ts";
import { FailedKeys } from "./admit.ts";
import { createGrpcServer, type GrpcServer } from "./grpc/grpc-server.ts";
import type { HeldBytes } from "./request/held-bytes.ts";
import {
  createBearerKeyReader,
  createHeaderKeyReader,
  createInfluxKeyReader,
} from "./key-reader.ts";
import type { KeyView, ViewOf } from "./key-view.ts";
import { HttpError } from "./response/http-error.ts";
import { LargeResponses } from "./response/large-responses.ts";
import { LongAnswers } from "./response/long-answers.ts";
import { createMonitoring } from "./monitoring.ts";
import { createNodeServer, renewIdentity, type TlsIdentity } from "./node-server.ts";
import { createOpenApi } from "./openapi.ts";
import { type ResponsesInFlight, refuseUnreadable } from "./request/parser-errors.ts";
import { createPipeline, type PipelineDependencies } from "./pipeline.ts";
import { createRecordingHandler } from "./record-changes.ts";
import type { Route } from "./route.ts";
import {
  createReadyRoute,
  liveRoute,
  createPrometheusRoute,
  createOpenApiRoute,
  thresholdsSchemaRoute,
} from "./routes/service.ts";
import { createInfluxSetupRoutes } from "./routes/live/influx-setup.ts";
import { createLineRoutes, type LineRouteDependencies } from "./routes/live/lines.ts";
import { createLoadTestRoutes } from "./routes/load-tests.ts";
import { createOtlpRoutes, type OtlpRouteDependencies } from "./routes/live/otlp.ts";
import {
  createRemoteWriteRoute,
  type RemoteWriteRouteDependencies,
} from "./routes/live/remote-write.ts";
import { createMetricsRoute } from "./routes/metrics.ts";
import { createPageRoutes, type PageFiles } from "./routes/page.ts";
import type { SecondRange } from "../model/columns.ts";
import { createResultsRoutes, type UploadDependencies } from "./routes/results.ts";
import { createSignInRoutes, type SignInDependencies } from "./routes/access/sign-in.ts";
import { createSessionRoutes } from "./routes/access/keys.ts";
import { type HttpSettings, resolveHttpSettings } from "./settings.ts";

/** The load tests of one project, or those that belong to none. */
export interface ProjectServices {
  readonly openMetrics: (query: MetricsQuery) => Promise<MetricsAnswer>;
  readonly catalogue: Catalogue;
  readonly importResults: UploadDependencies["importResults"];
  readonly writeLines: LineRouteDependencies["writeLines"];
  readonly writeOtlp: OtlpRouteDependencies["writeOtlp"];
  readonly writeRemote: RemoteWriteRouteDependencies["writeRemote"];
  /** Routes besides those listed in this file. */
  readonly furtherRoutes?: readonly Route[];
  /** Changes with the data of a load test; `undefined` if it does not exist. */
  readonly revisionOf: (loadTestId: string) => Promise<string | undefined>;
  /** Seconds of all endpoints of a load test within a range; 0 if it does not exist. */
  readonly endpointSecondsOf: (loadTestId: string, range?: SecondRange) => Promise<number>;
}

/** Dependencies of the server; its own part is what belongs to no project. */
export interface HttpDependencies extends ProjectServices {
  readonly servicesOf: (project: string) => ProjectServices;
  readonly createLoadTestId: () => string;
  readonly heldBytes: HeldBytes;
  readonly localTimeZone: () => string;
  /** The built web UI. @default a short page that names the program */
  readonly page?: PageFiles | undefined;
  /** @default plain HTTP */
  readonly tls?: TlsIdentity | undefined;
  /** Whether the public address of the server is `https:`. @default false */
  readonly isAlwaysTls?: boolean;
  readonly authenticate: KeyRing["authenticate"];
  readonly createSession: KeyRing["createSession"];
  readonly signIn?: SignInDependencies["signIn"];
  readonly takeLink?: SignInDependencies["takeLink"];
  readonly createKey: KeyRing["create"];
  readonly audit: ChangeLog;
  /** What a link sees; `undefined` for other keys. */
  readonly linkViewOf: ViewOf;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly isReady: () => Promise<boolean>;
  readonly log: HttpLog;
  /** A new UUID for each request. */
  readonly createRequestId: () => string;
  /** Version of the program, for the OpenAPI document. */
  readonly version: string;
}

export interface HttpServer {
  readonly node: Server;
  /** `undefined` without `otlpGrpcPort`. */
  readonly grpc: GrpcServer | undefined;
  /** Every operation, in the order of the OpenAPI document. */
  readonly routes: readonly Route[];
  /** For changes that no request makes. */
  readonly record: RecordChange;
  /** Starts to listen. Returns the base URL, such as `http://127.0.0.1:8013`. */
  listen(): Promise<string>;
  /** Uses another certificate for new connections. Requires `tls` at the start. */
  renewTls(tls: TlsIdentity): void;
  /**
   * At all doors, accepts no new connections, closes idle ones, waits at most `drainMs` for responses in flight, then
   * closes the rest. A second call waits for the first.
   */
  close(): Promise<void>;
}

/** Creates the server; `listen` starts it. Throws `bad-setting`. */
export function createHttpServer(
  dependencies: HttpDependencies,
  requests: Partial<HttpSettings> = {},
): HttpServer {
  const settings = resolveHttpSettings(requests);
  const monitoring = createMonitoring();
  const underWay: ResponsesInFlight = new Map();
  let closing: Promise<void> | undefined;
  const expectReady = async (): Promise<void> => {
    if (closing === undefined && (await dependencies.isReady())) return;
    throw new HttpError("not-ready", "the server is shutting down, or its store is unreadable");
  };
  const { version, log, now } = dependencies;
  const record = createChangeRecorder(dependencies.audit, {
    now,
    failed(entry, error) {
      monitoring.auditFailed();
      log.error({ ...entry, err: error }, "audit_failed");
    },
  });
  const keyReader = createHeaderKeyReader(settings.keyHeaders);
  const influxKeyReader = createInfluxKeyReader(keyReader);
  const bearerKeyReader = createBearerKeyReader(keyReader);
  let openApi: string | undefined;
  const describe = (): string => {
    const about = { version, basePath: settings.basePath, keyReader };
    return (openApi ??= JSON.stringify(createOpenApi(routes, about)));
  };
  const limits = {
    imports: createUploadLimit(settings),
    writes: new Semaphore({ max: settings.writesMax }),
  };
  const projectRoutes = (services: ProjectServices): readonly Route[] => {
    const common = { ...dependencies, ...settings, ...services, ...limits };
    return [
      createMetricsRoute(services.openMetrics),
      ...createLoadTestRoutes(services.catalogue, settings.basePath),
      ...createResultsRoutes(common),
      ...createLineRoutes({ ...common, monitoring, keyReader: influxKeyReader }),
      ...createOtlpRoutes({ ...common, keyReader: bearerKeyReader }),
      createRemoteWriteRoute({ ...common, keyReader: influxKeyReader }),
      ...createInfluxSetupRoutes({ expectReady, version, keyReader: influxKeyReader }),
      ...(services.furtherRoutes ?? []),
    ];
  };
  const routes: Route[] = [
    ...projectRoutes(dependencies),
    ...createSessionRoutes(dependencies.createSession, settings.basePath),
    ...createSignInRoutes({ ...dependencies, ...settings, record }),
    liveRoute,
    createReadyRoute(expectReady),
    createPrometheusRoute(monitoring),
    createOpenApiRoute(describe),
    thresholdsSchemaRoute,
    ...createPageRoutes(dependencies.page, settings.basePath),
  ];
  const isTrustedProxy = createAddressCheck(settings.trustedProxies);
  const connections = new Connections({
    max: settings.connectionsMax,
    perAddressMax: settings.connectionsPerAddressMax,
    isTrustedProxy,
    isBusy: (socket) => underWay.has(socket) || (grpc?.isBusy(socket) ?? false),
    closed: (limit) => monitoring.connectionClosed(limit),
  });
  const pipelineDependencies: PipelineDependencies = {
    ...dependencies,
    settings,
    keyCheck: {
      keyReader,
      authenticate: dependencies.authenticate,
      failedKeys: new FailedKeys(() => performance.now()),
      failedKeysMax: settings.failedKeysMax,
      log,
    },
    viewOf: createViews(dependencies, projectRoutes),
    monitoring,
    underWay,
    connections,
    isTrustedProxy,
    isAlwaysTls: dependencies.isAlwaysTls ?? false,
    handle: createRecordingHandler(record),
    responseCache: new ResponseCache(settings.responseCacheBytesMax),
    largeResponses: new LargeResponses(settings.largeResponsesMax),
    largePublicResponses: new LargeResponses(settings.largeResponsesMax),
    longAnswers: new LongAnswers(),
    compressions: { max: settings.compressionsMax, underWay: 0 },
    isAllowedHost: createHostCheck(settings.host, settings.allowedHosts),
    isClosing: () => closing !== undefined,
  };
  const pipeline = createPipeline(routes, pipelineDependencies);
  const node = createNodeServer(settings, dependencies.tls, pipeline);
  const grpc =
    settings.otlpGrpcPort === undefined
      ? undefined
      : createGrpcServer(routes, dependencies.tls, pipelineDependencies);
  node.on("clientError", (error: Error, socket: Socket) => {
    const requestId = dependencies.createRequestId();
    const { lingerMs } = settings;
    const answer = refuseUnreadable(error, socket, { underWay, requestId, lingerMs });
    if (answer === undefined) return;
    monitoring.counted({ route: "none", method: "none", status: answer.status }, 0);
    log.info({ requestId, address: socket.remoteAddress, status: answer.status }, "unreadable");
  });
  connections.watch(node);
  if (grpc !== undefined) connections.watch(grpc.node);
  closeIdle(node, underWay, settings.stallMs);
  return {
    node,
    grpc,
    routes,
    record,
    async listen() {
      node.listen(settings.port, settings.host);
      await once(node, "listening");
      const scheme = dependencies.tls === undefined ? "http" : "https";
      return urlOf(scheme, node.address() as AddressInfo, settings.basePath);
    },
    renewTls(tls) {
      for (const each of [node, grpc?.node]) if (each !== undefined) renewIdentity(each, tls);
    },
    close() {
      closing ??= Promise.all([
        drain(node, { underWay, connections }, settings.drainMs),
        grpc?.close(),
      ]).then(() => monitoring.close());
      return closing;
    },
  };
}

/** What keys see: a link its load tests, another key its project, and `undefined` what belongs to none. */
function createViews(
  { linkViewOf, servicesOf }: HttpDependencies,
  projectRoutes: (services: ProjectServices) => readonly Route[],
): ViewOf {
  const views = new Map<string, KeyView>();
  return (key) => {
    const { project } = key;
    const link = linkViewOf(key);
    if (link !== undefined || project === undefined) return link;
    const known = views.get(project);
    if (known !== undefined) return known;
    const services = servicesOf(project);
    const routes = new Map(projectRoutes(services).map((route) => [route.operationId, route]));
    const { revisionOf, endpointSecondsOf } = services;
    const view = { name: `project ${project}`, routes, revisionOf, endpointSecondsOf };
    views.set(project, view);
    return view;
  };
}

function urlOf(scheme: string, bound: AddressInfo, basePath: string): string {
  const { address, family, port } = bound;
  const isEverywhere = address === "0.0.0.0" || address === "::";
  const host = isEverywhere ? "127.0.0.1" : family === "IPv6" ? `[${address}]` : address;
  return `${scheme}://${host}:${port}${basePath}`;
}

/**
 * Closes connections without traffic for `idleMs`. One with a request in flight is closed only if its
 * peer does not read. Pending input is read first, so that a stalled process does not close connections
 * for its own delay.
 */
function closeIdle(server: Server, underWay: ResponsesInFlight, idleMs: number): void {
  server.timeout = idleMs;
  server.on("timeout", (socket: Socket) => {
    const { bytesRead } = socket;
    setImmediate(() => {
      const isIdle = !underWay.has(socket) && socket.bytesRead === bytesRead;
      if (isIdle || socket.writableLength > 0) socket.destroy();
    });
  });
}

/** How long a connection may take to send its first byte during shutdown. */
const SILENCE_MS = 100;

interface Draining {
  readonly underWay: ResponsesInFlight;
  readonly connections: Iterable<Socket>;
}

async function drain(
  node: Server,
  { underWay, connections }: Draining,
  drainMs: number,
): Promise<void> {
  // Node treats a connection as idle only after its first request; browsers open spare ones.
  const silence = setTimeout(() => {
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  }, SILENCE_MS);
  for (const [socket, { response }] of underWay) {
    response.shouldKeepAlive = false;
    // Headers already sent have promised to keep the connection open.
    response.once("close", () => socket.destroySoon());
  }
  const deadline = setTimeout(() => {
    node.closeAllConnections();
    // `closeAllConnections` misses those without a request.
    for (const socket of connections) socket.destroy();
  }, drainMs);
  try {
    // If it never listened, the error is ignored.
    await new Promise((resolve) => node.close(resolve));
  } finally {
    clearTimeout(silence);
    clearTimeout(deadline);
  }
}
