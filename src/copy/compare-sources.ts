import { isDeepStrictEqual } from "node:util";
import type { Outcomes } from "../model/data-points.ts";
import type { LoadTestSummary } from "../model/load-test.ts";
import { type ReportedPercentiles, renumberReported } from "../model/reported-percentiles.ts";
import { chooseSamples, SAMPLE_BYTES_DEFAULT } from "../model/samples/sample-choice.ts";
import { ALL_SECONDS } from "../model/second-range.ts";
import { compareColumns, compareMembers, compareMeasures } from "./compare-columns.ts";
import { endpointChunks, readEndpoints } from "../series/source-batches.ts";
import type {
  GeneratorUsers,
  PublishedSource,
  SourceEndpoint,
  SourceReading,
  SourcesSnapshot,
  VisibleSource,
} from "../store/snapshot.ts";
import { formatQuality } from "../decode/format-quality.ts";
import type { QualityCounter, SourceQuality } from "../model/source-quality.ts";

const UNKNOWN_FORMAT = "unknown";

interface Comparison {
  readonly seconds: Pick<LoadTestSummary, "from" | "until">;
  /** Gets the number of points compared since the last call. */
  readonly compared: (points: number) => void;
}

/** Yields the differences of load test, sources and contents as sentences. */
export async function* compareSources(
  original: SourcesSnapshot,
  copy: SourcesSnapshot,
  comparison: Comparison,
): AsyncGenerator<string> {
  yield* compareMembers("the load test", original.loadTest, { ...copy.loadTest });
  const copies = new Map(copy.sources.map((source) => [source.sourceId, source]));
  for (const source of original.sources) {
    const other = copies.get(source.sourceId);
    copies.delete(source.sourceId);
    const name = `source "${source.sourceId}"`;
    if (other?.published === undefined) yield `${name} is missing in the copy`;
    else {
      // The quality of a live source follows from its contents, which are compared below.
      const expected = copiedSource(source, original.loadTest.id, other.published.quality);
      yield* compareMembers(name, expected, { ...other.published });
      yield* compareContents(source, other, comparison);
    }
  }
  for (const sourceId of copies.keys()) yield `source "${sourceId}" is in the copy alone`;
}

/** Returns the live sources of `original` that have changed since they were copied. */
export async function staleSources(
  original: SourcesSnapshot,
  copy: SourcesSnapshot,
  comparison: Comparison,
): Promise<readonly SourceReading[]> {
  const copies = new Map(copy.sources.map((source) => [source.sourceId, source]));
  const stale: SourceReading[] = [];
  for (const source of original.sources) {
    const other = copies.get(source.sourceId);
    if (source.published !== undefined || other?.published === undefined) continue;
    const current = liveQualityOf(source, { counted: other.published.quality });
    const expected = copiedSource(source, original.loadTest.id, current);
    if (!isDeepStrictEqual(expected, other.published)) continue;
    const differences = compareContents(source, other, comparison);
    if ((await differences.next()).done !== true) stale.push(source);
    await differences.return(undefined);
  }
  return stale;
}

async function* compareContents(
  original: SourceReading,
  copy: SourceReading,
  comparison: Comparison,
): AsyncGenerator<string> {
  yield* compareEndpoints(original, copy, comparison);
  yield* compareUsers(original, copy);
  yield* compareReported(original, copy);
  yield* compareMeasures(original, copy);
  yield* compareSamples(original, copy);
}

async function* compareSamples(
  original: SourceReading,
  copy: SourceReading,
): AsyncGenerator<string> {
  const [own, other] = await Promise.all(
    [original, copy].map(async (source) =>
      chooseSamples(await source.samples(), SAMPLE_BYTES_DEFAULT),
    ),
  );
  if (isDeepStrictEqual(own, other)) return;
  yield `samples of source "${original.sourceId}" differ in the copy`;
}

async function* compareEndpoints(
  original: SourceReading,
  copy: SourceReading,
  { seconds, compared }: Comparison,
): AsyncGenerator<string> {
  const [originals, copies] = [
    byLabel(await original.endpoints()),
    byLabel(await copy.endpoints()),
  ];
  for (const [label, { role }] of originals) {
    const other = copies.get(label);
    const name = nameOf(original, { label });
    if (other === undefined) yield `${name} is missing in the copy`;
    else if (other.role !== role) yield `${name}: role is ${role}, in the copy ${other.role}`;
  }
  for (const label of copies.keys()) {
    if (!originals.has(label)) yield `${nameOf(original, { label })} is in the copy alone`;
  }
  const both = [...originals.values()].filter(({ endpoint }) => copies.has(endpoint.label));
  for (const chunk of endpointChunks(both, seconds)) {
    const wanted = chunk.flatMap(({ endpoint }) => copies.get(endpoint.label) ?? []);
    yield* compareChunk(original, chunk, { copy, wanted, compared });
  }
}

function byLabel(endpoints: readonly SourceEndpoint[]): ReadonlyMap<string, SourceEndpoint> {
  return new Map(endpoints.map((each) => [each.endpoint.label, each]));
}

interface ChunkOfCopy extends Pick<Comparison, "compared"> {
  readonly copy: SourceReading;
  /** The endpoints with their numbers in the copy. */
  readonly wanted: readonly SourceEndpoint[];
}

async function* compareChunk(
  original: SourceReading,
  endpoints: readonly SourceEndpoint[],
  { copy, wanted, compared }: ChunkOfCopy,
): AsyncGenerator<string> {
  const others = readEndpoints(copy, wanted);
  try {
    for await (const { series, failures } of readEndpoints(original, endpoints)) {
      const other = await others.next();
      if (other.done === true) throw new Error("BUG: an endpoint was not answered");
      const name = nameOf(original, series.endpoint);
      const { outcomes, ...columns } = series.columns;
      const { outcomes: copiedOutcomes, ...copiedColumns } = other.value.series.columns;
      yield* compareColumns(name, columns, copiedColumns);
      const [known, copiedKnown] = [plainOutcomes(outcomes), plainOutcomes(copiedOutcomes)];
      yield* compareColumns(`outcomes of ${name}`, known, copiedKnown);
      const { endpoint: _, ...own } = failures;
      const { endpoint: __, ...copied } = other.value.failures;
      yield* compareColumns(`failures of ${name}`, own, copied);
      compared(series.columns.second.length);
    }
  } finally {
    await others.return(undefined);
  }
}

async function* compareUsers(original: SourceReading, copy: SourceReading): AsyncGenerator<string> {
  const copies = new Map<string, GeneratorUsers>();
  for await (const users of copy.users(ALL_SECONDS)) copies.set(users.generator, users);
  for await (const users of original.users(ALL_SECONDS)) {
    const name = `users "${users.generator}" of source "${original.sourceId}"`;
    const other = copies.get(users.generator);
    copies.delete(users.generator);
    if (other === undefined) yield `${name} are missing in the copy`;
    else yield* compareColumns(name, users, other);
  }
  for (const generator of copies.keys()) {
    yield `users "${generator}" of source "${original.sourceId}" are in the copy alone`;
  }
}

async function* compareReported(
  original: SourceReading,
  copy: SourceReading,
): AsyncGenerator<string> {
  const labels = (await original.endpoints()).map(({ endpoint }) => endpoint.label);
  const indexes = new Map(labels.map((label, index) => [label, index]));
  const name = `reported percentiles of source "${original.sourceId}"`;
  yield* compareColumns(name, await reportedBy(original, indexes), await reportedBy(copy, indexes));
}

/** With the endpoint numbers of the original. */
async function reportedBy(
  source: SourceReading,
  indexes: ReadonlyMap<string, number>,
): Promise<ReportedPercentiles> {
  const endpoints = await source.endpoints();
  const numbers = new Map(
    endpoints.map(({ endpoint: { number, label } }) => [number, indexes.get(label)]),
  );
  return renumberReported(await source.reported(), (number) => numbers.get(number));
}

function plainOutcomes(outcomes: Outcomes | undefined): object {
  if (outcomes === undefined) return { point: [] };
  const { failed, ...others } = outcomes;
  return { ...others, ...failed };
}

function nameOf({ sourceId }: SourceReading, { label }: { readonly label: string }): string {
  return `endpoint "${label}" of source "${sourceId}"`;
}

/**
 * Returns how a source is published in the target. Published sources stay as they are, so that the same file is
 * recognised. A live source is closed: its id becomes its name, its digest matches no file.
 */
export function copiedSource(
  { sourceId, published, format }: Pick<SourceReading, "sourceId" | "published" | "format">,
  loadTestId: string,
  liveQuality: SourceQuality,
): PublishedSource {
  if (published !== undefined) return published;
  return {
    loadTestId,
    sourceId,
    name: sourceId,
    format: format ?? UNKNOWN_FORMAT,
    sizeBytes: 0,
    digest: `live:${sourceId}`,
    quality: liveQuality,
  };
}

/** Returns the quality of a live source from its batches and points. */
export function liveQualityOf(
  { format, unrecorded = formatQuality(format).unrecorded, quality }: VisibleSource,
  { counted }: Pick<QualityCounter, "counted">,
): SourceQuality {
  return { ...counted, unrecorded, ...(quality ?? { rejectedRows: 0 }) };
}
