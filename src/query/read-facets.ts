import type { FacetsJson } from "../api/facets.ts";
import { compareLabels } from "../model/label.ts";
import { FACETS_BEGIN, partsOfSeries } from "../model/series/facets.ts";
import { requireLoadTest } from "../model/load-test.ts";
import { ALL_SECONDS } from "../model/second-range.ts";
import type { Snapshots } from "../series/open-snapshot.ts";
import { NO_VALUE } from "../series/series-groups.ts";
import { paced } from "../concurrency/yielder.ts";

/** Facets of the requests that count, with all values: requests without one have their own. Throws `unknown-load-test`, `damaged-store`. */
export async function readFacets(points: Snapshots, loadTestId: string): Promise<FacetsJson> {
  const snapshot = requireLoadTest(await points.snapshot(loadTestId), loadTestId);
  try {
    const index = await snapshot.index();
    const marked = await index.containing(FACETS_BEGIN);
    if (marked.length === 0) return { facets: [] };
    const requests = new Float64Array((index.numbers.at(-1) as number) + 1);
    let total = 0;
    for await (const sums of paced(index.scan(index.numbers, ALL_SECONDS, "sums"))) {
      for (const [row, endpoint] of sums.endpoint.entries()) {
        if (index.roles.has(endpoint)) continue;
        const count = sums.requests[row] as number;
        requests[endpoint] = (requests[endpoint] as number) + count;
        total += count;
      }
    }
    const counts = new Map<string, Map<string, number>>();
    for await (const endpoints of index.byLabel(marked)) {
      for (const { number, label } of endpoints) {
        for (const [name, value] of partsOfSeries(label).facets) {
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

function facetJson(name: string, values: ReadonlyMap<string, number>, total: number) {
  const known = [...values].filter(([, requests]) => requests > 0);
  const rest = total - known.reduce((sum, [, requests]) => sum + requests, 0);
  const all = rest > 0 ? [...known, [NO_VALUE, rest] as const] : known;
  return {
    name,
    values: all
      .map(([value, requests]) => ({ value, requests }))
      .toSorted(
        (one, other) => other.requests - one.requests || compareLabels(one.value, other.value),
      ),
  };
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return compareLabels(one, other);
}
