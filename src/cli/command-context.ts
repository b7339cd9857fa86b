import type { Command } from "commander";
import type { Api } from "../client/api.ts";
import type { Scope } from "../model/access-key.ts";
import type { OpenApi } from "../mcp/tool.ts";
import type { ImportReport } from "../model/import-report.ts";
import type { ImportRequest } from "../import/import-results.ts";
import type { MeasureSource } from "../import/pull-measures.ts";
import type { ImportTarget } from "../import/ensure-load-test.ts";
import type { Retention } from "../catalogue/prune-load-tests.ts";
import type { ServerAddress, StoreLocation } from "./targets/store-location.ts";
import type { RemoteFile } from "./targets/read-file.ts";
import type { Store } from "../store/store.ts";
import type { FollowDependencies, FollowRequest } from "../live/reading.ts";

/** Integer settings of `serve`: `stallMs` is `--stall-ms`. docs/api.md has details, and the limits that are fixed. */
export const SERVER_LIMITS = {
  headersTimeoutMs: "time to receive the headers of a request",
  bodyStallMs: "a request whose body stalls for this long is aborted",
  keepAliveMs:
    "how long an idle connection stays open; behind a proxy, longer than the proxy's own time-out",
  connectionsMax: "concurrent connections; another one replaces an idle one, or is closed",
  connectionsPerAddressMax:
    "concurrent connections of one address; through a trusted proxy, concurrent requests",
  failedKeysMax: "wrong keys per address and minute; further ones get 429",
  stallMs: "a client that reads less than 256 KiB in this time is disconnected",
  responseCacheBytesMax: "bytes of cached responses; 0: none",
  uploadsMax: "uploads imported concurrently",
  heldBytesMax: "bytes of batches and lines held until they are stored; further ones get 503",
  labelsMax: "labels per run; in files, labels over the limit are merged into (other)",
  facetCombinationsMax: "facet combinations of a label; further ones count as (other)",
  facetSeriesMax: "facet series of a run, beyond one per label; further ones count as (other)",
  sampleBytesMax: "bytes of requests kept whole, of a run; 0: none",
  keptFileBytesMax: "bytes of an original that --keep-file keeps; 0: none",
  attachmentBytesMax: "bytes of an attachment of a run; 0: none",
  attachmentsMax: "attachments of a run",
  freeBytesMin: "bytes kept free on the disk; batches and files that would need them are refused",
} as const;

/** Runs the action of a command and exits with the code it returns. @default done */
export type Run = (action: () => Promise<number> | Promise<void>) => Promise<void>;

/** Gives a command its description, arguments, flags and action. */
export type DefineCommand = (command: Command, context: CommandContext, run: Run) => void;

/** Everything a command touches outside itself; tests replace it. */
export interface CommandContext {
  /** Writes results. Resolves when their memory may be reused. */
  writeOut(content: string | Uint8Array): Promise<void>;
  /** Writes progress, warnings and errors. */
  writeError(text: string): void;
  readonly terminal: Terminal;
  readonly now: () => number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted at shutdown. */
  readonly interrupted: AbortSignal;
  readonly stores: Stores;
  readonly servers: Servers;
  readonly imports: Imports;
  readonly load: LoadProcess;
}

interface Terminal {
  readonly errorIsTerminal: boolean;
  /** Of a line of standard output: the terminal's, else those of `COLUMNS`, else 100. */
  readonly columns: number;
}

export interface Stores {
  /** Throws what the store throws, `store-unusable`, `bad-setting`. */
  open(location: StoreLocation, options: OpenStoreOptions): Promise<Store>;
  /** For the owner of a store; `undefined`: what belongs to no project. */
  openApi(store: Store, project: string | undefined): Promise<Api>;
  /** Returns the size in bytes. Throws `file-exists`. */
  backUp(directory: string, file: string): Promise<number>;
  /** Returns the size in bytes. Throws `file-exists`. */
  restore(file: string, directory: string): Promise<number>;
}

export interface Servers {
  /** Address of the server that runs on a data directory; `undefined` without one. */
  addressServing(directory: string): Promise<string | undefined>;
  /** Makes no call yet. */
  openApi(address: ServerAddress): Promise<Api>;
  /** Makes no call yet. */
  openTarget(job: ServerRequest): Promise<OpenedServer>;
  /** Serves until `interrupted`. */
  serve(job: ServeRequest): Promise<void>;
  /** Serves MCP on standard input and output until end of input or `interrupted`. */
  serveTools(openApi: OpenApi): Promise<void>;
}

export interface Imports {
  readonly standardInput: () => AsyncIterable<Uint8Array>;
  readonly timeZone: string;
  createLoadTestId(): string;
  /** Returns the files at an address of S3 or HTTP. Throws `unreadable-source`, `bad-setting`, `server-unreachable`. */
  findRemoteFiles(address: string): Promise<readonly RemoteFile[]>;
  /** Throws `bad-parameter`. */
  openPrometheus(address: PrometheusAddress): Promise<MeasureSource>;
  /** Imports one source of any known format. Large uploads are decoded in a second thread. */
  importResults(target: ImportTarget, request: ImportRequest): Promise<ImportReport>;
  /** Imports growing files of any known format. */
  followResults(request: FollowRequest, job: FollowJob): Promise<void>;
}

/** Controls the load generator of a run. */
export interface LoadProcess {
  isRunning(pid: number): boolean;
  /** Sends SIGINT, or SIGTERM if the process ignores that. Returns what went wrong. */
  interrupt(pid: number): Promise<string | undefined>;
  /** Runs it in a shell until it ends. Returns what went wrong. */
  runCommand(command: string): Promise<string | undefined>;
  /** Runs a program without a shell and its output. Rejects if it fails, or takes longer than two minutes. */
  runProgram(program: string, words: readonly string[]): Promise<void>;
}

/** With what the header `Authorization` has. */
interface PrometheusAddress {
  readonly url: string;
  readonly authorization: string | undefined;
}

/** `isLive`: files are followed. */
interface ServerRequest {
  readonly url: string;
  readonly key: string;
  readonly spoolDirectory: string;
  readonly spoolBytesMax: number;
  readonly isLive: boolean;
}

interface OpenedServer {
  readonly target: ImportTarget;
  /** Folder or file of batches that could not be sent. */
  readonly spoolLocation: string;
  /** Sends waiting batches for a limited time. Returns how many are left. */
  settle(): Promise<number>;
}

type FollowJob = Pick<FollowDependencies, "target" | "report">;

export interface OpenStoreOptions {
  /** Whether a missing directory and store are created. */
  readonly mayCreate: boolean;
  /** Called if the file turns out to be damaged after it is opened (`SqliteStoreOptions`). @default it is not checked */
  readonly damaged?: (error: unknown) => void;
  /** @default if the store cannot be written */
  readonly isReadOnly?: boolean;
  /** Whether this process is the server of the directory: others leave deleting to that one. @default never */
  readonly isOwnServer?: () => boolean;
  /** @default `LABELS_MAX` */
  readonly labelsMax?: number | undefined;
  /** @default `FACET_LIMITS` */
  readonly facetCombinationsMax?: number | undefined;
  readonly facetSeriesMax?: number | undefined;
  /** Bytes left free on disk. @default `FREE_BYTES_MIN` */
  readonly freeBytesMin?: number | undefined;
  /** Called when a load test nears the label limit; `project` is empty for load tests outside projects. @default a warning on standard error */
  readonly labelsNearlyFull?:
    | ((loadTestId: string, labels: number, project: string) => void)
    | undefined;
}

/** The key of a server that starts without a person. */
export interface InitKey {
  readonly file: string | undefined;
  /** What it administers. @default what belongs to no project */
  readonly project: string | undefined;
}

export interface ServeRequest {
  readonly location: StoreLocation;
  /** Folder of local files such as the key of the demonstration. */
  readonly directory: string;
  readonly isDemo: boolean;
  readonly isReadOnly: boolean;
  readonly initKey: InitKey;
  readonly tls: { readonly certificateFile: string; readonly keyFile: string } | undefined;
  /** What is deleted automatically while the server runs. */
  readonly retention: Retention & { readonly keepEnvironmentDays: number };
  /** Limits that a project has instead. */
  readonly retentionIn: ReadonlyMap<string, Retention>;
  readonly notices: NoticeSettings;
  /** Addresses of Prometheus that measures may be pulled from when a run ends. */
  readonly prometheus: readonly string[];
  /** With the file of the secret. @default keys only */
  readonly signIn:
    | (Omit<SignInSettings, "clientSecret"> & { readonly clientSecretFile: string | undefined })
    | undefined;
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly otlpGrpcPort?: number | undefined;
    readonly basePath: string;
    readonly allowedHosts: readonly string[];
    readonly corsOrigins: readonly string[];
    readonly keyHeaders: readonly string[];
    readonly trustedProxies: readonly string[];
    readonly traceUrl?: string | undefined;
  } & { readonly [Limit in ServerLimit]?: number };
}

export interface SignInSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** Whose values the roles name. */
  readonly claim: string;
  readonly roles: readonly SignInRole[];
}

export interface SignInRole {
  readonly value: string;
  readonly scopes: readonly Scope[];
  /** @default what belongs to no project */
  readonly project: string | undefined;
}

/** Where failed thresholds are posted. */
export interface NoticeSettings {
  /** `https://…`, `slack+https://…` or `teams+https://…`. */
  readonly targets: readonly string[];
  /** Signs notices. */
  readonly secret: string | undefined;
  /** Whether thresholds that a running load test keeps again are told, too. */
  readonly tellsRecovery: boolean;
  readonly publicUrl: string | undefined;
}

type ServerLimit = keyof typeof SERVER_LIMITS;
