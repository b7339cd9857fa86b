import type { DataPoints, DistributionColumns, SumColumns } from "../model/data-points.ts";
import { type Outcome } from "../model/outcomes.ts";
import { pointsOfOutcome } from "./points-of-outcome.ts";
import { NO_PERCENTILES } from "../model/reported-percentiles.ts";
import type { SecondRange } from "../model/second-range.ts";
import type { Endpoint } from "../model/load-test.ts";
import type { EndpointIndex, EndpointSeries, Snapshot } from "../store/snapshot.ts";

/**
 * Returns a snapshot in which only the passed or the failed requests have been made: everything that reads points
 * reads theirs. What load tools reported is of all requests, so that nothing is reported.
 */
export function snapshotOfOutcome(snapshot: Snapshot, outcome: Outcome): Snapshot {
  async function* read(
    endpoints: readonly Endpoint[],
    range: SecondRange,
  ): AsyncGenerator<EndpointSeries<SumColumns & DistributionColumns>> {
    for await (const { endpoint, columns } of snapshot.read(endpoints, range, "outcomes")) {
      yield { endpoint, columns: pointsOfOutcome(columns, outcome) };
    }
  }
  return {
    ...snapshot,
    index: async () => indexOfOutcome(await snapshot.index(), outcome),
    read,
    reported: async () => NO_PERCENTILES,
  };
}

function indexOfOutcome(index: EndpointIndex, outcome: Outcome): EndpointIndex {
  async function* scan(numbers: Uint32Array, range: SecondRange): AsyncGenerator<DataPoints> {
    for await (const points of index.scan(numbers, range, "outcomes")) {
      const own = pointsOfOutcome(points, outcome);
      if (own.second.length > 0) yield own;
    }
  }
  return { ...index, scan };
}
