import type { Receiver } from "./receiver.ts";
import type { TargetServer } from "./target-server.ts";

/** Port: a real load tool that `npm run test:tools` installs, runs and believes. */
export interface LoadTool {
  readonly name: string;
  /** The version that is installed, exactly. */
  readonly version: string;
  /** Whether installing it takes minutes: it is run only where it is named. @default false */
  readonly isOnDemand?: boolean;
  /** Installs the tool into an empty folder. Throws where it cannot be had on this machine. */
  install(folder: string): Promise<void>;
  /** Puts load on the target for about `run.seconds`. Answers the files that are to be imported. */
  record(run: ToolRun): Promise<readonly RecordedFile[]>;
  /**
   * The one of these files that grows while the tool runs, once it is there; left out where none does.
   */
  growingFile?(this: void, run: ToolRun): string | undefined;
  /** Load tests that the tool has sent to `run.receiver`; left out where it cannot send. */
  readSent?(run: ToolRun): Promise<readonly SentLoadTest[]>;
  /** What the tool itself says of the run, as far as `file`, one of those recorded, can hold it. */
  readToolReport(run: ToolRun, file: RecordedFile): Promise<RunReport>;
}

/** A load test that a tool has filled over the network while it ran. */
export interface SentLoadTest {
  readonly loadTestId: string;
  /** What of the tool's own report its sender can tell. */
  readonly report: RunReport;
  /** Why not all of it can have been sent, by the tool's own words; then nothing is compared. */
  readonly lost?: string;
}

/** One run of one tool. */
export interface ToolRun {
  /** Where `install` has put the tool. */
  readonly toolFolder: string;
  /** An empty folder for everything that the run leaves behind. */
  readonly workFolder: string;
  readonly target: TargetServer;
  readonly receiver: Receiver;
  readonly seconds: number;
}

export interface RecordedFile {
  readonly path: string;
  /** The name of the format that the import has to find. */
  readonly format: string;
}

/** A tool's own report, as far as it has one. What is left out is not compared. */
export interface RunReport {
  /** By label as it is imported; all of them. */
  readonly endpoints: Readonly<Record<string, ReportedEndpoint>>;
  /** Half a unit of the last digit that the tool prints of its times. */
  readonly roundingMs: number;
  /** The same for its percentiles. @default roundingMs */
  readonly quantileRoundingMs?: (ms: number) => number;
  readonly failures?: readonly ReportedFailure[];
  /** Endpoints whose failures the tool counts but does not list among `failures`. */
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
  /** The most that were active at once. */
  readonly mostActive?: number;
}
