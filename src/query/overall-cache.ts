/**
 * All endpoints of a large index as one series, cached while the store keeps the index: to read
 * millions of endpoints takes seconds, and what is drawn and found of all of them is made of this alone.
 */

import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import { ALL_SECONDS } from "../model/second-range.ts";
import { SeriesMerger } from "../series/merge-all-series.ts";
import { Yielder } from "../concurrency/yielder.ts";
import type { EndpointIndex } from "../store/snapshot.ts";

type Columns = SumColumns & DistributionColumns;

/** Points and entries of histograms: some 25 MB. Hours of a load test, whatever its endpoints. */
const ROWS_MAX = 2_000_000;

const cached = new WeakMap<EndpointIndex, Promise<Columns | undefined>>();

/**
 * The endpoints with these numbers merged by second; `undefined` where that would be too large to be
 * cached. The numbers must always be the same. Throws what `EndpointIndex.scan` throws.
 */
export async function overallSeries(
  index: EndpointIndex,
  numbers: Uint32Array,
): Promise<Columns | undefined> {
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
): Promise<Columns | undefined> {
  const yielder = new Yielder();
  const merger = new SeriesMerger();
  for await (const { endpoint: _, ...columns } of index.scan(
    numbers,
    ALL_SECONDS,
    "distribution",
  )) {
    merger.add(columns);
    if (merger.mergedRows > ROWS_MAX) return undefined;
    if (yielder.isDue()) await yielder.next();
  }
  return merger.compact();
}
