import { paced } from "../../concurrency/yielder.ts";
import { downsampleMeasures } from "../../model/measures/downsample-measures.ts";
import {
  type MeasureSeries,
  type MeasureTable,
  NO_MEASURES,
} from "../../model/measures/measure-table.ts";
import { mergeMeasures } from "../../model/measures/merge-measures.ts";
import type { SecondRange } from "../../model/second-range.ts";
import type { Snapshot } from "../../store/snapshot.ts";
import { type GatheredSeries, GRAINS, type Span, WINDOWS_MIN } from "./gather-points.ts";

export interface GatheredMeasures {
  /** Labels are places in the report. */
  readonly table: MeasureTable;
  /** Windows begin at multiples of it. */
  readonly grainSeconds: number;
  /** Series that would make the report too large. */
  readonly leftOut: number;
}

interface MeasuresRequest {
  readonly range: SecondRange;
  /** Points in the report: its endpoints by place. */
  readonly series: readonly GatheredSeries[];
  readonly span: Span;
  /** That of the points, the finest one for measures. */
  readonly grainSeconds: number;
}

/** Compressed, approximately. */
const BYTES_MAX = 500_000;

/** Compressed bytes of rows and of a histogram entry. */
const BYTES = { sums: 2.2, gauges: 10, histograms: 8, entries: 1.1 };

/**
 * Reads the measures of the load test and of the endpoints of a report, at the finest grain that keeps them small. If the
 * coarsest one does not, series of the endpoints with the fewest requests are left out. Throws `damaged-store`, `sum-too-large`.
 */
export async function gatherMeasures(
  snapshot: Snapshot,
  { range, series, span, ...request }: MeasuresRequest,
  bytesMax = BYTES_MAX,
): Promise<GatheredMeasures> {
  const places = new Map(series.map(({ endpoint }, place) => [endpoint.number, place]));
  const requests = series.map(({ points }) => points.requests.reduce((sum, own) => sum + own, 0));
  const rankOf = ({ label }: MeasureSeries): number =>
    label === undefined ? Infinity : (requests[places.get(label) as number] as number);
  const index = await snapshot.measureIndex();
  const wanted = index.series
    .filter(({ label }) => label === undefined || places.has(label))
    .toSorted((left, right) => Math.sign(rankOf(right) - rankOf(left)) || 0);
  const seconds = (span.until ?? 0) + 1 - (span.from ?? 0);
  let tables: MeasureTable[] = [];
  let { grainSeconds } = request;
  let [bytes, leftOut] = [0, 0];
  for await (const table of paced(snapshot.measures(wanted, range))) {
    if (table.sums.second.length === 0) continue;
    const own = coarse(table, grainSeconds);
    tables.push(own);
    bytes += bytesOf(own);
    while (bytes > bytesMax) {
      const coarser = GRAINS.find((grain) => grain > grainSeconds);
      if (coarser === undefined || seconds / coarser < WINDOWS_MIN) break;
      grainSeconds = coarser;
      tables = tables.map((each) => coarse(each, coarser));
      bytes = tables.reduce((sum, each) => sum + bytesOf(each), 0);
    }
    if (bytes > bytesMax) {
      bytes -= bytesOf(tables.pop() ?? NO_MEASURES);
      leftOut += 1;
    }
  }
  const placed = tables.map((table) => ({
    ...table,
    series: table.series.map((each) =>
      each.label === undefined ? each : { ...each, label: places.get(each.label) },
    ),
  }));
  return {
    table: mergeMeasures([...placed, { ...NO_MEASURES, unstored: index.unstored }]),
    grainSeconds,
    leftOut,
  };
}

function coarse(table: MeasureTable, windowSeconds: number): MeasureTable {
  if (windowSeconds === 1) return table;
  return downsampleMeasures(table, { windowSeconds, firstSecond: 0 });
}

function bytesOf({ sums, gauges, histograms }: MeasureTable): number {
  return (
    sums.second.length * BYTES.sums +
    gauges.second.length * BYTES.gauges +
    histograms.minute.length * BYTES.histograms +
    histograms.bucket.length * BYTES.entries
  );
}
