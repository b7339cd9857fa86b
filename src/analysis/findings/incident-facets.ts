/** Which value of a facet an incident lies in, such as one host. */

import type { FacetValue } from "../../api/findings.ts";
import type { SeriesColumns, SumColumns } from "../../model/data-points.ts";
import { mergeSeries, mergeSums } from "../../model/merge-points.ts";
import { type SecondRange, sumOf } from "../../model/columns.ts";
import { OTHER_VALUE, partsOfSeries } from "../../model/series/facets.ts";
import { CountTable } from "../../series/count-table.ts";
import { NO_VALUE } from "../../series/series-groups.ts";
import { paced } from "../../concurrency/yielder.ts";
import type { EndpointSeries } from "../../store/snapshot.ts";
import { AT_A_STEP, isSlower, type Sureness } from "./find-step.ts";
import type { FindingsScope } from "./findings-scope.ts";

/** Share of the failures of a burst that are of one value. */
const SHARE_OF_FAILURES = 0.95;

/** Probability that chance puts as many failures into any value, if each request fails alike. */
const CHANCE_MAX = 0.001;

/** Largest evidence for the incident that the requests of all other values may show. */
const HINT: Sureness = { ...AT_A_STEP, deviationsMin: 2, ratioMin: 1.2 };

type Apart<Columns> = ReadonlyMap<string, ReadonlyMap<string, readonly Columns[]>>;

/** Values with nearly all failures of a burst, more than their share of the requests explains. Throws `damaged-store`. */
export async function facetsOfBurst(
  scope: FindingsScope,
  range: SecondRange,
): Promise<readonly FacetValue[]> {
  const read = scope.unmerged?.read(await scope.series(), range, "sums");
  const apart = await apartByFacets<SumColumns>(read);
  const values = [...apart.values()].reduce((sum, { size }) => sum + size, 0);
  return explaining(apart, (own, others) => {
    const [sums, rest] = [mergeSums(own), mergeSums(others)];
    const [failed, requests] = [sumOf(sums.failedRequests), sumOf(sums.requests)];
    const allFailed = failed + sumOf(rest.failedRequests);
    const share = requests / (requests + sumOf(rest.requests));
    const isMost = failed >= SHARE_OF_FAILURES * allFailed;
    return isMost && chanceOfShare(failed, allFailed, share) * values <= CHANCE_MAX;
  });
}

/** The only values whose requests became slower at a step. Throws `damaged-store`. */
export async function facetsOfStep(
  scope: FindingsScope,
  before: SecondRange,
  after: SecondRange,
): Promise<readonly FacetValue[]> {
  const range = { from: before.from, until: after.until };
  const read = scope.unmerged?.read(await scope.series(), range, "distribution");
  return explaining(await apartByFacets<SeriesColumns>(read), (own, others) => {
    const [table, rest] = [new CountTable(mergeSeries(own)), new CountTable(mergeSeries(others))];
    const isEnough = [before, after].every((span) => rest.requests(span) >= AT_A_STEP.requestsMin);
    return (
      isEnough && isSlower(table, before, after, AT_A_STEP) && !isSlower(rest, before, after, HINT)
    );
  });
}

async function apartByFacets<Columns>(
  read: AsyncIterable<EndpointSeries<Columns>> | undefined,
): Promise<Apart<Columns>> {
  const all: (readonly [ReadonlyMap<string, string>, Columns])[] = [];
  if (read === undefined) return new Map();
  for await (const { endpoint, columns } of paced(read)) {
    all.push([new Map(partsOfSeries(endpoint.label).facets), columns]);
  }
  const names = new Set(all.flatMap(([facets]) => [...facets.keys()]));
  return new Map(
    [...names].map((name) => {
      const byValue = Map.groupBy(all, ([facets]) => facets.get(name) ?? NO_VALUE);
      const columns = [...byValue].map(
        ([value, own]) => [value, own.map(([, each]) => each)] as const,
      );
      return [name, new Map(columns)];
    }),
  );
}

/** Returns the values for which `explains` is true, given the columns of the value and of all other values of its facet. */
function explaining<Columns>(
  apart: Apart<Columns>,
  explains: (own: readonly Columns[], others: readonly Columns[]) => boolean,
): readonly FacetValue[] {
  return [...apart].flatMap(([name, values]) => {
    const found = [...values].find(([value, own]) => {
      if (value === NO_VALUE || value === OTHER_VALUE || values.size === 1) return false;
      const others = [...values].flatMap(([other, columns]) => (other === value ? [] : columns));
      return explains(own, others);
    });
    return found === undefined ? [] : [{ name, value: found[0] }];
  });
}

/** Upper bound of the probability of at least `count` of `all`, each with probability `share` (Chernoff's). */
function chanceOfShare(count: number, all: number, share: number): number {
  const found = count / all;
  if (found <= share) return 1;
  const rest = found === 1 ? 0 : (1 - found) * Math.log((1 - found) / (1 - share));
  return Math.exp(-all * (found * Math.log(found / share) + rest));
}
