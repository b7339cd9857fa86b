import type { DecodeOptions, Format } from "../decode/decoder.ts";
import { detectFormat, formatNamed } from "../decode/detect.ts";
import { checkLabelTemplate } from "../decode/label-template.ts";
import type { ImportReport } from "../model/import-report.ts";
import type { InflateLimit } from "../source/inflate-limit.ts";
import { openSource, type Source } from "../source/open-source.ts";
import type { PublishedSource } from "../store/store.ts";
import type { DecodePoints } from "./decode-points.ts";
import { statesOf, storedStates, type StoredState } from "./follow/stored-states.ts";
import type { ImportTarget } from "./import-target.ts";
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
  /** Name of the format. @default found by content */
  readonly format?: string | undefined;
  readonly decodeOptions: DecodeOptions;
  /** @default no limit */
  readonly inflateLimit?: InflateLimit;
}

export interface ImportDependencies {
  readonly store: ImportTarget;
  readonly formats: readonly Format[];
  /** In this thread or in another one. */
  readonly decodePoints: DecodePoints;
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
  { store, formats, decodePoints, now }: ImportDependencies,
): Promise<ImportReport> {
  const startedAtMs = now();
  const { id } = request.loadTest;
  const earlier = await storedStates(store, id);
  const source = openSource(request.chunks, {
    earlierSizesBytes: earlier.map(({ beginning }) => beginning.sizeBytes),
    ...(request.inflateLimit === undefined ? {} : { inflateLimit: request.inflateLimit }),
  });
  const format = await findFormat(source, request, formats);
  const staged = new StagedImport(store, { ...request.loadTest, createdAtMs: startedAtMs });
  await staged.begin();
  try {
    const { recorded, rejected, rejections, cut, notes } = await decodePoints(
      source.bytes(),
      { format, options: request.decodeOptions },
      (measured) => staged.append(measured),
    );
    const end = source.end();
    const { sizeBytes, sha256 } = end;
    const alreadyImported = await show(
      staged,
      { name: request.name, format: format.name, sizeBytes, sha256 },
      statesOf(end, earlier),
    );
    return {
      loadTestId: id,
      format: format.name,
      source: request.name,
      samples: { read: recorded + rejected, recorded, rejected },
      ...staged.span.report(),
      rejections,
      cut: end.cut ?? cut,
      alreadyImported,
      notes,
      seconds: (now() - startedAtMs) / 1000,
    };
  } catch (error) {
    await staged.takeBack();
    throw error;
  }
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
  if (!earlier.some(({ position }) => position > source.sizeBytes)) {
    return staged.publish(
      source,
      earlier.map(({ sourceId }) => sourceId),
    );
  }
  // The file was followed further than this copy of it goes.
  await staged.discard();
  return true;
}
