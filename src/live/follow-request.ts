import type { Format } from "../decode/decoder.ts";
import type { ImportReport } from "../model/import-report.ts";
import type { ImportRequest } from "../import/import-results.ts";
import type { ImportTarget } from "../import/ensure-load-test.ts";

export interface FollowRequest extends Pick<
  ImportRequest,
  "loadTest" | "name" | "format" | "decodeOptions"
> {
  /** Opens the file at the path; `undefined` if there is none. Throws `unreadable-source`. */
  open(): Promise<GrowingFile | undefined>;
  /** A file that has not grown, or not appeared, for this time has ended. */
  readonly stillMs: number;
  /** Aborted when its writer was told to stop: a second later is enough then. @default never */
  readonly stopped?: AbortSignal | undefined;
}

export interface FollowDependencies {
  readonly target: ImportTarget;
  readonly formats: readonly Format[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Monotonic clock, in milliseconds. */
  readonly clockMs: () => number;
  /** Waits; returns early at shutdown. */
  readonly wait: (ms: number) => Promise<void>;
  /** Aborted at shutdown. */
  readonly interrupted: AbortSignal;
  /** Reports that nothing can be stored at the moment. */
  readonly warn: (message: string) => void;
  /** Receives the report of each finished file. */
  readonly report: (report: ImportReport) => Promise<void>;
}

export interface GrowingFile {
  sizeBytes(): Promise<number>;
  /** Returns up to `bytesMax` bytes from offset `at`, valid until the next call. */
  read(at: number, bytesMax: number): Promise<Uint8Array>;
  /** Whether the path now leads to another file. */
  isReplaced(): Promise<boolean>;
  close(): Promise<void>;
}
