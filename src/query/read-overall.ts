/** Reading all that is selected as one (`overall.ts`), where nobody asks which endpoint a point is of. */

import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import type { SecondRange } from "../model/second-range.ts";
import { type EndpointSelection, isEverything } from "../series/endpoint-selection.ts";
import { selectNumbers, overallNumbers } from "../series/selected-series.ts";
import { overallSeries } from "./overall-cache.ts";
import { spanOf } from "../series/series-span.ts";
import type { EndpointIndex, PointSums, Snapshot } from "../store/snapshot.ts";

/** Columns of one endpoint, or of several one after the other. */
interface Part<Columns> {
  readonly columns: Columns;
}

/** An overall result that is about to be read, as often as it takes. */
export interface Overall {
  sums(range: SecondRange): AsyncIterable<Part<SumColumns>>;
  distributions(range: SecondRange): AsyncIterable<Part<SumColumns & DistributionColumns>>;
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

function cachedOverall(series: SumColumns & DistributionColumns): Overall {
  async function* spanWithin(range: SecondRange) {
    const columns = spanOf(series, range);
    const first = columns.bucketsFrom[0] ?? 0;
    yield { columns: { ...columns, bucketsFrom: columns.bucketsFrom.map((each) => each - first) } };
  }
  return { sums: spanWithin, distributions: spanWithin };
}

function scannedOverall(index: EndpointIndex, numbers: Uint32Array): Overall {
  return {
    async *sums(range) {
      for await (const points of index.scan(numbers, range, "sums")) yield withoutEndpoints(points);
    },
    async *distributions(range) {
      for await (const points of index.scan(numbers, range, "distribution")) {
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
