import type { FacetsJson } from "../api/facets.ts";
import { compareLabels } from "../model/label.ts";
import { partsOfSeries } from "../model/series/facets.ts";
import { requireLoadTest } from "../model/load-test.ts";
import { ALL_SECONDS } from "../model/columns.ts";
import type { Snapshots } from "../series/open-snapshot.ts";
import type { SelectedPart } from "../series/endpoint-selection.ts";
import { ALL_SERIES, groupSeries, NO_VALUE, type SeriesGroups } from "../series/series-groups.ts";
import type { EndpointIndex } from "../store/snapshot.ts";
import { paced } from "../concurrency/yielder.ts";

/**
 * Facets of the requests that count, or of those that are chosen, with all values: requests without one have their own. Throws
 * `unknown-load-test`, `unknown-facet`, `damaged-store`.
 */
export async function readFacets(
  points: Snapshots,
  { loadTestId, selection: { facets } }: Pick<SelectedPart, "loadTestId" | "selection">,
): Promise<FacetsJson> {
  const snapshot = requireLoadTest(await points.snapshot(loadTestId), loadTestId);
  try {
    const index = await snapshot.index();
    const groups = await groupSeries(index, facets ?? ALL_SERIES);
    if (groups === undefined) return { facets: [] };
    const { requests, total } = await countShown(index, groups);
    const counts = new Map<string, Map<string, number>>();
    for await (const endpoints of index.byLabel(groups.marked)) {
      for (const { number, label } of endpoints) {
        for (const [name, value] of partsOfSeries(groups.kept(label)).facets) {
          const values = counts.get(name) ?? new Map<string, number>();
          counts.set(name, values.set(value, (values.get(value) ?? 0) + (requests[number] ?? 0)));
        }
      }
    }
    return {
      facets: [...counts].toSorted(byName).map(([name, values]) => facetJson(name, values, total)),
    };
  } finally {
    snapshot.release();
  }
}

/** Counts requests by series, without transactions and sub-results, which repeat others. */
async function countShown(index: EndpointIndex, { groupOf }: SeriesGroups) {
  const { numbers, roles } = index;
  const requests = new Float64Array((numbers.at(-1) as number) + 1);
  let total = 0;
  for await (const sums of paced(index.scan(numbers, ALL_SECONDS, "sums"))) {
    for (const [row, endpoint] of sums.endpoint.entries()) {
      if (roles.has(endpoint) || groupOf(endpoint) === undefined) continue;
      const count = sums.requests[row] as number;
      requests[endpoint] = (requests[endpoint] as number) + count;
      total += count;
    }
  }
  return { requests, total };
}

function facetJson(name: string, values: ReadonlyMap<string, number>, total: number) {
  const rest = total - [...values.values()].reduce((sum, requests) => sum + requests, 0);
  // A value may be called like this, too.
  const all = new Map(values).set(NO_VALUE, (values.get(NO_VALUE) ?? 0) + rest);
  return {
    name,
    values: [...all]
      .flatMap(([value, requests]) => (requests > 0 ? [{ value, requests }] : []))
      .toSorted(
        (one, other) => other.requests - one.requests || compareLabels(one.value, other.value),
      ),
  };
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return compareLabels(one, other);
}
