import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import type { Endpoint } from "../model/load-test.ts";
import type { SecondRange } from "../model/second-range.ts";
import type { Snapshot } from "../store/store.ts";
import { hashOfLabel } from "./endpoint-selection.ts";
import { mergeAllSeries } from "./merge-all-series.ts";
import type { TimeSlice } from "./time-slice.ts";
import { inWindows } from "./windows.ts";

/** What findings are looked for in. */
export interface FindingsScope {
  readonly snapshot: Snapshot;
  readonly endpoints: readonly Endpoint[];
  readonly slice: TimeSlice;
}

export interface NamedEndpoint {
  readonly label: string;
  readonly hash: string;
}

export function named({ label }: Endpoint): NamedEndpoint {
  return { label, hash: hashOfLabel(label) };
}

/** All endpoints as one, in windows of so many seconds. Throws `sum-too-large`, `damaged-store`. */
export function readAsOne(
  { snapshot, endpoints, slice }: FindingsScope,
  range: SecondRange,
  windowSeconds: number,
): Promise<SumColumns & DistributionColumns> {
  return mergeAllSeries(
    eachInWindows(snapshot.read(endpoints, range, "distribution"), windowSeconds),
    slice,
  );
}

/** Before they are merged, so that a load test of days takes no more memory than one of hours. */
async function* eachInWindows(
  all: AsyncIterable<{ readonly columns: SumColumns & DistributionColumns }>,
  windowSeconds: number,
): AsyncGenerator<{ readonly columns: SumColumns & DistributionColumns }> {
  for await (const { columns } of all) yield { columns: inWindows(columns, windowSeconds) };
}
