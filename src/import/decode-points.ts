import { setImmediate as nextTurn } from "node:timers/promises";
import { formatQuality } from "../decode/format-quality.ts";
import type { DecodeEnd, DecodeOptions, Decoder, FacetOptions, Format } from "../decode/decoder.ts";
import type { Rejection, Repair } from "../model/import-report.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import type { NewLoadTestEvent } from "../model/measures/load-test-events.ts";
import { addRowQuality, otherFacetsText, type RowQuality } from "../model/quality/row-quality.ts";
import { partsOfSeries } from "../model/series/facets.ts";
import type { SourceQuality, Unrecorded } from "../model/source-quality.ts";
import { ChosenLabels } from "./chosen-labels.ts";
import { openSource, type SourceEnd, type SourceOptions } from "../source/open-source.ts";
import { readFile } from "../source/read-file.ts";
import { type CollectorOptions, MeasurementCollector } from "./measurement-collector.ts";

export interface DecodeJob {
  readonly format: Format;
  readonly options: DecodeOptions;
  /** Points at which a part is handed over, whatever its labels. @default what takes the least time */
  readonly pointsMax?: number | undefined;
}

/** Of a batch for a server, which takes `BATCH_BYTES_MAX`: 76 bytes a point, ten a bucket, and labels. */
export const BATCH_POINTS_MAX = 192 * 1024;

/**
 * Receives the measurements of a part of the source. The points may be lent until the promise is settled. Tables of
 * labels, kinds and generators only grow; the same (label, second) may come again later.
 */
export type TakeBatch = (measured: MeasurementBatch) => Promise<void>;

export interface DecodeSummary {
  readonly recorded: number;
  readonly rejected: number;
  /** The first `REJECTIONS_LISTED`. */
  readonly rejections: readonly Rejection[];
  readonly repairs: readonly Repair[];
  readonly truncatedAt: Rejection | undefined;
  readonly notes: readonly string[];
  /** Data-quality notes, except for truncation of the source itself. */
  readonly quality: SourceQuality;
  readonly events: readonly NewLoadTestEvent[];
}

/** Decodes a source into data points. Throws what a decoder's `push`, `bytes` and `take` throw. */
export type DecodePoints = (
  bytes: AsyncIterable<Uint8Array>,
  job: DecodeJob,
  take: TakeBatch,
) => Promise<DecodeSummary>;

/** A regular file to be read by the decoding code, and how. */
export interface FileToDecode {
  readonly path: string;
  readonly sourceOptions: SourceOptions;
  /** Aborts reading; its reason is thrown. */
  readonly interrupted: AbortSignal;
  /** Called occasionally with the number of bytes read. */
  readonly onRead: (readBytes: number) => void;
  /** Takes all bytes; reading waits for it, and they may change afterwards. */
  readonly onBytes?: ((bytes: Uint8Array) => Promise<void>) | undefined;
}

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
  const run = new DecodeRun(job, { lends: true });
  for await (const chunk of bytes) {
    const measured = run.push(chunk);
    if (measured !== undefined) await take(measured);
  }
  const summary = await run.end(take);
  // Not after an error: rows may be left in the memory, and the store may still read from it.
  run.release();
  return summary;
};

/** Decodes a file in this thread, yielding to the event loop every few megabytes. */
export const decodeFile: DecodeFile = async (file, job, take) => {
  const { path, sourceOptions, interrupted, onRead, onBytes } = file;
  const { chunks, digest } = readFile(path, sourceOptions.beginnings ?? [], async (readBytes) => {
    onRead(readBytes);
    await nextTurn();
    interrupted.throwIfAborted();
  });
  const read = onBytes === undefined ? chunks : passing(chunks, onBytes);
  const source = openSource(read, { ...sourceOptions, digest });
  const summary = await decodePoints(source.bytes(), job, take);
  return { ...summary, end: source.end() };
};

async function* passing(
  chunks: AsyncIterable<Uint8Array>,
  take: (bytes: Uint8Array) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    await take(chunk);
    yield chunk;
  }
}

const FORMAT_UNUSED = "the timestamp format was not used: only that of JMeter CSV can be chosen";
const START_UNUSED = "the start of the run was not used: the source has its own times";

/** Limit of the label bytes in a batch, far below what a server accepts. */
const LABEL_CHARACTERS_WANTED = 8 * 1024 * 1024;

/** Decodes one source from bytes to data points. */
export class DecodeRun {
  readonly #collector: MeasurementCollector;
  readonly #decoder: Decoder;
  readonly #ownNotes: readonly string[];
  readonly #format: string;
  readonly #pointsMax: number;
  readonly #chosen: ChosenLabels | undefined;
  readonly #facets: FacetOptions | undefined;
  /** Facets that series have, if some were asked for. */
  readonly #facetsSeen = new Set<string>();
  /** Labels looked at so far, and their total length. */
  #labels = 0;
  #labelCharacters = 0;
  /** What the source itself says, not taken yet. */
  #stated: Pick<RowQuality, "discrepancies" | "measurements"> = {};

  constructor(
    { format, options, pointsMax = Infinity }: DecodeJob,
    { lends = false }: Pick<CollectorOptions, "lends"> = {},
  ) {
    const isStartUnused = options.startedAtMs !== undefined && format.needsStart === undefined;
    const isFormatUnused =
      options.timestampFormat !== undefined && format.readsTimestampFormat === undefined;
    this.#ownNotes = [
      ...(isStartUnused ? [START_UNUSED] : []),
      ...(isFormatUnused ? [FORMAT_UNUSED] : []),
    ];
    this.#facets = options.facets;
    const { choice } = options;
    this.#chosen = choice === undefined ? undefined : new ChosenLabels(choice);
    this.#collector = new MeasurementCollector({
      lends,
      samples: options.samples,
      hides: (series) => this.#chosen?.choiceFor(series) !== undefined,
    });
    this.#format = format.name;
    this.#pointsMax = pointsMax;
    this.#decoder = format.open(this.#collector, options);
    const { labels, labelTexts } = this.#decoder;
    if (this.#collector.samples)
      this.#collector.samples.nameOf = (label) => labelTexts?.textOf(label) ?? labels[label] ?? "";
  }

  /**
   * Decodes a chunk, whose memory may be reused afterwards. Returns the measurements once they are large.
   */
  push(chunk: Uint8Array): MeasurementBatch | undefined {
    this.decode(chunk);
    return this.isMuch ? this.#flush(true) : undefined;
  }

  /** The same, but keeps the measurements until `flush`. */
  decode(chunk: Uint8Array): void {
    this.#decoder.push(chunk);
  }

  get isMuch(): boolean {
    const { length } = this.#decoder.labels;
    return (
      this.#collector.wantsFlush(length) ||
      this.#collector.points >= this.#pointsMax ||
      this.#measureLabels() >= LABEL_CHARACTERS_WANTED
    );
  }

  /** Approximate length of the labels of all collected points. */
  #measureLabels(): number {
    const { labels } = this.#decoder;
    const isAsked = (this.#facets?.names ?? []).length > 0;
    for (; this.#labels < labels.length; this.#labels++) {
      const label = labels[this.#labels] as string;
      this.#labelCharacters += label.length;
      if (isAsked) for (const [name] of partsOfSeries(label).facets) this.#facetsSeen.add(name);
    }
    const share = Math.min(1, this.#collector.points / Math.max(1, this.#labels));
    return share * this.#labelCharacters;
  }

  /**
   * Returns everything decoded since the last flush, including buffered rows. All results together do not
   * depend on how the bytes were split.
   */
  flush(): MeasurementBatch | undefined {
    this.#decoder.flush();
    return this.#flush();
  }

  #flush(isPart = false): MeasurementBatch | undefined {
    const measured = this.#collector.flush(this.#decoder, isPart);
    return measured && (this.#chosen?.apply(measured) ?? measured);
  }

  /** What became of rows since the last call; `undefined` if all are counted as written. */
  takeRows(): RowQuality | undefined {
    const stated = this.#stated;
    this.#stated = {};
    return addRowQuality([this.#collector.takeRows(), stated, this.#chosen?.take()]);
  }

  release(): void {
    this.#collector.release();
  }

  /** What nothing flushed so far has; before the first row, what the format never has. */
  get unrecorded(): readonly Unrecorded[] {
    const { recorded, unrecorded } = this.#collector;
    return recorded === 0 ? formatQuality(this.#format).unrecorded : unrecorded;
  }

  /** Drops the texts of flushed labels if they are not needed any more. */
  forgetLabels(): void {
    this.#measureLabels();
    this.#decoder.labelTexts?.forgetTexts();
  }

  /** Decodes the rest and hands over everything that was not flushed. Call once. */
  async end(take: (measured: MeasurementBatch) => void | Promise<void>): Promise<DecodeSummary> {
    const flush = async (): Promise<void> => {
      const measured = this.#flush();
      if (measured !== undefined) await take(measured);
    };
    const { truncatedAt, notes, quality: stated, events = [] } = await this.#finish(flush);
    this.#stated = { discrepancies: stated?.discrepancies, measurements: stated?.measurements };
    await flush();
    const { recorded, rejected, rejections, repairs, rows, quality: counter } = this.#collector;
    const quality = {
      ...counter.counted,
      unrecorded: this.unrecorded,
      rejectedRows: rows.rejectedRows,
      ...(truncatedAt && { truncatedAtByte: truncatedAt.byte }),
      ...stated,
      ...addRowQuality([rows, stated, this.#chosen?.take()]),
    };
    this.#measureLabels();
    const unseen = (this.#facets?.names ?? [])
      .filter((name) => !this.#facetsSeen.has(name))
      .map((name) => `facet ${name} is in no request of this source`);
    const others = quality.otherFacets === undefined ? [] : [otherFacetsText(quality.otherFacets)];
    const more = [...this.#ownNotes, ...unseen, ...(this.#chosen?.notes() ?? [])];
    const allNotes = [...notes, ...others, ...more];
    return {
      recorded,
      rejected,
      rejections,
      repairs,
      truncatedAt,
      notes: allNotes,
      quality,
      events,
    };
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
