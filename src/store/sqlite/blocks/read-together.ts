/**
 * Reads many endpoints from blocks that hold a few points of each, as those of live batches do until they are
 * merged: each block is opened once for as many endpoints as fit in memory, not once for each endpoint.
 */

import { Mutex } from "../../../concurrency/mutex.ts";
import { type SecondRange, viewSeries, withoutDefaults } from "../../../model/columns.ts";
import type { OutcomeColumns, SumColumns } from "../../../model/data-points.ts";
import type { Endpoint, LoadTest } from "../../../model/load-test.ts";
import { rangesByEndpoint, viewSums } from "../../series.ts";
import type { PointDetail, PointSums } from "../../snapshot.ts";
import type { BlockFile, BlockLoading } from "./attempt-block.ts";
import type { BlockRow } from "./block-rows.ts";
import type { FoundBlocks } from "./found-blocks.ts";
import type { MergedSeriesCache } from "./merged-series.ts";
import type { SegmentCache } from "./segment-cache.ts";
import { gatherPoints, type Scanned } from "./scan-blocks.ts";

/** Points in memory at once: some tens of megabytes with their histograms. */
const POINTS_AT_ONCE = 128 * 1024;

/** One at a time, as that much memory is taken twice while parts are merged. */
const gathering = new Mutex();

/** Fewer endpoints are read one by one. */
const ENDPOINTS_MIN = 8;

/**
 * Points to decode for each endpoint and mixed block, up to which decoding all of them at once (1.5 to 3 us a point) takes less than
 * finding those of one endpoint after the other: 5 to 10 us in a cached block, 30 to 80 in one that is opened again each time.
 */
const FEW_POINTS = { cached: 4, evicted: 12 };

export interface BlockPlace {
  readonly file: BlockFile;
  readonly cache: SegmentCache;
  readonly loadTest: LoadTest;
  readonly loading?: BlockLoading | undefined;
  /** Absent where not all sources are read. */
  readonly merged?: MergedSeriesCache | undefined;
}

interface Scattered extends Omit<Scanned, "isWanted"> {
  /** Endpoints in all the blocks. */
  readonly endpoints: number;
}

/** Returns the blocks to read together; `undefined` if endpoints are read one by one from the cache. */
export function scatteredBlocks(
  { file, cache, loadTest, loading }: BlockPlace,
  found: FoundBlocks,
  { range, endpoints }: { readonly range: SecondRange; readonly endpoints: number },
): Scattered | undefined {
  if (endpoints < ENDPOINTS_MIN) return undefined;
  const rows = found.allPoints(range);
  const mixed = rows.filter(({ endpoint_group: group }) => group === null);
  const few = cache.holds(mixed) ? FEW_POINTS.cached : FEW_POINTS.evicted;
  // Those of other blocks are decoded as well.
  const points = rows.reduce((sum, row) => sum + row.points, 0);
  if (mixed.length === 0 || points > few * mixed.length * endpoints) return undefined;
  return { file, loadTest, loading, rows, range, endpoints: found.numbers().length };
}

/** Whether the cache cannot hold the blocks of some endpoint: each is opened again for every endpoint of its group. */
export function areEvicted(cache: SegmentCache, rows: readonly BlockRow[]): boolean {
  if (cache.holds(rows)) return false;
  const byGroup = Map.groupBy(rows, ({ endpoint_group: group }) => group);
  return [...byGroup.values()].some((own) => !cache.holds(own));
}

/** See `EndpointIndex.scan`. `endpoints`: ascending by number. */
export async function* scanTogether(
  blocks: Scattered,
  endpoints: readonly Endpoint[],
  detail: PointDetail,
): AsyncGenerator<PointSums> {
  const size = endpointsAtOnce(blocks);
  for (let at = 0; at < endpoints.length; at += size) {
    const some = endpoints.slice(at, at + size);
    const points = await gathering.run(() => gatherPoints(blocks, some, detail));
    if (points.second.length > 0) yield points;
  }
}

/** See `Snapshot.read`; without columns if an endpoint has no points. */
export async function* readTogether(
  blocks: Scattered,
  endpoints: readonly Endpoint[],
  detail: PointDetail,
): AsyncGenerator<{
  readonly endpoint: Endpoint;
  readonly columns: SumColumns | OutcomeColumns | undefined;
}> {
  const size = endpointsAtOnce(blocks);
  // The columns depend on `detail`.
  const view = (detail === "sums" ? viewSums : viewSeries) as typeof viewSums;
  for (let at = 0; at < endpoints.length; at += size) {
    const some = endpoints.slice(at, at + size);
    const ascending = some.toSorted((left, right) => left.number - right.number);
    const gathered = await gathering.run(() => gatherPoints(blocks, ascending, detail));
    const points = detail === "outcomes" ? gathered : { ...gathered, outcomes: undefined };
    const runs = rangesByEndpoint(points.endpoint);
    for (const endpoint of some) {
      const run = runs.get(endpoint.number);
      // Others of these endpoints may need optional columns.
      yield { endpoint, columns: run && withoutDefaults(view(points, run.from, run.until)) };
    }
  }
}

function endpointsAtOnce({ rows, endpoints }: Scattered): number {
  const points = rows.reduce((sum, row) => sum + row.points, 0);
  return Math.max(1, Math.floor((POINTS_AT_ONCE * endpoints) / Math.max(1, points)));
}
