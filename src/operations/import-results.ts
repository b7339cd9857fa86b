import type { DecodeOptions, Format } from "../decode/decoder.ts";
import { detectFormat, formatNamed } from "../decode/detect.ts";
import { checkLabelTemplate } from "../decode/label-template.ts";
import type { ImportReport } from "../model/import-report.ts";
import type { InflateLimit } from "../source/inflate-limit.ts";
import { openSource, type Source, type SourceOptions } from "../source/open-source.ts";
import type { PublishedSource } from "../store/store.ts";
import type {
  DecodedFile,
  DecodeFile,
  DecodeJob,
  DecodePoints,
  FileToDecode,
  TakeMeasured,
} from "./decode-points.ts";
import { statesOf, storedStates, type StoredState } from "./follow/stored-states.ts";
import type { ImportTarget } from "./import-target.ts";
import { noteOnOthers } from "./other-labels.ts";
import { wholeLines } from "./whole-lines.ts";
import { StagedImport } from "./staged-import.ts";

/** One result file to be imported. */
export interface ImportRequest {
  /** Where it goes; created, once the file is known to be a result file, if it is not there. */
  readonly loadTest: { readonly id: string; readonly name: string };
  /** Name of the source, for the report. */
  readonly name: string;
  /** Size of all of it, if that is known beforehand. */
  readonly sizeBytes?: number | undefined;
  /** Its bytes as they are, compressed or not. Read once, with back-pressure. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /**
   * The file that `chunks` read, for who decodes and reads in one go; then `chunks` serve only to
   * find its format.
   */
  readonly file?: Omit<FileToDecode, "sourceOptions"> | undefined;
  /** Name of the format. @default found by content */
  readonly format?: string | undefined;
  readonly decodeOptions: DecodeOptions;
  /** @default no limit */
  readonly inflateLimit?: InflateLimit;
  /** Whether `chunks` have ended before the file did; asked at their end. @default never */
  readonly isStopped?: () => boolean;
  /** Told once the format is known, and whenever some of it was stored. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
}

/** How far an import has come. */
export interface ImportProgress {
  /** Name of the format. */
  readonly format: string;
  /** Requests that are stored, though not to be seen yet. */
  readonly recorded: number;
}

export interface ImportDependencies {
  readonly store: ImportTarget;
  readonly formats: readonly Format[];
  /** In this thread or in another one. */
  readonly decodePoints: DecodePoints;
  /** For files. @default as everything else, by `decodePoints` */
  readonly decodeFile?: DecodeFile | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Imports a result file in bounded memory: all that can be read of it, or nothing. It becomes
 * visible in one step at the end; whatever ends the import before, a repeated one starts from
 * nothing. The same bytes again change nothing, and a file that has grown since takes the place of
 * its earlier state. Throws `unreadable-source`, and what the store throws.
 */
export async function importResults(
  request: ImportRequest,
  dependencies: ImportDependencies,
): Promise<ImportReport> {
  const { store, formats, now } = dependencies;
  const startedAtMs = now();
  const { id } = request.loadTest;
  const { isStopped } = request;
  const earlier = await storedStates(store, id);
  const sourceOptions = {
    beginnings: earlier.map(({ beginning }) => beginning),
    ...(request.inflateLimit === undefined ? {} : { inflateLimit: request.inflateLimit }),
  };
  const source = openSource(request.chunks, sourceOptions);
  const format = await findFormat(source, request, formats);
  const progress = new ProgressTeller(format.name, request.onProgress);
  const loadTest = { ...request.loadTest, createdAtMs: startedAtMs };
  const staged = new StagedImport(store, loadTest, request.decodeOptions.labels?.labelsMax);
  await staged.begin();
  try {
    const { recorded, rejected, rejections, cut, notes, end } = await decodeAll(
      request,
      { ...dependencies, source, sourceOptions },
      { format, options: request.decodeOptions },
      async (measured) => {
        await staged.append(measured);
        progress.add(measured.points.requests);
      },
    );
    const { sizeBytes, digest } = end;
    const alreadyImported = await show(
      staged,
      { name: request.name, format: format.name, sizeBytes, digest },
      statesOf(end, earlier),
    );
    const span = staged.span.report(staged.others);
    return {
      loadTestId: id,
      format: format.name,
      source: request.name,
      samples: { read: recorded + rejected, recorded, rejected },
      ...span,
      rejections,
      cut: end.cut ?? cut,
      alreadyImported,
      notes: [
        ...notes,
        ...(span.other === undefined ? [] : [noteOnOthers(span.other)]),
        ...(isStopped?.() === true ? [STOPPED] : []),
      ],
      seconds: (now() - startedAtMs) / 1000,
    };
  } catch (error) {
    await staged.takeBack();
    throw error;
  }
}

interface OpenedDependencies extends ImportDependencies {
  readonly source: Source;
  readonly sourceOptions: SourceOptions;
}

/** Decodes all of a source whose format was found; a file of plain text by who reads it, too. */
async function decodeAll(
  { file, isStopped }: ImportRequest,
  { decodePoints, decodeFile, source, sourceOptions }: OpenedDependencies,
  job: DecodeJob,
  take: TakeMeasured,
): Promise<DecodedFile> {
  // To inflate is work enough for a thread of its own.
  if (file !== undefined && decodeFile !== undefined && !(await source.isCompressed())) {
    await source.close();
    return decodeFile({ ...file, sourceOptions }, job, take);
  }
  const bytes = isStopped === undefined ? source.bytes() : wholeLines(source.bytes(), isStopped);
  const summary = await decodePoints(bytes, job, take);
  return { ...summary, end: source.end() };
}

async function findFormat(
  source: Source,
  { format: name, decodeOptions: options }: ImportRequest,
  formats: readonly Format[],
): Promise<Format> {
  try {
    const format =
      name === undefined ? detectFormat(await source.head(), formats) : formatNamed(name, formats);
    checkLabelTemplate(format, options);
    return format;
  } catch (error) {
    await source.close();
    throw error;
  }
}

/**
 * Shows what was staged in place of earlier states of the same file, imported or followed. Answers
 * whether all of it was there already.
 */
async function show(
  staged: StagedImport,
  source: Omit<PublishedSource, "loadTestId" | "sourceId">,
  earlier: readonly StoredState[],
): Promise<boolean> {
  if (!earlier.some((state) => holdsAll(state, source.sizeBytes))) {
    return staged.publish(
      source,
      earlier.map(({ sourceId }) => sourceId),
    );
  }
  await staged.discard();
  return true;
}

/**
 * Whether a state of the same file holds all of it: one that was followed further than this copy of
 * it goes, or that was imported. That has another digest where an earlier program did it.
 */
function holdsAll({ position, lastSequence }: StoredState, sizeBytes: number): boolean {
  return position > sizeBytes || (position === sizeBytes && lastSequence === undefined);
}

const STOPPED =
  "stopped while it was received: what had come until then is kept, but for a row that had only begun";

class ProgressTeller {
  readonly #format: string;
  readonly #tell: ImportRequest["onProgress"];
  #recorded = 0;

  constructor(format: string, tell: ImportRequest["onProgress"]) {
    this.#format = format;
    this.#tell = tell;
    this.add([]);
  }

  add(requests: ArrayLike<number>): void {
    for (let row = 0; row < requests.length; row++) this.#recorded += requests[row] as number;
    this.#tell?.({ format: this.#format, recorded: this.#recorded });
  }
}
