import { randomUUID } from "node:crypto";
import { Aggregator } from "../aggregate/aggregator.ts";
import type { Decoder, DecodeEnd, Format, SampleSink } from "../decode/decoder.ts";
import { detectFormat, formatNamed } from "../decode/detect.ts";
import type { DataPoints } from "../model/data-points.ts";
import type { ImportReport, Rejection } from "../model/import-report.ts";
import type { InflateLimit } from "../source/inflate-limit.ts";
import { openSource, type Source, type SourceEnd } from "../source/open-source.ts";
import type { LoadTests, Points, PublishedSource } from "../store/store.ts";
import { ImportTally } from "./import-tally.ts";

/** One result file to be imported. */
export interface ImportRequest {
  /** Where it goes; created, once the file is known to be a result file, if it is not there. */
  readonly loadTest: { readonly id: string; readonly name: string };
  /** Name of the source, for the report. */
  readonly name: string;
  /** Its bytes as they are, compressed or not. Read once, with back-pressure. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Name of the format. @default found by content */
  readonly format?: string | undefined;
  /** IANA zone of timestamps that are written without one. */
  readonly timeZone: string;
  /** @default no limit */
  readonly inflateLimit?: InflateLimit;
}

export interface ImportDependencies {
  readonly store: { readonly loadTests: LoadTests; readonly points: Points };
  readonly formats: readonly Format[];
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
  { store, formats, now }: ImportDependencies,
): Promise<ImportReport> {
  const startedAtMs = now();
  const { id } = request.loadTest;
  const earlier = await store.points.sources(id);
  const source = openSource(request.chunks, {
    earlierSizesBytes: earlier.map(({ sizeBytes }) => sizeBytes),
    ...(request.inflateLimit === undefined ? {} : { inflateLimit: request.inflateLimit }),
  });
  const format = await findFormat(source, request.format, formats);
  const created = await ensureLoadTest(store.loadTests, request.loadTest, startedAtMs);
  const staged = new StagedImport(store.points, id);
  try {
    const decoded = await decodeSource(source, format, request.timeZone, staged);
    const { sizeBytes, sha256 } = decoded.source;
    const { alreadyImported } = await staged.publish(
      { name: request.name, format: format.name, sizeBytes, sha256 },
      replacedBy(decoded.source, earlier),
    );
    return staged.tally.report({
      loadTestId: id,
      format: format.name,
      source: request.name,
      cut: decoded.source.cut ?? decoded.decoder.cut,
      notes: decoded.decoder.notes,
      alreadyImported,
      seconds: (now() - startedAtMs) / 1000,
    });
  } catch (error) {
    await staged.discard();
    if (created) await store.loadTests.delete(id);
    throw error;
  }
}

async function findFormat(
  source: Source,
  name: string | undefined,
  formats: readonly Format[],
): Promise<Format> {
  try {
    if (name !== undefined) return formatNamed(name, formats);
    return detectFormat(await source.head(), formats);
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** Answers whether the load test had to be created. */
async function ensureLoadTest(
  loadTests: LoadTests,
  { id, name }: { readonly id: string; readonly name: string },
  createdAtMs: number,
): Promise<boolean> {
  if ((await loadTests.find(id)) !== undefined) return false;
  await loadTests.create({ id, name, createdAtMs });
  return true;
}

interface Decoded {
  readonly source: SourceEnd;
  readonly decoder: DecodeEnd;
}

async function decodeSource(
  source: Source,
  format: Format,
  timeZone: string,
  staged: StagedImport,
): Promise<Decoded> {
  const decoder = format.open(staged.sink, { timeZone });
  for await (const bytes of source.bytes()) {
    decoder.push(bytes);
    await staged.appendIfWanted(decoder);
  }
  const end = decoder.end();
  await staged.appendRest(decoder);
  return { source: source.end(), decoder: end };
}

/** The longest earlier source that this one begins with: the same file before it grew. */
function replacedBy(end: SourceEnd, earlier: readonly PublishedSource[]): string | undefined {
  return earlier
    .filter(({ sizeBytes, sha256 }) => end.sha256OfFirst.get(sizeBytes) === sha256)
    .toSorted((left, right) => right.sizeBytes - left.sizeBytes)[0]?.sourceId;
}

/** What has been decoded of a source, on its way into the store, where nobody sees it yet. */
class StagedImport {
  readonly tally = new ImportTally();
  readonly sink: SampleSink;
  readonly #points: Points;
  readonly #loadTestId: string;
  readonly #sourceId = `import-${randomUUID()}`;
  readonly #aggregator = new Aggregator();
  #sequence = 0;

  constructor(points: Points, loadTestId: string) {
    this.#points = points;
    this.#loadTestId = loadTestId;
    this.sink = {
      record: (batch) => {
        this.tally.recorded += batch.rows;
        this.#aggregator.record(batch);
      },
      reject: (rejection: Rejection) => this.tally.reject(rejection),
    };
  }

  async appendIfWanted(decoder: Decoder): Promise<void> {
    if (this.#aggregator.wantsSeal) await this.#append(decoder, this.#aggregator.seal());
  }

  async appendRest(decoder: Decoder): Promise<void> {
    const points = this.#aggregator.seal();
    if (points.second.length > 0) await this.#append(decoder, points);
  }

  async #append({ labels }: Decoder, points: DataPoints): Promise<void> {
    this.tally.addPoints(points);
    await this.#points.append({
      loadTestId: this.#loadTestId,
      sourceId: this.#sourceId,
      visibility: "staged",
      sequence: this.#sequence++,
      labels,
      points,
    });
  }

  async publish(
    source: Omit<PublishedSource, "loadTestId" | "sourceId">,
    replaces: string | undefined,
  ): Promise<{ readonly alreadyImported: boolean }> {
    const { duplicate } = await this.#points.publish(
      { ...source, loadTestId: this.#loadTestId, sourceId: this.#sourceId },
      replaces,
    );
    return { alreadyImported: duplicate };
  }

  /** Takes back what was appended. */
  discard(): Promise<void> {
    return this.#points.discard(this.#loadTestId, this.#sourceId);
  }
}
