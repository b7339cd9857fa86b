import { Aggregator } from "../aggregate/aggregator.ts";
import { FailureCounter } from "../aggregate/failure-counter.ts";
import { UserCounter } from "../aggregate/user-counter.ts";
import { pointsOfWindows } from "../aggregate/window-points.ts";
import type { DecodeOptions, Format } from "../decode/decoder.ts";
import { type Rejection, REJECTIONS_LISTED } from "../model/import-report.ts";
import type { Measured } from "../model/measured.ts";
import { mergePoints } from "../model/merge-points.ts";
import type { SampleWindow } from "../model/sample-batch.ts";

/** How a source is to be decoded. */
export interface DecodeJob {
  readonly format: Format;
  readonly options: DecodeOptions;
}

/**
 * Takes what a stretch of the source measured. Its tables of labels, kinds and generators only ever
 * grow; the same (label, second) may come again with a later stretch.
 */
export type TakeMeasured = (measured: Measured) => Promise<void>;

/** What decoding a whole source came to. */
export interface DecodeSummary {
  readonly recorded: number;
  readonly rejected: number;
  /** The first `REJECTIONS_LISTED`. */
  readonly rejections: readonly Rejection[];
  readonly cut: Rejection | undefined;
  readonly notes: readonly string[];
}

/** Decodes a source into data points. Throws what a decoder's `push`, `bytes` and `take` throw. */
export type DecodePoints = (
  bytes: AsyncIterable<Uint8Array>,
  job: DecodeJob,
  take: TakeMeasured,
) => Promise<DecodeSummary>;

/** Decodes in this thread, in bounded memory: reading waits while points are taken. */
export const decodePoints: DecodePoints = async (bytes, job, take) => {
  const run = new DecodeRun(job);
  for await (const piece of bytes) {
    const measured = run.push(piece);
    if (measured !== undefined) await take(measured);
  }
  const { measured, summary } = run.end();
  if (measured !== undefined) await take(measured);
  return summary;
};

/** Windows at which the run asks to be sealed. */
const WINDOWS_WANTED = 16 * 1024;

/** One source on its way from bytes to data points, for whoever has the bytes. */
export class DecodeRun {
  readonly #aggregator = new Aggregator();
  readonly #failures = new FailureCounter();
  readonly #users = new UserCounter();
  #windows: SampleWindow[] = [];
  readonly #decoder;
  readonly #rejections: Rejection[] = [];
  #recorded = 0;
  #rejected = 0;

  constructor({ format, options }: DecodeJob) {
    this.#decoder = format.open(
      {
        recordWindow: (window) => {
          this.#recorded += 1;
          this.#windows.push(window);
        },
        recordFailure: (...failure) => this.#failures.add(...failure),
        recordActiveUsers: (...users) => this.#users.addActive(...users),
        recordUserChanges: (...changes) => this.#users.addChanges(...changes),
        record: (batch) => {
          this.#recorded += batch.rows;
          this.#aggregator.record(batch);
        },
        reject: (rejection) => {
          this.#rejected += 1;
          if (this.#rejections.length < REJECTIONS_LISTED) this.#rejections.push(rejection);
        },
      },
      options,
    );
  }

  /** Decodes a piece, whose memory may be used again. Answers what was measured once it is much. */
  push(piece: Uint8Array): Measured | undefined {
    this.decode(piece);
    return this.isMuch ? this.#seal() : undefined;
  }

  /** The same, but keeps what was measured until `flush`. */
  decode(piece: Uint8Array): void {
    this.#decoder.push(piece);
  }

  /** Whether enough was measured to be given away. */
  get isMuch(): boolean {
    return (
      this.#aggregator.wantsSeal ||
      this.#failures.wantsSeal ||
      this.#windows.length >= WINDOWS_WANTED
    );
  }

  /**
   * Gives away what has been decoded since the last time, rows that wait in a batch included: with
   * what was given before, all that the bytes until now tell, however they were cut.
   */
  flush(): Measured | undefined {
    this.#decoder.flush();
    return this.#seal();
  }

  #seal(): Measured | undefined {
    const { labels, failureKinds, generators } = this.#decoder;
    const samples = this.#aggregator.seal();
    const points =
      this.#windows.length === 0 ? samples : mergePoints([samples, pointsOfWindows(this.#windows)]);
    this.#windows = [];
    const failures = { kinds: failureKinds, counts: this.#failures.seal() };
    const users = { generators, counts: this.#users.seal() };
    const isEmpty =
      points.second.length + failures.counts.second.length + users.counts.second.length === 0;
    return isEmpty ? undefined : { labels, points, failures, users };
  }

  /** Decodes what is left; to be called once. */
  end(): { readonly measured: Measured | undefined; readonly summary: DecodeSummary } {
    const { cut, notes } = this.#decoder.end();
    return {
      measured: this.#seal(),
      summary: {
        recorded: this.#recorded,
        rejected: this.#rejected,
        rejections: this.#rejections,
        cut,
        notes,
      },
    };
  }
}
