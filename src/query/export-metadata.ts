import { UNSTORED_REASONS } from "../model/measures/measure-table.ts";
import { formatQuality } from "../decode/format-quality.ts";
import { encodeReported, renumberReported } from "../model/reported-percentiles.ts";
import { type SourceQuality, UNRECORDED } from "../model/source-quality.ts";
import type { Endpoint } from "../model/load-test.ts";
import type { Snapshot, VisibleSource } from "../store/snapshot.ts";
import { NO_DIGEST } from "../decode/parquet/file-digest.ts";
import { type ExportMetadata, METADATA_VERSION } from "../decode/parquet/parquet-columns.ts";

type KnownQuality = ExportMetadata["quality"];

export async function exportMetadata(snapshot: Snapshot): Promise<ExportMetadata> {
  const sources = await snapshot.sources();
  const { id, name, tags } = snapshot.loadTest;
  const reported = await reportedOf(snapshot, sources);
  const { unstored } = await snapshot.measureIndex();
  return {
    version: METADATA_VERSION,
    sha256: NO_DIGEST,
    loadTest: { id, name, tags },
    quality: qualityOf(sources),
    ...(reported === undefined ? {} : { reported }),
    ...(UNSTORED_REASONS.some((reason) => unstored[reason] > 0) && { unstored }),
  };
}

function qualityOf(sources: readonly VisibleSource[]): KnownQuality {
  const known = sources.map(({ published, format, unrecorded }): Partial<SourceQuality> => {
    return published?.quality ?? { unrecorded: unrecorded ?? formatQuality(format).unrecorded };
  });
  const truncatedAtByte = known.find((each) => each.truncatedAtByte !== undefined)?.truncatedAtByte;
  return {
    unrecorded: UNRECORDED.filter(
      (what) => known.length > 0 && known.every(({ unrecorded }) => unrecorded?.includes(what)),
    ),
    rejectedRows: known.reduce((sum, { rejectedRows = 0 }) => sum + rejectedRows, 0),
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
