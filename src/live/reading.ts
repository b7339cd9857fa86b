import { randomUUID } from "node:crypto";
import type { Format } from "../decode/decoder.ts";
import { DecodeRun } from "../import/decode-points.ts";
import { type ImportTarget, addEvents } from "../import/ensure-load-test.ts";
import { type ImportRequest, placesInSource } from "../import/import-results.ts";
import { ImportSpan } from "../import/import-span.ts";
import { OverflowLabels, overflowNote } from "../import/overflow-labels.ts";
import { type StoredState, followedSourceId, sequenceAt } from "../import/stored-states.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import { UserError } from "../model/errors.ts";
import type { ImportReport } from "../model/import-report.ts";
import { gmac } from "../source/source-digest.ts";
import type { PointBatch } from "../store/store.ts";
import { NO_MEASUREMENTS } from "./append-fitting.ts";

/** Bytes per read. */
export const READ_BYTES = 512 * 1024;
/** Batches are closed at this size, far below what a server accepts. */
const BATCH_BYTES = 2 * 1024 * 1024;
/** Batches are closed at this age. */
const BATCH_MS = 1000;
/** Transient storage errors, and the retry delay. */
const PASSING: ReadonlySet<string> = new Set(["storage-full", "busy"]);
const RETRY_MS = 1000;

interface ReadingAbout {
  readonly request: FollowRequest;
  readonly dependencies: FollowDependencies;
  readonly format: Format;
  readonly textAt: number;
  /** Returns what the store holds of the file. */
  readonly findState: () => Promise<StoredState | undefined>;
}

/** Decodes a file from its first byte and appends batches. */
export class Reading {
  readonly format: Format;
  readonly #about: ReadingAbout;
  readonly #state: StoredState | undefined;
  readonly #run: DecodeRun;
  readonly #span = new ImportSpan();
  readonly #overflow: OverflowLabels;
  /** Covers all bytes up to the first batch, which gives the source its id. */
  readonly #hash = gmac();
  #sourceId: string | undefined;
  #lastSequence: number | undefined;
  #position = 0;
  /** Position of the last batch, and when the first byte after it was read. */
  #cutAt = 0;
  #dueAtMs: number | undefined;
  #appended = 0;

  constructor(about: ReadingAbout, state: StoredState | undefined) {
    const { format, request } = about;
    this.format = format;
    this.#about = about;
    this.#state = state;
    this.#sourceId = state?.sourceId;
    this.#lastSequence = state?.lastSequence;
    this.#run = new DecodeRun({ format, options: request.decodeOptions });
    this.#overflow = new OverflowLabels({ labelsMax: request.decodeOptions.labels?.labelsMax });
  }

  get position(): number {
    return this.#position;
  }

  /** Whether the file was ended at this position, so that it cannot continue. */
  get isPastEnd(): boolean {
    return this.#state?.isEnded === true && this.#position >= this.#state.position;
  }

  /** Returns how many bytes to read next, stopping where the file was ended. */
  get bytesWanted(): number {
    const stored = this.#state?.isEnded === true ? this.#state.position - this.#position : 0;
    return stored > 0 ? Math.min(stored, READ_BYTES) : READ_BYTES;
  }

  /** Stored bytes are decoded up to their end. */
  take(bytes: Uint8Array): void {
    const stored = Math.max(0, (this.#state?.position ?? 0) - this.#position);
    if (stored > 0 && stored < bytes.length) {
      this.take(bytes.subarray(0, stored));
      this.take(bytes.subarray(stored));
      return;
    }
    const mark = Math.max(0, this.#about.textAt - this.#position);
    this.#run.decode(bytes.subarray(mark));
    if (this.#sourceId === undefined) this.#hash.update(bytes);
    this.#position += bytes.length;
    if (stored > 0) this.#passStored();
    else this.#dueAtMs ??= this.#about.dependencies.clockMs() + BATCH_MS;
  }

  /** Appends decoded data once it is large or old enough. */
  async appendDue(): Promise<void> {
    const isDue =
      this.#dueAtMs !== undefined && this.#about.dependencies.clockMs() >= this.#dueAtMs;
    const isMuch = this.#run.isMuch || this.#position - this.#cutAt >= BATCH_BYTES;
    if (this.#dueAtMs !== undefined && (isDue || isMuch)) await this.#truncatedAt();
  }

  /** Deletes the stored source because the file continues after its assumed end. */
  async withdraw(): Promise<void> {
    const { request, dependencies } = this.#about;
    if (this.#sourceId === undefined) return;
    await dependencies.target.points.withdraw(request.loadTest.id, this.#sourceId);
  }

  async end(): Promise<Omit<ImportReport, "loadTestId" | "source" | "seconds">> {
    const isAhead = this.#position >= (this.#state?.position ?? 0) && this.#state?.isEnded !== true;
    if (isAhead) await this.#truncatedAt();
    const summary = await this.#run.end((measured) => this.#append(measured, "ended", isAhead));
    // Rows rejected at the end, without any to store.
    await this.#append(undefined, "ended", isAhead);
    const { recorded, rejected, events } = summary;
    const { request, dependencies } = this.#about;
    const eventNotes = await addEvents(dependencies.target, request.loadTest.id, events);
    const span = this.#span.report(this.#overflow);
    const places = placesInSource(summary, this.#about.textAt);
    return {
      format: this.format.name,
      samples: { read: recorded + rejected, recorded, rejected },
      ...span,
      ...places,
      alreadyImported: this.#appended === 0 && this.#state !== undefined,
      notes: [
        ...places.notes,
        ...this.#shorterNote(),
        ...this.#span.notes(),
        ...(span.other === undefined ? [] : [overflowNote(span.other)]),
        ...eventNotes,
      ],
    };
  }

  /** The file has lost bytes while nothing followed it. */
  #shorterNote(): readonly string[] {
    const stored = this.#state?.position ?? 0;
    if (this.#position >= stored) return [];
    return [
      `the file has ${this.#position} bytes, but ${stored} of it were stored: these stay, ` +
        `and nothing before byte ${stored} is read again`,
    ];
  }

  /** Discards what was decoded from bytes that are already stored. */
  #passStored(): void {
    const isOver = this.#position >= (this.#state?.position ?? 0);
    if (!isOver && !this.#run.isMuch) return;
    this.#cutAt = this.#position;
    const measured = this.#run.flush();
    this.#run.takeRows();
    if (measured !== undefined) this.#span.add(measured);
  }

  async #truncatedAt(): Promise<void> {
    this.#cutAt = this.#position;
    this.#dueAtMs = undefined;
    await this.#append(this.#run.flush(), "flushed", true);
  }

  async #append(
    measured: MeasurementBatch | undefined,
    kind: "flushed" | "ended",
    isNew: boolean,
  ): Promise<void> {
    const quality = this.#run.takeRows();
    if (measured === undefined && quality === undefined) return;
    if (measured !== undefined) this.#span.add(measured);
    if (!isNew) return;
    const sequence = sequenceAt(this.#position, kind);
    const { request, dependencies } = this.#about;
    this.#sourceId ??= await this.#beginSource();
    const about = {
      loadTestId: request.loadTest.id,
      sourceId: this.#sourceId,
      visibility: "live",
      format: this.format.name,
      sequence,
      follows: this.#lastSequence ?? "nothing",
      unrecorded: this.#run.unrecorded,
      quality,
    } as const;
    await this.#overflow.append(measured ?? NO_MEASUREMENTS, (merged) =>
      appendPatiently(dependencies, { ...about, ...merged }),
    );
    this.#lastSequence = sequence;
    this.#appended += 1;
  }

  /** Another process may have started this file meanwhile. */
  async #beginSource(): Promise<string> {
    const { request, findState } = this.#about;
    if ((await findState()) !== undefined) {
      throw new UserError(
        "source-moved-on",
        `cannot follow "${request.name}": it is followed into load test ` +
          `"${request.loadTest.id}" already, or was imported just now`,
      );
    }
    const digest = this.#hash.finish();
    const beginning = { format: this.format.name, sizeBytes: this.#position, digest };
    return followedSourceId(beginning, randomUUID().slice(0, 8));
  }
}

/** Retries while the disk is full or the store busy: the file is the buffer. */
async function appendPatiently(dependencies: FollowDependencies, batch: PointBatch): Promise<void> {
  const { target, interrupted, wait, warn } = dependencies;
  for (let attempt = 0; ; attempt++) {
    try {
      await target.points.append(batch);
      return;
    } catch (error) {
      const mayPass = error instanceof UserError && PASSING.has(error.code);
      if (!mayPass || interrupted.aborted) throw error;
      if (attempt === 0) warn(`${error.message}: trying again`);
      await wait(RETRY_MS);
    }
  }
}

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
