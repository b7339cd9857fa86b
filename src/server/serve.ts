import { randomBytes, randomUUID, hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { createSecureContext } from "node:tls";
import type { Logger } from "pino";
import type { ServeRequest, CommandContext, InitKey } from "../cli/command-context.ts";
import { type Demo, bringDemo, isLoopback } from "./demo.ts";
import { LiveStreams } from "../http/live-streams.ts";
import { HeldBytes } from "../http/request/held-bytes.ts";
import { type TlsIdentity, contextOf } from "../http/node-server.ts";
import { LINK_PATH, type SignIn } from "../http/routes/access/sign-in.ts";
import type { HttpServer, ProjectServices } from "../http/server.ts";
import { createUploadLimit } from "../http/request/running-uploads.ts";
import { resolveHttpSettings } from "../http/settings.ts";
import { limitServerHeap } from "../import/heap-limits.ts";
import { observeAppends } from "../live/observe-appends.ts";
import { LogWriter, createLog } from "./log-writer.ts";
import { errorMessage, UserError, systemCode } from "../model/errors.ts";
import { createLinkViews } from "./link-views.ts";
import { createKeyRing, createKeyText, isKeyText, type KeyRing } from "../catalogue/keys.ts";
import { readPageFiles, readReportTemplate } from "./read-page-files.ts";
import { startFigures } from "./start-figures.ts";
import { noticeTargetsOf, openNotices, startJudging } from "./start-judging.ts";
import { type RunningJudgeJob, startRunningJudge } from "./start-running-judge.ts";
import { prometheusAuthorization } from "../import/pull-measures.ts";
import { prometheusBase } from "../source/download/prometheus.ts";
import { startRetention } from "./start-retention.ts";
import { storeFile } from "../data-directory/directory.ts";
import { OtlpMemories } from "../live/otlp/memories.ts";
import { openProjectServices } from "./project-services.ts";
import { type ServerLock, lockForServer } from "../store/sqlite/file/server-lock.ts";
import { StoreFiles } from "../store/sqlite/file/store-files.ts";
import type { Store } from "../store/store.ts";

const ALL_ADDRESSES = new Set(["0.0.0.0", "::", ""]);

/** Jobs read all load tests, so the first requests are answered before they start. */
const JOBS_AFTER_MS = 1000;

/** The program's version, files and outputs. */
export interface Program {
  readonly version: string;
  readonly processId: number;
  /** Folder of the built web UI, which may be missing. */
  readonly pageFolder: string;
  readonly demoFolder: string;
  /** Writes to standard error without blocking; returns the bytes written. Throws if there is no room. */
  readonly writeLog: (bytes: Uint8Array) => number;
  /** Calls back on SIGHUP. */
  readonly onHangUp: (reread: () => void) => void;
}

function doNothing(): void {}

/** Serves one store over HTTP until the process is asked to stop. */
export async function serve(
  options: ServeRequest,
  context: CommandContext,
  program: Program,
): Promise<void> {
  // Without a listener, SIGHUP ends the process.
  let renewTls: () => void = doNothing;
  program.onHangUp(() => renewTls());
  // Report wrong settings before anything is opened or locked.
  const settings = resolveHttpSettings(options.http);
  const { labelsMax, heldBytesMax, sampleBytesMax, traceUrl } = settings;
  const noticeTargets = noticeTargetsOf(options.notices);
  const prometheus = {
    addresses: options.prometheus.map((url) => prometheusBase(url)),
    authorization: prometheusAuthorization(context.environment),
  };
  const { isReadOnly } = options;
  const signIn = await openSignInOf(options);
  const tls = options.tls === undefined ? undefined : readTlsIdentity(options.tls);
  limitServerHeap();
  const logWriter = new LogWriter({
    write: program.writeLog,
    linesLost: (lines) => log.warn({ lines }, "log_lines_lost"),
  });
  const log = createLog(logWriter, context.now);
  const damage = new AbortController();
  const ending = AbortSignal.any([context.interrupted, damage.signal]);
  let lock: ServerLock | undefined;
  const [opened, { createHttpServer }] = await Promise.all([
    context.stores.open(options.location, {
      ...settings,
      damaged: (error) => damage.abort(error),
      mayCreate: !isReadOnly,
      isReadOnly,
      isOwnServer: () => lock !== undefined,
      labelsNearlyFull: (loadTestId, labels, project) =>
        log.warn(
          { project: project || undefined, loadTestId, labels, labelsMax },
          "labels_nearly_full",
        ),
    }),
    import("../http/server.ts"),
  ]);
  let running: RunningJudgeJob | undefined;
  const store = observeAppends(opened, (...stored) => running?.observe(...stored));
  try {
    const { directory } = options.location;
    if (!isShared(options)) lock = lockForServer(directory, program.processId);
    const files = new StoreFiles(storeFile(directory));
    const keyRing = createKeyRing(store.keys, {
      now: context.now,
      randomBytes,
      upkeepFailed: (error) => log.warn({ error: String(error) }, "upkeep of keys failed"),
    });
    await bringInitKey(options.initKey, keyRing, log);
    const demo = await bringDemo({
      store,
      keyRing,
      context,
      request: options,
      folder: program.demoFolder,
    });
    const heldBytes = new HeldBytes(heldBytesMax);
    const template = readReportTemplate(program.pageFolder);
    const streams = new LiveStreams();
    const reading = {
      live: {
        streams,
        now: context.now,
        limitsOf: (project: string | undefined, id: string) => running?.limitsOf(project, id),
      },
      template: () => template,
      version: program.version,
      now: context.now,
      sampleBytesMax,
      fileLimits: { ...settings, uploads: createUploadLimit(settings) },
      traceUrl,
    };
    const memories = new OtlpMemories();
    const servicesOf = (project?: string): ProjectServices =>
      openProjectServices({
        whole: store,
        project,
        keyRing,
        context,
        reading,
        heldBytes,
        memories,
      });
    const server = createHttpServer(
      {
        ...servicesOf(),
        servicesOf,
        page: readPageFiles(program.pageFolder),
        createLoadTestId: () => context.imports.createLoadTestId(),
        heldBytes,
        localTimeZone: () => context.imports.timeZone,
        now: context.now,
        tls,
        isAlwaysTls: options.notices.publicUrl?.startsWith("https:") ?? false,
        authenticate: (text) => keyRing.authenticate(text),
        linkViewOf: createLinkViews(store, reading),
        signIn,
        takeLink: demo?.link?.take,
        audit: store.audit,
        createKey: (request) => keyRing.create(request),
        createSession: (text) => keyRing.createSession(text),
        isReady: () => isUsable(store, files),
        log,
        createRequestId: randomUUID,
        version: program.version,
      },
      options.http,
    );
    renewTls = () => renewIdentity(server, options.tls, log);
    const { address, alsoGrpc } = await listen(server, options.http);
    // Not awaited: an unread output must not delay the shutdown.
    void context.writeOut(greeting(address, options.http.host, demo) + alsoGrpc);
    lock?.noteAddress(address);
    const risk = plainHttpRisk(options.http.host, tls !== undefined);
    if (risk !== undefined) context.writeError(`warning: ${risk}\n`);
    const about = { log, now: context.now, record: server.record };
    const notices = openNotices(options.notices, noticeTargets, log);
    await delay(JOBS_AFTER_MS, undefined, { signal: ending }).catch(doNothing);
    const jobs =
      isReadOnly || ending.aborted
        ? []
        : [
            startRetention(store, options.retention, options.retentionIn, about),
            startJudging(store, notices, { ...about, prometheus }),
            (running = startRunningJudge(store, notices, about)),
            startFigures(store, about),
          ];
    await interruption(ending);
    streams.close();
    await Promise.all(jobs.map((job) => job.stop()));
    await server.close();
    await keyRing.settle();
    damage.signal.throwIfAborted();
  } finally {
    lock?.release();
    await store.close();
    await logWriter.close();
  }
}

/** Several servers can use one database, or read one directory. */
function isShared({ isReadOnly, location }: ServeRequest): boolean {
  return isReadOnly || location.postgres !== undefined;
}

/** Loads a renewed certificate without a restart; keeps the old one if the new one is invalid. */
function renewIdentity(server: HttpServer, files: TlsFiles | undefined, log: Logger): void {
  if (files === undefined) {
    log.info({ reason: "no TLS certificate is set" }, "nothing_reloaded");
    return;
  }
  try {
    server.renewTls(readTlsIdentity(files));
    log.info({}, "tls_renewed");
  } catch (error) {
    log.error({ error: String(error) }, "tls_not_renewed");
  }
}

async function isUsable(store: Store, files: StoreFiles): Promise<boolean> {
  try {
    files.check();
    await store.loadTests.find("any");
    return true;
  } catch {
    return false;
  }
}

type ListenSettings = ServeRequest["http"];

/** `alsoGrpc`: a line for the greeting, or nothing. */
async function listen(
  server: HttpServer,
  http: ListenSettings,
): Promise<{ readonly address: string; readonly alsoGrpc: string }> {
  try {
    const address = await openDoor(server, http, "port");
    if (server.grpc === undefined) return { address, alsoGrpc: "" };
    const grpc = await openDoor(server.grpc, http, "otlpGrpcPort");
    return { address, alsoGrpc: `OpenTelemetry over gRPC is received at ${grpc}\n` };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Throws `address-in-use`, `bad-setting`. */
async function openDoor(
  door: Pick<HttpServer, "listen">,
  http: ListenSettings,
  setting: "port" | "otlpGrpcPort",
): Promise<string> {
  try {
    return await door.listen();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && "syscall" in error)) throw error;
    const what = `cannot listen on ${http.host}, port ${http[setting]}`;
    if (error.code === "EADDRINUSE") {
      const message = `${what}: the port is in use; choose another with ${setting === "port" ? "--port" : "--otlp-grpc-port"}`;
      throw new UserError("address-in-use", message, { cause: error });
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

type TlsFiles = NonNullable<ServeRequest["tls"]>;

/** Throws `bad-setting` if the files cannot be read or do not match. */
function readTlsIdentity({ certificateFile, keyFile }: TlsFiles): TlsIdentity {
  const identity = { certificate: readText(certificateFile, "TLS"), key: readText(keyFile, "TLS") };
  try {
    createSecureContext(contextOf(identity));
  } catch (cause) {
    const files = `${certificateFile} and ${keyFile}`;
    const what = "expected a certificate and its key without a passphrase, as PEM";
    throw unusable(`${files} for TLS`, what, cause);
  }
  return identity;
}

/** Loads the library only where it is used. Throws `bad-setting`. */
async function openSignInOf({ signIn, notices }: ServeRequest): Promise<SignIn | undefined> {
  if (signIn === undefined) return undefined;
  const { clientSecretFile: file, ...settings } = signIn;
  const { openSignIn } = await import("./open-sign-in.ts");
  const clientSecret = file === undefined ? undefined : readText(file, "sign-in").trim();
  const address = notices.publicUrl?.replace(/\/$/, "") ?? "";
  return openSignIn({ ...settings, clientSecret }, `${address}/sign-in/callback`);
}

function readText(file: string, use: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw unusable(`${file} for ${use}`, "cannot read it", cause);
  }
}

function unusable(files: string, what: string, cause: unknown): UserError {
  const reason = errorMessage(cause);
  return new UserError("bad-setting", `cannot use ${files}: ${what} (${reason})`, { cause });
}

/** The message printed once the server listens: its URLs, and how to open the demo. */
export function greeting(address: string, host: string, demo: Demo | undefined): string {
  const base = address.replace(/\/$/, "");
  if (demo?.link !== undefined) {
    return [
      "Tachograph is running, with six recorded test runs. Open this address; it signs your browser in, once:",
      `  ${base}${LINK_PATH}?code=${demo.link.code}`,
      `The key for scripts is in ${demo.keyFile}`,
      "",
    ].join("\n");
  }
  const lines = [`Tachograph answers at ${address}`];
  const elsewhere = ALL_ADDRESSES.has(host) ? addressInNetwork() : undefined;
  if (elsewhere !== undefined) {
    lines.push(`and for other machines at ${address.replace("127.0.0.1", elsewhere)}`);
  }
  if (demo !== undefined) {
    lines.push(
      `It has six recorded test runs, "${demo.loadTestId}" the last. The key is in ${demo.keyFile}`,
    );
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** A warning if keys are sent unencrypted; otherwise `undefined`. */
export function plainHttpRisk(host: string, isEncrypted: boolean): string | undefined {
  if (isEncrypted || isLoopback(host)) return undefined;
  return (
    "keys are sent in clear, since this is plain HTTP beyond this machine; use --tls-certificate " +
    "and --tls-key, or listen on 127.0.0.1 behind a proxy with TLS"
  );
}

function addressInNetwork(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, address }) => !internal && isIP(address) === 4)?.address;
}

/** Of the digest, in the name: enough to distinguish keys. */
const DIGITS = 8;

/**
 * Accepts the key in a file from now on, with the scope admin; changes nothing if it is known, and warns if it was revoked.
 * A missing file is made, with a new key, for its owner only. Without a file it does nothing. Throws `bad-setting` if the
 * file cannot be used.
 */
export async function bringInitKey(
  { file, project }: InitKey,
  keyRing: KeyRing,
  log: Pick<Logger, "warn">,
): Promise<void> {
  if (file === undefined) return;
  const text = readKey(file);
  const known = await keyRing.authenticate(text);
  if (known.accepted) return;
  const { reason } = known;
  if (reason === "unknown") await addKey(text, project, keyRing);
  else log.warn({ file, reason }, "init_key_refused");
}

async function addKey(text: string, project: string | undefined, keyRing: KeyRing): Promise<void> {
  const name = `init ${hash("sha256", text).slice(0, DIGITS)}`;
  try {
    await keyRing.create({ name, scopes: ["admin"], expiresAtMs: undefined, text, project });
  } catch (error) {
    // Another server may have started with the same file.
    const again = await keyRing.authenticate(text);
    if (!again.accepted) throw error;
  }
}

function readKey(file: string): string {
  const text = contentOf(file).trim();
  if (isKeyText(text)) return text;
  throw unusableKeyFile(
    file,
    `expected one key, "tgk_" and 36 characters, got ${text.length} characters`,
  );
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (systemCode(cause) !== "ENOENT")
      throw unusableKeyFile(file, `cannot read it (${String(cause)})`, cause);
  }
  const text = createKeyText(randomBytes);
  try {
    writeFileSync(file, `${text}\n`, { mode: 0o600, flag: "wx", flush: true });
  } catch (cause) {
    throw unusableKeyFile(file, `it does not exist, and cannot be made (${String(cause)})`, cause);
  }
  return text;
}

function unusableKeyFile(file: string, what: string, cause?: unknown): UserError {
  return new UserError("bad-setting", `cannot use ${file} for the first key: ${what}`, { cause });
}
