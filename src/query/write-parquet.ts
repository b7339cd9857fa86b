import { paced } from "../concurrency/yielder.ts";
import { formatQuality } from "../decode/format-quality.ts";
import { NO_DIGEST } from "../decode/parquet/file-digest.ts";
import {
  type ExportMetadata,
  type FacetColumn,
  METADATA_VERSION,
} from "../decode/parquet/parquet-columns.ts";
import { ALL_SECONDS } from "../model/columns.ts";
import { compareLabels } from "../model/label.ts";
import type { Endpoint } from "../model/load-test.ts";
import { attributesOf } from "../model/load-test/attributes.ts";
import { UNSTORED_REASONS } from "../model/measures/measure-table.ts";
import { mergePoints } from "../model/merge-points.ts";
import { addRowQuality } from "../model/quality/row-quality.ts";
import { encodeReported, renumberReported } from "../model/reported-percentiles.ts";
import { FACETS_BEGIN, partsOfSeries } from "../model/series/facets.ts";
import { type SourceQuality, UNRECORDED } from "../model/source-quality.ts";
import type { SelectedPart } from "../series/endpoint-selection.ts";
import { openSnapshot, type Snapshots } from "../series/open-snapshot.ts";
import { ALL_SERIES } from "../series/series-groups.ts";
import type { EndpointIndex, Snapshot, VisibleSource } from "../store/snapshot.ts";
import type { ExportedPart } from "./parquet-rows.ts";
import { writeInThread } from "./export-thread.ts";
import { usersThatAddUp } from "./read-users.ts";
import { extentOf, hasRequests, readSourceFacts } from "./source-facts.ts";

/** A run as a Parquet file that is about to be written, from one snapshot. */
export interface ParquetExport {
  readonly revision: string;
  /** The bytes of the file; to be called at most once. Bounded memory. Throws what `Snapshot.read` throws. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Releases the snapshot. Must be called once. */
  release(): void;
}

/** Of the series that the selection chooses, each by itself unless it splits labels `by` facets. Throws `unknown-load-test`, `unknown-facet`. */
export async function openParquet(
  points: Snapshots,
  { loadTestId, selection }: Pick<SelectedPart, "loadTestId" | "selection">,
): Promise<ParquetExport> {
  const facets = selection.facets ?? ALL_SERIES;
  const shown = facets.by.length > 0 ? facets : { ...facets, areApart: true as const };
  const snapshot = await openSnapshot(points, loadTestId, { selection: { facets: shown } });
  return {
    revision: snapshot.revision,
    chunks: () => writeParquet(snapshot),
    release: () => snapshot.release(),
  };
}

async function* writeParquet(snapshot: Snapshot): AsyncGenerator<Uint8Array> {
  const sources = await snapshot.sources();
  const known = sources.filter(hasRequests).map(sourceQuality);
  const facets = await facetColumns(await snapshot.index());
  const metadata = JSON.stringify(await exportMetadata(snapshot, sources));
  const hasSizes = !known.every(({ unrecorded }) => unrecorded?.includes("sizes"));
  yield* writeInThread({ facets, metadata, hasSizes }, paced(partsOf(snapshot)));
}

async function facetColumns(index: EndpointIndex): Promise<readonly FacetColumn[]> {
  const found = new Set<FacetColumn>();
  for await (const endpoints of index.byLabel(await index.containing(FACETS_BEGIN))) {
    const facets = endpoints.flatMap(({ label }) => partsOfSeries(label).facets);
    for (const [name] of facets) found.add(`facet.${name}`);
  }
  return [...found].toSorted(compareLabels);
}

/** By endpoint, by load generator, then by measure. */
async function* partsOf(snapshot: Snapshot): AsyncGenerator<ExportedPart> {
  const index = await snapshot.index();
  const withoutPoints = new Set(index.numbers);
  for await (const points of index.scan(index.numbers, ALL_SECONDS, "outcomes")) {
    const endpoints = await index.named(Uint32Array.from(new Set(points.endpoint)));
    const failures = await Array.fromAsync(snapshot.failures(endpoints, ALL_SECONDS));
    for (const { endpoint } of failures) withoutPoints.delete(endpoint.number);
    yield { points, failures };
  }
  const endpoints = await index.named(Uint32Array.from(withoutPoints));
  if (endpoints.length > 0) {
    for await (const each of snapshot.failures(endpoints, ALL_SECONDS)) {
      yield { points: NO_POINTS, failures: [each] };
    }
  }
  yield* usersOf(snapshot);
  yield* measuresOf(snapshot);
}

async function* measuresOf(snapshot: Snapshot): AsyncGenerator<ExportedPart> {
  const { series } = await snapshot.measureIndex();
  if (series.length === 0) return;
  const index = await snapshot.index();
  const numbers = new Set(series.flatMap(({ label }) => label ?? []));
  const endpoints = await index.named(Uint32Array.from(numbers).toSorted());
  const labels = new Map(endpoints.map(({ number, label }) => [number, label]));
  for await (const measures of snapshot.measures(series, ALL_SECONDS)) {
    yield { measures, label: labels.get(measures.series[0]?.label ?? -1) };
  }
}

const NO_POINTS = mergePoints([]);

/** Generators of several sources are distinguished by a number, and no longer recognised as parts of one file. */
async function* usersOf(snapshot: Snapshot): AsyncGenerator<ExportedPart> {
  const sources = (await snapshot.sources()).map(({ sourceId }) => sourceId);
  for await (const users of usersThatAddUp(snapshot)) {
    const prefix = sources.length === 1 ? "" : `${1 + sources.indexOf(users.sourceId)}:`;
    yield { users: { ...users, generator: `${prefix}${users.generator}` } };
  }
}

type KnownQuality = ExportMetadata["quality"];

async function exportMetadata(
  snapshot: Snapshot,
  sources: readonly VisibleSource[],
): Promise<ExportMetadata> {
  const reported = await reportedOf(snapshot, sources.filter(hasRequests));
  const { unstored } = await snapshot.measureIndex();
  return {
    version: METADATA_VERSION,
    sha256: NO_DIGEST,
    loadTest: { id: snapshot.loadTest.id, ...attributesOf(snapshot.loadTest) },
    quality: qualityOf(sources, (await readSourceFacts(snapshot)).hasSizes),
    ...(reported === undefined ? {} : { reported }),
    ...(UNSTORED_REASONS.some((reason) => unstored[reason] > 0) && { unstored }),
  };
}

function sourceQuality({
  published,
  format,
  unrecorded,
  quality,
}: VisibleSource): Partial<SourceQuality> {
  const ofLive = { unrecorded: unrecorded ?? formatQuality(format).unrecorded, ...quality };
  return published?.quality ?? ofLive;
}

/** Measurements of sources without requests are not missing among the requests. */
function rowQualityOf(source: VisibleSource): Partial<SourceQuality> {
  const quality = sourceQuality(source);
  if (hasRequests(source)) return quality;
  const { measurements: _, ...others } = quality;
  return others;
}

/** A sum of sizes is known only if all are. */
function qualityOf(sources: readonly VisibleSource[], hasSizes: boolean): KnownQuality {
  const known = sources.filter(hasRequests).map(sourceQuality);
  const truncatedAtByte = known.find((each) => each.truncatedAtByte !== undefined)?.truncatedAtByte;
  const extent = extentOf(known.map((each) => each.extent));
  return {
    ...(extent && { extent }),
    unrecorded: UNRECORDED.filter((what) =>
      what === "sizes"
        ? !hasSizes
        : known.length > 0 && known.every(({ unrecorded }) => unrecorded?.includes(what)),
    ),
    ...(addRowQuality(sources.map(rowQualityOf)) ?? { rejectedRows: 0 }),
    ...(truncatedAtByte === undefined ? {} : { truncatedAtByte }),
  };
}

/** As elsewhere, percentiles of several sources are not reported. */
async function reportedOf(
  snapshot: Snapshot,
  [only, another]: readonly VisibleSource[],
): Promise<ExportMetadata["reported"]> {
  if (only === undefined || another !== undefined) return undefined;
  const reported = await snapshot.reported(only.sourceId);
  if (reported.second.length === 0) return undefined;
  const numbers = [...new Set(reported.endpoint)]
    .filter((each) => each > 0)
    .map((each) => each - 1);
  const index = await snapshot.index();
  const endpoints: readonly Endpoint[] = await index.named(
    Uint32Array.from(numbers.toSorted((a, b) => a - b)),
  );
  const places = new Map(endpoints.map(({ number }, place) => [number, place]));
  const columns = encodeReported(renumberReported(reported, (number) => places.get(number)));
  return {
    labels: endpoints.map(({ label }) => label),
    columns: Buffer.from(columns).toString("base64"),
  };
}
