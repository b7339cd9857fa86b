/** Reading all that is selected as one (`whole.ts`), where nobody asks which endpoint a point is of. */

import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import type { SecondRange } from "../model/second-range.ts";
import { type EndpointSelection, isEverything } from "../series/endpoint-selection.ts";
import { selectNumbers, wholeNumbers } from "../series/many-selected.ts";
import { wholeSeries } from "./kept-whole.ts";
import { spanOf } from "../series/series-span.ts";
import type { TimeSlice } from "../series/time-slice.ts";
import { selectWhole } from "../series/whole.ts";
import type { ManyEndpoints, PointSums, Snapshot } from "../store/snapshot.ts";

/** Columns of one endpoint, or of several one after the other. */
interface Part<Columns> {
  readonly columns: Columns;
}

/** A whole that is about to be read, as often as it takes. */
export interface Whole {
  sums(range: SecondRange): AsyncIterable<Part<SumColumns>>;
  distributions(range: SecondRange): AsyncIterable<Part<SumColumns & DistributionColumns>>;
}

export async function openWhole(
  snapshot: Snapshot,
  selection: EndpointSelection,
  slice: TimeSlice,
): Promise<Whole> {
  const many = await snapshot.many?.();
  if (many !== undefined) return openWholeOfMany(many, selection);
  const endpoints = await selectWhole(await snapshot.endpoints(), selection, slice);
  return {
    sums: (range) => snapshot.read(endpoints, range, "sums"),
    distributions: (range) => snapshot.read(endpoints, range, "distribution"),
  };
}

async function openWholeOfMany(many: ManyEndpoints, selection: EndpointSelection): Promise<Whole> {
  const numbers = wholeNumbers(many, await selectNumbers(many, selection), selection);
  const series = isEverything(selection) ? await wholeSeries(many, numbers) : undefined;
  return series === undefined ? scannedWhole(many, numbers) : keptWhole(series);
}

function keptWhole(series: SumColumns & DistributionColumns): Whole {
  async function* spanWithin(range: SecondRange) {
    const columns = spanOf(series, range);
    const first = columns.bucketsFrom[0] ?? 0;
    yield { columns: { ...columns, bucketsFrom: columns.bucketsFrom.map((each) => each - first) } };
  }
  return { sums: spanWithin, distributions: spanWithin };
}

function scannedWhole(many: ManyEndpoints, numbers: Uint32Array): Whole {
  return {
    async *sums(range) {
      for await (const points of many.scan(numbers, range, "sums")) yield withoutEndpoints(points);
    },
    async *distributions(range) {
      for await (const points of many.scan(numbers, range, "distribution")) {
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
