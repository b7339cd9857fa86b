import type { Receiver } from "./receiver.ts";
import type { TargetServer } from "./target-server.ts";

/**
 * Port: a real load tool that `npm run task test:tools` installs and runs, and whose own report is the reference.
 */
export interface LoadTool {
  readonly name: string;
  /** The exact version to install. */
  readonly version: string;
  /**
   * Whether the tool runs only when named, because its installation takes minutes. @default false
   */
  readonly isOnDemand?: boolean;
  /** Installs the tool into an empty folder. Throws if it is not available on this machine. */
  install(folder: string): Promise<void>;
  /** Puts load on the target for about `run.seconds`. Returns the files to import. */
  record(run: ToolRun): Promise<readonly RecordedFile[]>;
  /** The recorded file that grows while the tool runs, once it exists; omitted if there is none. */
  growingFile?(this: void, run: ToolRun): string | undefined;
  /** Load tests that the tool sent to `run.receiver`; omitted if it cannot send. */
  readSent?(run: ToolRun): Promise<readonly SentLoadTest[]>;
  /**
   * The tool's own report of the run, restricted to what `file`, one of the recorded files, can hold.
   */
  readToolReport(run: ToolRun, file: RecordedFile): Promise<RunReport>;
}

/** A sender that is tested end to end: our code inside a tool, or telemetry. */
export interface Integration extends Pick<LoadTool, "name" | "version" | "isOnDemand"> {
  readonly tool: Pick<LoadTool, "name" | "version" | "install">;
  /** Returns how what was sent differs from what the tool recorded. */
  check(run: Omit<ToolRun, "receiver" | "seconds">): Promise<Comparison>;
}

/** The result of a comparison. */
export interface Comparison {
  /** One line per difference. */
  readonly differences: readonly string[];
  /** A line with the numbers of compared values. */
  readonly figures: string;
}

/** A load test that a tool filled over the network during its run. */
export interface SentLoadTest {
  readonly loadTestId: string;
  /** The part of the tool's report that its sender transmits. */
  readonly report: RunReport;
  /** Why data is missing, in the tool's words; then nothing is compared. */
  readonly lost?: string;
}

export interface ToolRun {
  /** The folder that `install` filled. */
  readonly toolFolder: string;
  /** An empty folder for all files of the run. */
  readonly workFolder: string;
  readonly target: TargetServer;
  readonly receiver: Receiver;
  readonly seconds: number;
}

export interface RecordedFile {
  readonly path: string;
  /** The name of the format that the import must detect. */
  readonly format: string;
}

/** A tool's own report. Omitted values are not compared. */
export interface RunReport {
  /** All endpoints, by imported label. */
  readonly endpoints: Readonly<Record<string, ReportedEndpoint>>;
  /** Half a unit of the last digit of the tool's times. */
  readonly roundingMs: number;
  /** The same for its percentiles. @default roundingMs */
  readonly quantileRoundingMs?: (ms: number) => number;
  readonly failures?: readonly ReportedFailure[];
  /** Endpoints whose failures the tool counts but does not list in `failures`. */
  readonly labelsWithoutFailures?: readonly string[];
  readonly users?: ReportedUsers;
}

export interface ReportedEndpoint {
  readonly count: number;
  readonly errors: number;
  readonly avgMs?: number;
  readonly minMs?: number;
  readonly maxMs?: number;
  /** Elapsed times by quantile: `{ 0.95: 80 }`. */
  readonly quantilesMs?: Readonly<Record<number, number>>;
}

/** Failures of one kind; without a label, those of all endpoints. */
export interface ReportedFailure {
  readonly label?: string;
  readonly code?: string;
  readonly message?: string;
  readonly requests: number;
}

/** Users over the whole run. */
interface ReportedUsers {
  readonly started?: number;
  readonly ended?: number;
  /** The largest number active at the same time. */
  readonly mostActive?: number;
}
