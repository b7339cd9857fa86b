import type { NamedEndpoint } from "../../api/findings.ts";
import type { SeriesColumns, SumColumns } from "../../model/data-points.ts";
import { mergeSeries } from "../../model/merge-points.ts";
import { compareLabels } from "../../model/label.ts";
import type { Endpoint } from "../../model/load-test.ts";
import type { SecondRange } from "../../model/columns.ts";
import { type EndpointSelection, hashOfLabel } from "../../series/endpoint-selection.ts";
import { EndpointValues, firstByValue } from "../../series/first-endpoints.ts";
import { listByLabel, selectNumbers, overallNumbers } from "../../series/selected-series.ts";
import { ALL_SERIES, groupSeries } from "../../series/series-groups.ts";
import { mergeAllSeries } from "../../series/merge-all-series.ts";
import { openOverall, type Overall } from "../../query/read-overall.ts";
import { paced } from "../../concurrency/yielder.ts";
import { inWindows } from "../../query/coarse-points.ts";
import type { Snapshot } from "../../store/snapshot.ts";

export interface FindingsScope {
  readonly snapshot: Snapshot;
  readonly overall: Overall;
  /** The endpoints of `overall` by label; of a large index only the first `CANDIDATES_MAX` by `weightOf` in the range, if it is a number. */
  candidates(range: SecondRange, weightOf: WeightOf): Promise<readonly Endpoint[]>;
  readonly unmerged: Snapshot | undefined;
  /** The series of the endpoints of `overall`; none without facets, or if there are too many. */
  series(): Promise<readonly Endpoint[]>;
}

/** Some 100 MB with the distributions of two minutes. */
const SERIES_MAX = 20_000;

/** The points of an endpoint are `[from, until)`. */
export type WeightOf = (points: SumColumns, from: number, until: number) => number;

const CANDIDATES_MAX = 1000;

export async function openFindingsScope(
  snapshot: Snapshot,
  selection: EndpointSelection,
): Promise<FindingsScope> {
  const index = await snapshot.index();
  const overall = await openOverall(snapshot, selection);
  const numbers = overallNumbers(index, await selectNumbers(index, selection), selection);
  const { unmerged } = snapshot;
  return {
    snapshot,
    overall,
    unmerged,
    async series() {
      const stored = await unmerged?.index();
      const groups = stored && (await groupSeries(stored, selection.facets ?? ALL_SERIES));
      if (stored === undefined || groups === undefined || groups.marked.length === 0) return [];
      const found = Array.from(numbers, (number) => groups.seriesIn(number)).flat();
      if (found.length > SERIES_MAX) return [];
      const series = await stored.named(Uint32Array.from(found).toSorted());
      return series.map((each) => ({ ...each, label: groups.kept(each.label) }));
    },
    async candidates(range, weightOf) {
      if (!index.isLarge) return listByLabel(index, numbers);
      const found = new EndpointValues(index);
      for await (const points of paced(index.scan(numbers, range, "sums"))) {
        found.add(points, weightOf);
      }
      const request = { limit: CANDIDATES_MAX, isAscending: false };
      const first = await firstByValue(index, numbers, found.values, request);
      return first.toSorted((left, right) => compareLabels(left.label, right.label));
    },
  };
}

export function named({ label }: Endpoint): NamedEndpoint {
  return { label, hash: hashOfLabel(label) };
}

/** Sums all endpoints into windows of this length. Throws `sum-too-large`, `damaged-store`. */
export function readAsOne(
  { overall }: Pick<FindingsScope, "overall">,
  range: SecondRange,
  windowSeconds: number,
): Promise<SeriesColumns> {
  return mergeAllSeries(eachInWindows(overall.distributions(range), windowSeconds));
}

/** The same of one endpoint. */
export function readOne(
  { snapshot }: Pick<FindingsScope, "snapshot">,
  endpoint: Endpoint,
  range: SecondRange,
  windowSeconds: number,
): Promise<SeriesColumns> {
  const read = snapshot.read([endpoint], range, "distribution");
  return mergeAllSeries(eachInWindows(read, windowSeconds));
}

/** Merged before the sum, so that memory does not grow with the duration. */
async function* eachInWindows(
  all: AsyncIterable<{ readonly columns: SeriesColumns }>,
  windowSeconds: number,
): AsyncGenerator<{ readonly columns: SeriesColumns }> {
  for await (const { columns } of all) {
    yield { columns: inWindows(columns, windowSeconds, mergeSeries) };
  }
}
