import { randomBytes, randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Logger, pino } from "pino";
import type { ServeWish, Shell } from "./cli/shell.ts";
import { bringDemo, type Demo } from "./demo.ts";
import { createKeyRoutes } from "./http/routes/keys.ts";
import { HeldBytes } from "./http/held-bytes.ts";
import type { HttpServer } from "./http/server.ts";
import { resolveHttpSettings } from "./http/settings.ts";
import { UserError } from "./model/errors.ts";
import { createKeyAdministration } from "./operations/administer-keys.ts";
import { openCatalogue } from "./operations/catalogue.ts";
import { createKeyRing } from "./operations/keys.ts";
import { revisionOf } from "./operations/open-snapshot.ts";
import { openMetrics } from "./operations/read-metrics.ts";
import { startPruning } from "./start-pruning.ts";
import { createLineWriter } from "./operations/write-lines.ts";
import { readTlsIdentity, type TlsFiles } from "./read-tls-identity.ts";
import { readPageFiles, readReportTemplate } from "./read-page-files.ts";
import type { Store } from "./store/store.ts";
import { storeRoutes } from "./store-routes.ts";
import { type ServerLock, lockForServer } from "./store/sqlite/server-lock.ts";

/** What serves. */
export interface Program {
  readonly version: string;
  readonly processId: number;
  /** Where the built page lies, if it was built. */
  readonly pageFolder: string;
  /** Calls back when the process is asked to read its files again. */
  readonly onHangUp: (reread: () => void) => void;
}

/** Lines for standard error are gathered for a moment: one write for each would be a tenth of small answers. */
const LOG_TARGET = { dest: 2, minLength: 4096, periodicFlush: 500 };

/** Serves one store over HTTP until the process is asked to end. */
export async function serve(wish: ServeWish, shell: Shell, program: Program): Promise<void> {
  // Wrong settings are told before anything is opened or locked.
  const { labelsMax, freeBytesMin, heldBytesMax } = resolveHttpSettings(wish.http);
  const tls = wish.tls === undefined ? undefined : readTlsIdentity(wish.tls);
  const logTarget = pino.destination(LOG_TARGET);
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, logTarget);
  const [store, { createHttpServer }] = await Promise.all([
    shell.openStore(wish.place, {
      isChecked: true,
      mayCreate: true,
      labelsMax,
      freeBytesMin,
      labelsNearlyFull: (loadTestId, labels) =>
        log.warn({ loadTestId, labels, labelsMax }, "labels_nearly_full"),
      housekeeping: {
        done: (event, about) => log.info(about, event),
        failed: (event, error) => log.error({ err: error }, event),
      },
    }),
    loadHttpServer(),
  ]);
  let lock: ServerLock | undefined;
  try {
    // On ClickHouse, any number of servers work side by side.
    if ("directory" in wish.place) lock = lockForServer(wish.place.directory, program.processId);
    const keyRing = createKeyRing(store.keys, {
      now: shell.now,
      randomBytes,
      touchFailed: (error) => log.warn({ error: String(error) }, "last use of a key not written"),
    });
    const demo = wish.isDemo ? await bringDemo({ store, keyRing, shell, wish }) : undefined;
    const heldBytes = new HeldBytes(heldBytesMax);
    const server = createHttpServer(
      {
        openMetrics: (query) => openMetrics(store.points, query),
        page: readPageFiles(program.pageFolder),
        furtherRoutes: [
          ...storeRoutes(store, {
            template: readReportTemplate(program.pageFolder),
            version: program.version,
            now: shell.now,
            heldBytes,
          }),
          ...createKeyRoutes(createKeyAdministration(keyRing, shell.now)),
        ],
        catalogue: openCatalogue({
          ...store,
          now: shell.now,
          createLoadTestId: () => shell.createLoadTestId(),
        }),
        importResults: (request) => shell.importResults(store, request),
        heldBytes,
        writeLines: createLineWriter({ store, now: shell.now }),
        localTimeZone: () => shell.timeZone,
        revisionOf: (loadTestId) => revisionOf(store.points, loadTestId),
        storeVersion: () => store.version(),
        now: shell.now,
        tls,
        authenticate: (text) => keyRing.authenticate(text),
        isReady: () => isReadable(store),
        log,
        createRequestId: randomUUID,
        version: program.version,
      },
      wish.http,
    );
    if (wish.tls !== undefined) renewOnHangUp(server, wish.tls, { log, program });
    const address = await listen(server, wish);
    await shell.writeOut(greeting(address, demo));
    const pruning = startPruning(store, wish.retention, { log, now: shell.now });
    await interruption(shell.interrupted);
    await pruning?.stop();
    await server.close();
    await keyRing.settle();
  } finally {
    lock?.release();
    await store.close();
    logTarget.flushSync();
  }
}

/** What takes long to load comes while a second thread looks through the file of the store. */
async function loadHttpServer(): Promise<typeof import("./http/server.ts")> {
  await nextTurn();
  return await import("./http/server.ts");
}

/** A renewed certificate is taken without a restart; a wrong one leaves the old one in its place. */
function renewOnHangUp(
  server: HttpServer,
  files: TlsFiles,
  { log, program }: { readonly log: Logger; readonly program: Program },
): void {
  program.onHangUp(() => {
    try {
      server.renewTls(readTlsIdentity(files));
      log.info({}, "tls_renewed");
    } catch (error) {
      log.error({ error: String(error) }, "tls_not_renewed");
    }
  });
}

async function isReadable(store: Store): Promise<boolean> {
  return store.loadTests.find("any").then(
    () => true,
    () => false,
  );
}

async function listen(server: HttpServer, { http }: ServeWish): Promise<string> {
  try {
    return await server.listen();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && "syscall" in error)) throw error;
    const what = `cannot listen on ${http.host}, port ${http.port}`;
    if (error.code === "EADDRINUSE") {
      throw new UserError("address-in-use", `${what}: something else does already`, {
        cause: error,
      });
    }
    throw new UserError("bad-setting", `${what}: ${error.message}`, { cause: error });
  }
}

function interruption(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function greeting(address: string, demo: Demo | undefined): string {
  const lines = [`Tachograph answers at ${address}`];
  if (demo !== undefined) {
    lines.push(
      "",
      `A recorded load test is in it: "${demo.loadTestId}". The key to read it is`,
      `  ${demo.key}`,
      "and this asks for all its GET requests, second by second:",
      `  curl -H 'X-Service-Auth: ${demo.key}' '${address.replace(/\/$/, "")}/Api/Metrics?loadTestId=${demo.loadTestId}&filter=GET&format=csv'`,
    );
  }
  return lines.map((line) => `${line}\n`).join("");
}
