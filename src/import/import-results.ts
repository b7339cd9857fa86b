import type { DecodeOptions, Format } from "../decode/decoder.ts";
import { detectFormat, formatNamed } from "../decode/detect.ts";
import { LINE_MEASURES } from "../decode/format-quality.ts";
import { LINE_PROTOCOL } from "../decode/line-protocol/about.ts";
import { checkLabelTemplate } from "../decode/labels/label-template.ts";
import { CHILD_SPANS } from "../model/samples/child-spans.ts";
import { UserError } from "../model/errors.ts";
import type { ImportReport, OtherRequests, Rejection } from "../model/import-report.ts";
import type { NamedAttributes } from "../model/load-test/attributes.ts";
import type { NewLoadTestEvent } from "../model/measures/load-test-events.ts";
import { factsOf } from "../model/point-facts.ts";
import { ALL_SECONDS, type SecondRange } from "../model/columns.ts";
import { isBeginning, type SourceQuality } from "../model/source-quality.ts";
import type { InflateLimit } from "../source/gzip.ts";
import {
  type Source,
  type SourceEnd,
  type SourceOptions,
  openSource,
} from "../source/open-source.ts";
import { beginningKey } from "../source/source-digest.ts";
import type { PublishedSource } from "../store/snapshot.ts";
import {
  BATCH_POINTS_MAX,
  type DecodeFile,
  type DecodeJob,
  type DecodePoints,
  type DecodedFile,
  type FileToDecode,
  type TakeBatch,
} from "./decode-points.ts";
import { type ImportTarget, addEvents } from "./ensure-load-test.ts";
import { type KeepRequest, KeptOriginal, placeOf } from "./kept-original.ts";
import { SourcePart } from "./kept-rows.ts";
import { overflowNote } from "./overflow-labels.ts";
import { StagedImport } from "./staged-import.ts";
import { type StoredState, statesOf, storedStates } from "./stored-states.ts";

export interface ImportRequest {
  /** Target; created if missing, once the file is known to be a result file. */
  readonly loadTest: NamedAttributes & { readonly id: string };
  /** Whether to skip content that any load test already has. @default false */
  readonly isOnlyNew?: boolean | undefined;
  /** Whether to import a file without a row. @default false */
  readonly isEmptyAllowed?: boolean | undefined;
  /** Name of the source, for the report. */
  readonly name: string;
  /** Total size, if known in advance. */
  readonly sizeBytes?: number | undefined;
  /** Raw bytes, compressed or not. Read once, with back-pressure. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The file that `chunks` reads; then `chunks` serves only to detect its format. */
  readonly file?: Omit<FileToDecode, "sourceOptions" | "onBytes"> | undefined;
  /** @default detected by content */
  readonly format?: string | undefined;
  /** Whether the file is untrusted. Formats whose readers trust the file are then refused. */
  readonly isUpload?: boolean | undefined;
  /** Keeps the file as it is given. @default only what is decoded */
  readonly keep?: KeepRequest | undefined;
  readonly decodeOptions: DecodeOptions;
  /** Excludes requests that start outside of these seconds. @default all are imported */
  readonly seconds?: SecondRange | undefined;
  /** @default no limit */
  readonly inflateLimit?: InflateLimit;
  /** Whether `chunks` ended before the file did; read at their end. @default never */
  readonly isStopped?: () => boolean;
  /** Called once the format is known, and whenever data were stored. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
}

export interface ImportProgress {
  readonly format: string;
  /** Requests stored but not yet visible. */
  readonly recorded: number;
}

export interface ImportDependencies {
  readonly store: ImportTarget;
  readonly formats: readonly Format[];
  /** In this thread or in another one. */
  readonly decodePoints: DecodePoints;
  /** For plain files. @default `decodePoints`, as for everything else */
  readonly decodeFile?: DecodeFile | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Imports a result file in bounded memory: everything readable, or nothing. It becomes visible in one step at
 * the end; after an interruption, a repeated import starts from nothing. The same content again, or an
 * earlier state of it, changes nothing; a file that has grown replaces its earlier state. Throws
 * `unreadable-source`, also for a file of which nothing can be read, `empty-source` and what the store throws.
 */
export async function importResults(
  request: ImportRequest,
  dependencies: ImportDependencies,
): Promise<ImportReport> {
  const { store, formats, now } = dependencies;
  const startedAtMs = now();
  const { id } = request.loadTest;
  const { isStopped, isOnlyNew, inflateLimit, seconds } = request;
  const inRange = seconds && new SourcePart(seconds);
  const earlier = await storedStates(store, id);
  const { encoding } = request.decodeOptions;
  const beginnings = earlier.map(({ beginning }) => beginning);
  const sourceOptions = { beginnings, inflateLimit, encoding };
  const kept = new KeptOriginal(request.keep);
  const source = openSource(kept.following(request.chunks), sourceOptions);
  const format = await findFormat(source, request, formats);
  const progress = new ProgressReporter(format.name, request.onProgress);
  const loadTest = { ...request.loadTest, createdAtMs: startedAtMs };
  const staged = new StagedImport(store, loadTest, request.decodeOptions.labels?.labelsMax);
  await staged.begin();
  try {
    kept.begin(store, { loadTestId: id, sourceId: staged.sourceId, name: request.name });
    const {
      recorded,
      rejected,
      rejections,
      repairs,
      truncatedAt: ownCut,
      notes,
      quality,
      events,
      end,
    } = await decodeAll(
      request,
      { ...dependencies, source, sourceOptions, kept },
      { format, options: decodeOptionsOf(request), pointsMax: pointsMaxOf(request, store) },
      async (measured) => {
        const part = inRange === undefined ? measured : inRange.take(measured);
        if (part === undefined) return;
        await staged.append(part);
        progress.add(factsOf(part.points).requests);
      },
    );
    const { sizeBytes, digest, marks, markBytes } = end;
    const places = placesInSource(
      { rejections, repairs, truncatedAt: end.truncatedAt ?? ownCut, notes },
      markBytes,
    );
    requireRows({ read: recorded + staged.batches + events.length, rejected, ...places }, request);
    const later = earlier.find((state) => isLaterState(state, end, recorded));
    const same = statesOf(end, earlier);
    if (format.needsEnd) await requireNoOther(store, id, same);
    const elsewhere = await findElsewhere(store, { id, isOnlyNew }, end);
    const of = storedFormat(format, recorded + rejected, quality);
    const identity = { name: request.name, format: of, sizeBytes, digest, marks };
    const published = { ...identity, quality: { ...quality, ...truncationOf(places) } };
    const held = { later, same, end, elsewhere };
    const { alreadyImported, original } = await show(staged, published, { ...held, id, kept });
    const loadTestId = elsewhere?.loadTestId ?? id;
    const eventNotes = await addEvents(store, loadTestId, withinRange(events, request));
    const span = staged.span.report(staged.overflow);
    const imported = seconds === undefined ? recorded : progress.recorded;
    const stopped = isStopped?.() ? [STOPPED] : [];
    return {
      loadTestId,
      format: format.name,
      source: request.name,
      samples: { read: imported + rejected, recorded: imported, rejected },
      ...span,
      ...places,
      alreadyImported,
      original,
      notes: [
        ...places.notes,
        ...notesOn({ later, elsewhere, overflow: span.other }),
        ...staged.notes(),
        ...eventNotes,
        ...stopped,
        ...kept.notes(original),
      ],
      seconds: (now() - startedAtMs) / 1000,
    };
  } catch (error) {
    await kept.discard();
    await staged.takeBack();
    throw error;
  }
}

/** Lines of measures alone have a format of their own, as in live writes: as a source without requests, they hide no figure of the others. */
function storedFormat({ name }: Format, rows: number, { measurements }: SourceQuality): string {
  const isOfMeasures = rows === 0 && measurements !== undefined && measurements.length > 0;
  return isOfMeasures && name === LINE_PROTOCOL.name ? LINE_MEASURES : name;
}

/** Throws `empty-source` and `unreadable-source` if there is nothing to import. */
function requireRows(
  {
    read,
    rejected,
    rejections,
    truncatedAt,
  }: Places & Readonly<Record<"read" | "rejected", number>>,
  { isEmptyAllowed }: ImportRequest,
): void {
  if (read > 0) return;
  const [first] = [...rejections, ...(truncatedAt === undefined ? [] : [truncatedAt])];
  if (first === undefined) {
    if (isEmptyAllowed) return;
    throw new UserError(
      "empty-source",
      "the source has no rows: nothing was imported; --allow-empty (allowEmpty=true) imports it",
    );
  }
  const rows = rejected + (truncatedAt === undefined ? 0 : 1);
  throw new UserError(
    "unreadable-source",
    `cannot read any of ${rows} rows, the first in line ${first.line}, byte ${first.byte}: ${first.reason}`,
  );
}

/** Requests that are not imported are not kept whole in the place of others. */
function decodeOptionsOf({ decodeOptions, seconds }: ImportRequest): DecodeOptions {
  const { samples } = decodeOptions;
  return samples === undefined
    ? decodeOptions
    : { ...decodeOptions, samples: { ...samples, seconds } };
}

function pointsMaxOf({ isUpload }: ImportRequest, { isRemote }: ImportTarget): number | undefined {
  return isUpload || isRemote ? BATCH_POINTS_MAX : undefined;
}

function truncationOf({ truncatedAt: at }: Pick<ImportReport, "truncatedAt">) {
  return at === undefined ? {} : { truncatedAtByte: at.byte };
}

function withinRange(
  events: readonly NewLoadTestEvent[],
  { seconds: { from, until } = ALL_SECONDS }: ImportRequest,
): readonly NewLoadTestEvent[] {
  return events.filter(({ atMs }) => atMs >= from * 1000 && atMs < until * 1000);
}

interface OpenedDependencies extends ImportDependencies {
  readonly source: Source;
  readonly sourceOptions: SourceOptions;
  readonly kept: KeptOriginal;
}

async function decodeAll(
  { file, isStopped }: ImportRequest,
  { decodePoints, decodeFile, source, sourceOptions, kept }: OpenedDependencies,
  job: DecodeJob,
  take: TakeBatch,
): Promise<DecodedFile> {
  // Decompression reads in the background, and needs the stream.
  if (file !== undefined && decodeFile !== undefined && !(await source.isCompressed())) {
    await source.close();
    return decodeFile({ ...file, sourceOptions, onBytes: kept.fromFile() }, job, take);
  }
  await kept.fromChunks();
  const bytes = isStopped === undefined ? source.bytes() : completeLines(source.bytes(), isStopped);
  const summary = await decodePoints(bytes, job, take);
  return { ...summary, end: source.end() };
}

async function findFormat(
  source: Source,
  { format: name, decodeOptions: options, isUpload }: ImportRequest,
  formats: readonly Format[],
): Promise<Format> {
  try {
    const format =
      name === undefined ? detectFormat(await source.head(), formats) : formatNamed(name, formats);
    checkLabelTemplate(format, options);
    if (isUpload && format.needsEnd) throw notUploaded(format);
    return format;
  } catch (error) {
    await source.close();
    throw error;
  }
}

function notUploaded({ name }: Format): UserError {
  return new UserError(
    "unreadable-source",
    `cannot read the source: ${name} cannot be uploaded; use "tachograph import --url", which reads it on your machine`,
  );
}

/** What the load test already has of the file. */
interface HeldStates {
  /** A later state, which includes all of it. */
  readonly later: StoredState | undefined;
  /** Earlier states, imported or followed, and the same state. */
  readonly same: readonly StoredState[];
  readonly end: SourceEnd;
}

interface Showing extends HeldStates {
  readonly id: string;
  /** The content in another load test. */
  readonly elsewhere: PublishedSource | undefined;
  readonly kept: KeptOriginal;
}

/** Publishes the staged source in place of earlier states, with its original. */
async function show(
  staged: StagedImport,
  source: Omit<PublishedSource, "loadTestId" | "sourceId">,
  { later, same, end, id, elsewhere, kept }: Showing,
): Promise<Pick<ImportReport, "alreadyImported" | "original">> {
  const isHeld = later !== undefined || same.some((state) => holdsAll(state, end));
  if (isHeld || elsewhere !== undefined) {
    await (elsewhere === undefined ? staged.discard() : staged.takeBack());
    const place = elsewhere ?? placeOf(id, same, end.sizeBytes);
    return { alreadyImported: true, original: await kept.finishAt(place) };
  }
  // It is seen with its source, which the first batch creates.
  const isFirst = staged.batches > 0;
  const early = isFirst ? await kept.finish() : undefined;
  const replaced = same.map(({ sourceId }) => sourceId);
  const alreadyImported = await staged.publish(source, replaced);
  if (alreadyImported) return { alreadyImported, original: await kept.finishAt(undefined) };
  return { alreadyImported, original: isFirst ? early : await kept.finish() };
}

/** Whether a state of the same file includes all of it: it was imported, or followed further. */
function holdsAll({ beginning, position, published }: StoredState, end: SourceEnd): boolean {
  if (published === undefined) return position > end.sizeBytes;
  return end.beginnings.get(beginningKey(beginning)) === "whole";
}

const STOPPED =
  "stopped while it was received: what had come until then is kept, but for a row that had only begun";

class ProgressReporter {
  readonly #format: string;
  readonly #report: ImportRequest["onProgress"];
  recorded = 0;

  constructor(format: string, report: ImportRequest["onProgress"]) {
    this.#format = format;
    this.#report = report;
    this.add(0);
  }

  add(requests: number): void {
    this.recorded += requests;
    this.#report?.({ format: this.#format, recorded: this.recorded });
  }
}

const NEWLINE = 0x0a;
/** A longer line is not a row of a table. */
const ROW_BYTES_MAX = 1024 * 1024;

/**
 * Passes the bytes through, except those after the last line end if `isStopped` at the end: a truncated row can look
 * complete, with another number in its last column. Chunks may be overwritten once the next one is requested.
 */
export async function* completeLines(
  chunks: AsyncIterable<Uint8Array>,
  isStopped: () => boolean,
): AsyncGenerator<Uint8Array> {
  let partial: Uint8Array[] = [];
  let partialBytes = 0;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0 || partialBytes > ROW_BYTES_MAX) {
      yield* partial;
      [partial, partialBytes] = [[], 0];
    }
    if (end > 0) yield chunk.subarray(0, end);
    if (end < chunk.length) {
      // `slice` of a `Buffer` would share memory.
      partial.push(new Uint8Array(chunk.subarray(end)));
      partialBytes += chunk.length - end;
    }
  }
  if (!isStopped()) yield* partial;
}

/**
 * Whether an imported source is a later state of a file with this many requests. Marks stand at line ends, so
 * a file whose only request is in its unfinished last line cannot be compared.
 */
function isLaterState({ published }: StoredState, end: SourceEnd, recorded: number): boolean {
  if (published?.marks === undefined) return false;
  if (end.lastMarkAt < end.sizeBytes && recorded < 2) return false;
  return isBeginning(end, { sizeBytes: published.sizeBytes, marks: published.marks });
}

/** The content in another load test; `undefined` if none has it, this one has it, too, or nobody asks. */
async function findElsewhere(
  { points }: ImportTarget,
  { id, isOnlyNew = false }: { readonly id: string; readonly isOnlyNew: boolean | undefined },
  { sizeBytes, digest }: SourceEnd,
): Promise<PublishedSource | undefined> {
  if (!isOnlyNew) return undefined;
  const found = await points.findContent({ sizeBytes, digest });
  return found.some(({ loadTestId }) => loadTestId === id) ? undefined : found[0];
}

/**
 * Allows an export, which is a complete run, only into a run without other data: requests would count twice.
 * `same` is what the run has of this file. Throws `load-test-exists`.
 */
async function requireNoOther(
  { points }: ImportTarget,
  id: string,
  same: readonly StoredState[],
): Promise<void> {
  const held = [...(await points.liveSources(id)), ...(await points.sources(id))];
  const own = new Set(same.map(({ sourceId }) => sourceId));
  // Spans of a trace count once, however often they come.
  if (held.every(({ sourceId }) => own.has(sourceId) || sourceId === CHILD_SPANS)) return;
  throw new UserError(
    "load-test-exists",
    `cannot import an exported run into another one: "${id}" has data already; give another --id`,
  );
}

interface Remarkable {
  readonly later: StoredState | undefined;
  readonly elsewhere: PublishedSource | undefined;
  readonly overflow: OtherRequests | undefined;
}

/** Returns the notes of the report about them. */
function notesOn({ later, elsewhere, overflow }: Remarkable): readonly string[] {
  const notes: string[] = [];
  if (later !== undefined) {
    const name = later.published?.name;
    notes.push(`an earlier state of "${name}", which is in the load test already`);
  }
  if (elsewhere !== undefined) {
    const { loadTestId, name } = elsewhere;
    notes.push(
      `the content is in load test "${loadTestId}" already, as "${name}": to import it again, give --again, or again=true over HTTP`,
    );
  }
  if (overflow !== undefined) notes.push(overflowNote(overflow));
  return notes;
}

type Places = Pick<ImportReport, "rejections" | "repairs" | "truncatedAt" | "notes">;

const IN_UTF8 = "the source is not UTF-8: byte positions are those in its text as UTF-8";

/** Adds the length of the byte order mark to positions; for `undefined` (another encoding) they stay those in UTF-8 text, with a note. */
export function placesInSource(
  { rejections, repairs, truncatedAt, notes }: Places,
  markBytes: number | undefined,
): Places {
  if (markBytes === undefined) {
    const hasPlaces = rejections.length + repairs.length > 0 || truncatedAt !== undefined;
    return { rejections, repairs, truncatedAt, notes: hasPlaces ? [...notes, IN_UTF8] : notes };
  }
  const place = (each: Rejection): Rejection => ({ ...each, byte: each.byte + markBytes });
  return {
    rejections: rejections.map(place),
    repairs: repairs.map((repair) => ({ ...repair, places: repair.places.map(place) })),
    truncatedAt: truncatedAt && place(truncatedAt),
    notes,
  };
}
