/** Reads the selection merged into one series (`overall.ts`). */

import type { SeriesColumns, SumColumns } from "../model/data-points.ts";
import { ALL_SECONDS, type SecondRange, spanOf } from "../model/columns.ts";
import { type EndpointSelection, isEverything } from "../series/endpoint-selection.ts";
import { selectNumbers, overallNumbers } from "../series/selected-series.ts";
import type { EndpointIndex, PointSums, Snapshot } from "../store/snapshot.ts";
import { mergeSeries } from "../model/merge-points.ts";
import { Merger } from "../series/merge-all-series.ts";
import { paced } from "../concurrency/yielder.ts";

/** Columns of one endpoint, or of several in sequence; several parts can have points of the same endpoint and second. */
interface Part<Columns> {
  readonly columns: Columns;
}

/** An overall result that can be read repeatedly. */
export interface Overall {
  sums(range: SecondRange): AsyncIterable<Part<SumColumns>>;
  distributions(range: SecondRange): AsyncIterable<Part<SeriesColumns>>;
}

export async function openOverall(
  snapshot: Snapshot,
  selection: EndpointSelection,
): Promise<Overall> {
  const index = await snapshot.index();
  const numbers = overallNumbers(index, await selectNumbers(index, selection), selection);
  const isCached = index.isLarge && isEverything(selection);
  const series = isCached ? await overallSeries(index, numbers) : undefined;
  return series === undefined ? scannedOverall(index, numbers) : cachedOverall(series);
}

function cachedOverall(series: SeriesColumns): Overall {
  async function* spanWithin(range: SecondRange) {
    yield { columns: spanOf(series, range) };
  }
  return { sums: spanWithin, distributions: spanWithin };
}

function scannedOverall(index: EndpointIndex, numbers: Uint32Array): Overall {
  return {
    async *sums(range) {
      for await (const points of index.scan(numbers, range, "sums", "any"))
        yield withoutEndpoints(points);
    },
    async *distributions(range) {
      for await (const points of index.scan(numbers, range, "distribution", "any")) {
        yield withoutEndpoints(points);
      }
    },
  };
}

function withoutEndpoints<Points extends PointSums>(
  points: Points,
): Part<Omit<Points, "endpoint">> {
  const { endpoint: _, ...columns } = points;
  return { columns };
}

/** Points and histogram entries: some 25 MB, or hours of a load test with any number of endpoints. */
const ROWS_MAX = 2_000_000;

const cached = new WeakMap<EndpointIndex, Promise<SeriesColumns | undefined>>();

/**
 * Merges the endpoints with these numbers, always the same, by second; cached with the index, as reading millions takes
 * seconds. `undefined` if too large for the cache. Throws what `EndpointIndex.scan` throws.
 */
async function overallSeries(
  index: EndpointIndex,
  numbers: Uint32Array,
): Promise<SeriesColumns | undefined> {
  const known = cached.get(index);
  if (known !== undefined) return known;
  const reading = readOverallSeries(index, numbers);
  cached.set(index, reading);
  try {
    return await reading;
  } catch (error) {
    cached.delete(index);
    throw error;
  }
}

async function readOverallSeries(
  index: EndpointIndex,
  numbers: Uint32Array,
): Promise<SeriesColumns | undefined> {
  const merger = new Merger(mergeSeries);
  const scanned = index.scan(numbers, ALL_SECONDS, "distribution", "any");
  for await (const { endpoint: _, ...columns } of paced(scanned)) {
    merger.add(columns);
    if (merger.mergedRows > ROWS_MAX) return undefined;
  }
  return merger.compact();
}
