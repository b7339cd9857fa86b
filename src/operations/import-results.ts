import { randomUUID } from "node:crypto";
import type { DecodeOptions, Format } from "../decode/decoder.ts";
import { detectFormat, formatNamed } from "../decode/detect.ts";
import { UserError } from "../model/errors.ts";
import { checkLabelTemplate } from "../decode/label-template.ts";
import type { ImportReport } from "../model/import-report.ts";
import type { Measured } from "../model/measured.ts";
import type { InflateLimit } from "../source/inflate-limit.ts";
import { openSource, type Source, type SourceEnd } from "../source/open-source.ts";
import type { LoadTests, Points, PublishedSource } from "../store/store.ts";
import type { DecodePoints } from "./decode-points.ts";
import { ImportSpan } from "./import-span.ts";

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
  readonly store: { readonly loadTests: LoadTests; readonly points: Points };
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
  const earlier = await store.points.sources(id);
  const source = openSource(request.chunks, {
    earlierSizesBytes: earlier.map(({ sizeBytes }) => sizeBytes),
    ...(request.inflateLimit === undefined ? {} : { inflateLimit: request.inflateLimit }),
  });
  const format = await findFormat(source, request, formats);
  const created = await ensureLoadTest(store.loadTests, request.loadTest, startedAtMs);
  const staged = new StagedImport(store.points, id);
  try {
    const { recorded, rejected, rejections, cut, notes } = await decodePoints(
      source.bytes(),
      { format, options: request.decodeOptions },
      (measured) => staged.append(measured),
    );
    const end = source.end();
    const alreadyImported = await staged.publish(
      { name: request.name, format: format.name, sizeBytes: end.sizeBytes, sha256: end.sha256 },
      replacedBy(end, earlier),
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
    await takeBack(staged, created ? store.loadTests : undefined, id);
    throw error;
  }
}

/** Never throws: what cannot be taken back, on a full disk, is not seen by anybody either. */
async function takeBack(
  staged: StagedImport,
  createdIn: LoadTests | undefined,
  loadTestId: string,
): Promise<void> {
  try {
    await staged.discard();
    // Another import may have come into it in the meantime.
    await createdIn?.deleteUnused(loadTestId);
  } catch {
    // The error that ended the import says more than this one would.
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

/** Answers whether the load test had to be created, and was not by another import just then. */
async function ensureLoadTest(
  loadTests: LoadTests,
  { id, name }: { readonly id: string; readonly name: string },
  createdAtMs: number,
): Promise<boolean> {
  if ((await loadTests.find(id)) !== undefined) return false;
  try {
    await loadTests.create({ id, name, createdAtMs });
    return true;
  } catch (error) {
    if (error instanceof UserError && error.code === "load-test-exists") return false;
    throw error;
  }
}

/** Earlier sources that this one begins with: the same file before it grew. */
function replacedBy(end: SourceEnd, earlier: readonly PublishedSource[]): readonly string[] {
  return earlier
    .filter(({ sizeBytes, sha256 }) => end.sha256OfFirst.get(sizeBytes) === sha256)
    .map(({ sourceId }) => sourceId);
}

/** What has been decoded of a source, on its way into the store, where nobody sees it yet. */
class StagedImport {
  readonly span = new ImportSpan();
  readonly #points: Points;
  readonly #loadTestId: string;
  readonly #sourceId = `import-${randomUUID()}`;
  #sequence = 0;

  constructor(points: Points, loadTestId: string) {
    this.#points = points;
    this.#loadTestId = loadTestId;
  }

  async append(measured: Measured): Promise<void> {
    this.span.add(measured.points);
    await this.#points.append({
      loadTestId: this.#loadTestId,
      sourceId: this.#sourceId,
      visibility: "staged",
      sequence: this.#sequence++,
      ...measured,
    });
  }

  /** Makes it visible. Answers whether the same bytes were there already. */
  async publish(
    source: Omit<PublishedSource, "loadTestId" | "sourceId">,
    replaces: readonly string[],
  ): Promise<boolean> {
    const { duplicate } = await this.#points.publish(
      { ...source, loadTestId: this.#loadTestId, sourceId: this.#sourceId },
      replaces,
    );
    return duplicate;
  }

  /** Takes back what was appended. */
  discard(): Promise<void> {
    return this.#points.discard(this.#loadTestId, this.#sourceId);
  }
}
