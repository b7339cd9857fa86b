import { formatQuality } from "../decode/format-quality.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format } from "../decode/decoder.ts";
import type { Rejection } from "../model/import-report.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import type { SourceQuality, Unrecorded } from "../model/source-quality.ts";
import type { SourceEnd, SourceOptions } from "../source/open-source.ts";
import { MeasurementCollector } from "./measurement-collector.ts";

/** How a source is to be decoded. */
export interface DecodeJob {
  readonly format: Format;
  readonly options: DecodeOptions;
}

/**
 * Takes what a stretch of the source measured. Its tables of labels, kinds and generators only ever
 * grow; the same (label, second) may come again with a later stretch.
 */
export type TakeBatch = (measured: MeasurementBatch) => Promise<void>;

/** What decoding a whole source came to. */
export interface DecodeSummary {
  readonly recorded: number;
  readonly rejected: number;
  /** The first `REJECTIONS_LISTED`. */
  readonly rejections: readonly Rejection[];
  readonly truncatedAt: Rejection | undefined;
  readonly notes: readonly string[];
  /** What the figures cannot tell; where the source itself was cut is not known here. */
  readonly quality: SourceQuality;
}

/** Decodes a source into data points. Throws what a decoder's `push`, `bytes` and `take` throw. */
export type DecodePoints = (
  bytes: AsyncIterable<Uint8Array>,
  job: DecodeJob,
  take: TakeBatch,
) => Promise<DecodeSummary>;

/** A regular file that is read where it is decoded, and how. */
export interface FileToDecode {
  readonly path: string;
  readonly sourceOptions: SourceOptions;
  /** Ends the reading when it is aborted; the reason is what is thrown. */
  readonly interrupted: AbortSignal;
  /** Told now and then how many bytes have been read. */
  readonly onRead: (readBytes: number) => void;
}

/** What decoding came to, and what its source is. */
export interface DecodedFile extends DecodeSummary {
  readonly end: SourceEnd;
}

/** Reads a file and decodes it into data points. Throws what `DecodePoints` and a source throw. */
export type DecodeFile = (
  file: FileToDecode,
  job: DecodeJob,
  take: TakeBatch,
) => Promise<DecodedFile>;

/** Decodes in this thread, in bounded memory: reading waits while points are taken. */
export const decodePoints: DecodePoints = async (bytes, job, take) => {
  const run = new DecodeRun(job);
  for await (const piece of bytes) {
    const measured = run.push(piece);
    if (measured !== undefined) await take(measured);
  }
  return run.end(take);
};

const START_UNUSED = "the start of the run was not used: the source tells its own times";

/** Labels of a batch may be so long together: far below what a server takes as one. */
const LABEL_CHARACTERS_WANTED = 8 * 1024 * 1024;

/** One source on its way from bytes to data points, for whoever has the bytes. */
export class DecodeRun {
  readonly #collector = new MeasurementCollector();
  readonly #decoder: Decoder;
  readonly #ownNotes: readonly string[];
  readonly #format: string;
  /** How many labels have been counted, and how long those are together. */
  #labels = 0;
  #labelCharacters = 0;

  constructor({ format, options }: DecodeJob) {
    const isStartUnused = options.startedAtMs !== undefined && format.needsStart === undefined;
    this.#ownNotes = isStartUnused ? [START_UNUSED] : [];
    this.#format = format.name;
    this.#decoder = format.open(this.#collector, options);
  }

  /** Decodes a piece, whose memory may be used again. Answers what was measured once it is much. */
  push(piece: Uint8Array): MeasurementBatch | undefined {
    this.decode(piece);
    return this.isMuch ? this.#flush() : undefined;
  }

  /** The same, but keeps what was measured until `flush`. */
  decode(piece: Uint8Array): void {
    this.#decoder.push(piece);
  }

  /** Whether enough was measured to be given away. */
  get isMuch(): boolean {
    return this.#collector.wantsFlush || this.#measureLabels() >= LABEL_CHARACTERS_WANTED;
  }

  /** About how long the labels of all points that have gathered are together. */
  #measureLabels(): number {
    const { labels } = this.#decoder;
    for (; this.#labels < labels.length; this.#labels++) {
      this.#labelCharacters += (labels[this.#labels] as string).length;
    }
    const share = Math.min(1, this.#collector.points / Math.max(1, this.#labels));
    return share * this.#labelCharacters;
  }

  /**
   * Gives away what has been decoded since the last time, rows that wait in a batch included: with
   * what was given before, all that the bytes until now tell, however they were cut.
   */
  flush(): MeasurementBatch | undefined {
    this.#decoder.flush();
    return this.#flush();
  }

  #flush(): MeasurementBatch | undefined {
    return this.#collector.flush(this.#decoder);
  }

  /** What nothing that was given away so far has; before the first row, what the format never has. */
  get unrecorded(): readonly Unrecorded[] {
    const { recorded, unrecorded } = this.#collector;
    return recorded === 0 ? formatQuality(this.#format).unrecorded : unrecorded;
  }

  /** Lets go of the texts of labels that were given away, where they are not needed here any more. */
  forgetLabels(): void {
    this.#measureLabels();
    this.#decoder.forgetLabels?.();
  }

  /** Decodes what is left and hands over all that was not flushed; to be called once. */
  async end(take: (measured: MeasurementBatch) => void | Promise<void>): Promise<DecodeSummary> {
    const flush = async (): Promise<void> => {
      const measured = this.#flush();
      if (measured !== undefined) await take(measured);
    };
    const { truncatedAt, notes, quality: stated } = await this.#finish(flush);
    await flush();
    const { recorded, rejected, rejections, quality: counter } = this.#collector;
    const quality = {
      ...counter.counted,
      unrecorded: this.unrecorded,
      rejectedRows: rejected,
      ...(truncatedAt && { truncatedAtByte: truncatedAt.byte }),
      ...stated,
    };
    const allNotes = [...notes, ...this.#ownNotes];
    return { recorded, rejected, rejections, truncatedAt, notes: allNotes, quality };
  }

  async #finish(flush: () => Promise<void>): Promise<DecodeEnd> {
    const steps = this.#decoder.finish?.();
    if (steps === undefined) return this.#decoder.end();
    for (;;) {
      const step = await steps.next();
      if (step.done) return step.value;
      await flush();
    }
  }
}
