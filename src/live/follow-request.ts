import type { Format } from "../decode/decoder.ts";
import type { ImportReport } from "../model/import-report.ts";
import type { ImportRequest } from "../import/import-results.ts";
import type { ImportTarget } from "../import/ensure-load-test.ts";

/** A file that is to be read while a tool writes it. */
export interface FollowRequest extends Pick<
  ImportRequest,
  "loadTest" | "name" | "format" | "decodeOptions"
> {
  /** Opens what stands at the path now; `undefined` where nothing does. Throws `unreadable-source`. */
  open(): Promise<GrowingFile | undefined>;
  /** A file that does not grow for so long has ended; one that is not there so long does not come. */
  readonly stillMs: number;
}

export interface FollowDependencies {
  readonly target: ImportTarget;
  readonly formats: readonly Format[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds of a clock that only goes forward. */
  readonly clockMs: () => number;
  /** Waits; ends early when the process is asked to end. */
  readonly wait: (ms: number) => Promise<void>;
  /** Aborted when the process is asked to end. */
  readonly interrupted: AbortSignal;
  /** Told when nothing can be stored for the moment. */
  readonly warn: (message: string) => void;
  /** Takes the report of each file that has come to its end. */
  readonly report: (report: ImportReport) => Promise<void>;
}

/** Port: a file that something else is writing. */
export interface GrowingFile {
  /** How many bytes it has now. */
  sizeBytes(): Promise<number>;
  /**
   * The bytes from offset `at` on, at most `bytesMax`: fewer at the present end, none beyond it.
   * They are valid until the next call.
   */
  read(at: number, bytesMax: number): Promise<Uint8Array>;
  /** Whether another file stands at its path by now. */
  isReplaced(): Promise<boolean>;
  close(): Promise<void>;
}
