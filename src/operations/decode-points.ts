import { Aggregator } from "../aggregate/aggregator.ts";
import type { Format } from "../decode/decoder.ts";
import type { DataPoints } from "../model/data-points.ts";
import { type Rejection, REJECTIONS_LISTED } from "../model/import-report.ts";

/** How a source is to be decoded. */
export interface DecodeJob {
  readonly format: Format;
  /** IANA zone of timestamps that are written without one. */
  readonly timeZone: string;
}

/**
 * Takes data points of a stretch of the source, sorted by (endpoint, second); `endpoint` points into
 * `labels`, which only ever grows. The same (label, second) may come again with a later stretch.
 */
export type TakePoints = (labels: readonly string[], points: DataPoints) => Promise<void>;

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
  take: TakePoints,
) => Promise<DecodeSummary>;

/** Decodes in this thread, in bounded memory: reading waits while points are taken. */
export const decodePoints: DecodePoints = async (bytes, job, take) => {
  const run = new DecodeRun(job);
  for await (const piece of bytes) {
    const points = run.push(piece);
    if (points !== undefined) await take(run.labels, points);
  }
  const { points, summary } = run.end();
  if (points !== undefined) await take(run.labels, points);
  return summary;
};

/** One source on its way from bytes to data points, for whoever has the bytes. */
export class DecodeRun {
  readonly labels: readonly string[];
  readonly #aggregator = new Aggregator();
  readonly #decoder;
  readonly #rejections: Rejection[] = [];
  #recorded = 0;
  #rejected = 0;

  constructor({ format, timeZone }: DecodeJob) {
    this.#decoder = format.open(
      {
        record: (batch) => {
          this.#recorded += batch.rows;
          this.#aggregator.record(batch);
        },
        reject: (rejection) => {
          this.#rejected += 1;
          if (this.#rejections.length < REJECTIONS_LISTED) this.#rejections.push(rejection);
        },
      },
      { timeZone },
    );
    this.labels = this.#decoder.labels;
  }

  /** Decodes a piece, whose memory may be used again. Answers points once there are many. */
  push(piece: Uint8Array): DataPoints | undefined {
    this.#decoder.push(piece);
    return this.#aggregator.wantsSeal ? this.#aggregator.seal() : undefined;
  }

  /** Decodes what is left; to be called once. */
  end(): { readonly points: DataPoints | undefined; readonly summary: DecodeSummary } {
    const { cut, notes } = this.#decoder.end();
    const points = this.#aggregator.seal();
    return {
      points: points.second.length > 0 ? points : undefined,
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
