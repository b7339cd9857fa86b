import type { KeyAdministration } from "../catalogue/administer-keys.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Measurements } from "../mcp/tool.ts";
import type { ImportReport } from "../model/import-report.ts";
import type { ImportRequest } from "../import/import-results.ts";
import type { ImportTarget } from "../import/ensure-load-test.ts";
import type { LoadTestReader } from "../analysis/load-test-reader.ts";
import type { Retention } from "../catalogue/prune-load-tests.ts";
import type { ServerAddress, StorePlace } from "./targets/store-place.ts";
import type { Store } from "../store/store.ts";
import type { FollowDependencies, FollowRequest } from "../live/follow-request.ts";

/**
 * The settings of a server that are whole numbers, as `serve` takes them: `targetBytesMax` is its
 * flag `--target-bytes-max`. What each one does in full stands in docs/api.md.
 */
export const SERVER_LIMITS = {
  targetBytesMax: "longest path and query of a request",
  headerBytesMax: "longest request line and headers together",
  headersTimeoutMs: "until the headers of a request are in",
  bodyStallMs: "a sender of a body that sends nothing for so long is given up",
  lingerMs: "after a refusal, what still comes is thrown away for so long",
  timeoutCheckMs: "how often the time of headers is checked",
  keepAliveMs: "how long an idle connection is kept; behind a proxy, more than the proxy keeps it",
  connectionsMax: "connections at once; a further one replaces a silent one, or is closed",
  connectionsPerAddressMax: "the same of one address; through a trusted proxy, requests at once",
  requestsPerConnectionMax: "requests on one connection; then it is closed",
  failedKeysMax: "wrong keys of one address in a minute; further ones get 429",
  stallMs: "a reader that takes less than 64 KB in this time is cut off",
  largeAnswersMax: "answers above 64 KB sent at once; further ones get 503",
  compressionsMax: "answers compressed at once; further ones are sent plain",
  answerCacheBytesMax: "memory for answers that are sent again; 0: none",
  uploadsMax: "uploads imported at once",
  uploadBytesPerSecondMin: "while others wait, slower uploads are given up; 0: none",
  waitingUploadsMax: "uploads of one key that wait; further ones are refused",
  writeBytesMax: "longest body of line protocol, as sent and inflated",
  heldBytesMax: "bodies of batches and lines held until they are stored; further ones get 503",
  writesMax: "writes of line protocol taken in at once; further ones wait",
  labelsMax: "labels of one load test; of files, further ones count under (other)",
  freeBytesMin:
    "bytes of the disk that are left free; batches and files that would need them are refused",
  drainMs: "on closing, how long answers under way may take",
} as const;

/** Everything a command touches outside itself. `main.ts` gives the real thing, tests another. */
export interface CommandContext {
  /** Writes results. Fulfilled when they are gone, so that their memory may be used again. */
  writeOut(content: string | Uint8Array): Promise<void>;
  /** Writes everything that is no result: progress, warnings, errors. */
  writeError(text: string): void;
  /** Whether a person watches what `writeError` writes. */
  readonly errorIsTerminal: boolean;
  /** Columns of a line of standard output: the terminal's, else those of `COLUMNS`, else 100. */
  readonly terminalColumns: number;
  readonly standardInput: () => AsyncIterable<Uint8Array>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Zone of this process. */
  readonly timeZone: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted when the process is asked to end. */
  readonly interrupted: AbortSignal;
  /** Opens the store of a place. Throws what the store throws, `store-unusable`, `bad-setting`. */
  openStore(place: StorePlace, options: OpenStoreOptions): Promise<Store>;
  /** Makes or renews the tables of a store on ClickHouse. Throws what `openStore` throws. */
  migrate(values: readonly string[]): Promise<readonly MigratedServer[]>;
  /** Writes a backup of the store in a directory, and answers its size. Throws `file-exists`. */
  backUp(directory: string, file: string): Promise<number>;
  /** Makes a store in a directory of a backup, and answers its size. Throws `file-exists`. */
  restore(file: string, directory: string): Promise<number>;
  /**
   * Imports one source, of any format that is known, by one thread or two. @default by the size of
   * the source
   */
  importResults(
    target: ImportTarget,
    request: ImportRequest,
    threads?: number,
  ): Promise<ImportReport>;
  /** Imports files while they grow, of any format that is known. */
  followResults(request: FollowRequest, job: FollowJob): Promise<void>;
  /** Opens a server that results are sent to; it is not called yet. */
  openServer(job: ServerRequest): Promise<OpenedServer>;
  /** Opens the load tests of a server; it is not called yet. */
  openServerCatalogue(address: ServerAddress): Promise<Catalogue>;
  /** Opens the keys of a server; it is not called yet. */
  openServerKeys(address: ServerAddress): Promise<KeyAdministration>;
  /** Opens what a server has measured; it is not called yet. */
  openServerReader(address: ServerAddress): Promise<LoadTestReader>;
  /** An id for a load test that has none. */
  createLoadTestId(): string;
  /** The built page of reports; `undefined` where it was not built. */
  reportTemplate(): Promise<string | undefined>;
  /** All settings of a server, those that were not requested by their defaults. Throws `bad-setting`. */
  resolveHttpSettings(job: ServeRequest["http"]): Promise<Readonly<Record<string, unknown>>>;
  /** Answers a model's questions on standard input and output, until it hangs up or `interrupted`. */
  serveTools(measurements: Measurements): Promise<void>;
  /** Serves until `interrupted`. */
  serve(job: ServeRequest): Promise<void>;
}

/** Which server results are sent to; `isLive` where files are followed. */
interface ServerRequest {
  readonly url: string;
  readonly key: string;
  readonly spoolDirectory: string;
  readonly spoolBytesMax: number;
  readonly isLive: boolean;
}

interface OpenedServer {
  readonly target: ImportTarget;
  /** Where what could not be sent is kept. */
  readonly spoolPlace: string;
  /** Sends what waits, for a limited time. Answers how many batches stay in the spool. */
  settle(): Promise<number>;
}

/** Where a followed file goes, and who takes its reports. */
type FollowJob = Pick<FollowDependencies, "target" | "report">;

/** What was done on one server. */
export interface MigratedServer {
  readonly url: string;
  /** Of its tables; 0 where there were none. */
  readonly fromVersion: number;
  readonly toVersion: number;
}

/** What concerns directories alone means nothing for a store on ClickHouse. */
export interface OpenStoreOptions {
  /** Whether directory and store are made where they are not there. */
  readonly mayCreate: boolean;
  /**
   * Whether the whole file of a directory is looked through for damage first, which takes a second per
   * gigabyte: for a server, not for commands.
   */
  readonly isChecked: boolean;
  /** Whether nothing is written to a directory. @default where a store that is there cannot be written */
  readonly isReadOnly?: boolean;
  /** Labels that a load test may have. @default `LABELS_MAX` */
  readonly labelsMax?: number | undefined;
  /** Bytes of the directory's disk that are left free. @default `FREE_BYTES_MIN` */
  readonly freeBytesMin?: number | undefined;
  /** Told of a load test that comes near that. @default a warning on standard error */
  readonly labelsNearlyFull?: ((loadTestId: string, labels: number) => void) | undefined;
  /** Told of what a store on ClickHouse does beside its work. @default it does nothing of that kind */
  readonly housekeeping?: HousekeepingLog | undefined;
}

/** What was done or failed, as a word, with what there is to say of it. */
interface HousekeepingLog {
  done(event: string, about: Readonly<Record<string, unknown>>): void;
  failed(event: string, error: unknown): void;
}

/** What `serve` was asked for. */
export interface ServeRequest {
  readonly place: StorePlace;
  /** Where a file of this machine lies: the key of the demonstration. */
  readonly directory: string;
  /** Whether to bring the demonstration load test and a key to read it. */
  readonly isDemo: boolean;
  /** Whether nothing is written to the data directory. */
  readonly isReadOnly: boolean;
  /** Files with the certificate and the key, where it speaks HTTPS by itself. */
  readonly tls: { readonly certificateFile: string; readonly keyFile: string } | undefined;
  /** Load tests that go by themselves while the server runs. */
  readonly retention: Retention;
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly basePath: string;
    readonly allowedHosts: readonly string[];
    readonly corsOrigins: readonly string[];
    readonly keyHeaders: readonly string[];
    readonly trustedProxies: readonly string[];
  } & { readonly [Limit in ServerLimit]?: number };
}

/** Name of such a setting. */
type ServerLimit = keyof typeof SERVER_LIMITS;
