/** The series of each label as one endpoint, or those with some facets. */

import type { SampleEntry } from "../model/samples/child-spans.ts";
import type { DataPoints, OutcomeColumns } from "../model/data-points.ts";
import { type SecondRange, type SumRoom, mapSums, viewSeries } from "../model/columns.ts";
import { mergeFailures } from "../model/failures.ts";
import type { Endpoint } from "../model/load-test.ts";
import { mergeMeasures } from "../model/measures/merge-measures.ts";
import type { MeasureSeries, MeasureTable } from "../model/measures/measure-table.ts";
import { compareSeries, keyOfSeries } from "../model/measures/merge-measures.ts";
import {
  mergeOutcomeSeries,
  mergePoints,
  mergePointSums,
  mergeSeries,
  mergeSums,
} from "../model/merge-points.ts";
import { NumberSet } from "../model/row-groups.ts";
import { renumberReported } from "../model/reported-percentiles.ts";
import { listedIndex } from "../store/listed-index.ts";
import type {
  EndpointFailures,
  EndpointIndex,
  EndpointSeries,
  PointDetail,
  PointSums,
  ScannedDetail,
  Snapshot,
} from "../store/snapshot.ts";
import { type FacetSelection, groupSeries, type SeriesGroups, shownName } from "./series-groups.ts";

/** Merges exactly: nobody can tell whether a label was stored as one series or as several. */
export function snapshotOfLabels(snapshot: Snapshot, selection: FacetSelection): Snapshot {
  let ofStore: Promise<EndpointIndex> | undefined;
  let ofGroups: Promise<EndpointIndex> | undefined;
  const indexOfStore = () => (ofStore ??= snapshot.index());
  const groups = async () => groupSeries(await indexOfStore(), selection);

  /** `undefined` also for measures of the run alone: looking at all endpoints takes long. */
  async function groupsOf(measures: readonly MeasureSeries[]): Promise<SeriesGroups | undefined> {
    const isAll = selection.where.length + selection.by.length === 0;
    const areOfRun = measures.every(({ label }) => label === undefined);
    return isAll && areOfRun ? undefined : groups();
  }

  async function index(): Promise<EndpointIndex> {
    const found = await groups();
    const reading = { read: read as Snapshot["read"] };
    return found === undefined
      ? indexOfStore()
      : indexOfGroups(await indexOfStore(), found, reading);
  }

  async function* read(
    endpoints: readonly Endpoint[],
    range: SecondRange,
    detail: PointDetail,
    room?: SumRoom,
  ): AsyncGenerator<EndpointSeries<OutcomeColumns>> {
    const parts = partsOf(endpoints, await groups());
    // `detail` determines the columns.
    const own = parts.series.length === endpoints.length ? room : undefined;
    const series = snapshot.read(parts.series, range, detail as "sums", own);
    const merge = MERGED[detail] as (columns: readonly OutcomeColumns[]) => OutcomeColumns;
    for await (const { endpoint, items } of parts.gather(series)) {
      const all = items.map((each) => each.columns as OutcomeColumns);
      // Of a label with measures alone, or beyond the range, there are none.
      const columns = all.filter(({ second }) => second.length > 0);
      const [only = all[0], another] = columns;
      yield { endpoint, columns: only && another === undefined ? only : merge(columns) };
    }
  }

  async function* failures(
    endpoints: readonly Endpoint[],
    range: SecondRange,
  ): AsyncGenerator<EndpointFailures> {
    const parts = partsOf(endpoints, await groups());
    for await (const each of parts.gather(snapshot.failures(parts.series, range))) {
      yield mergedFailures(each);
    }
  }

  /** Series of measures as shown, with those that are stored. */
  async function measured(): Promise<
    readonly { readonly shown: MeasureSeries; readonly stored: readonly MeasureSeries[] }[]
  > {
    const [found, { series }] = await Promise.all([groups(), snapshot.measureIndex()]);
    const pairs = series.flatMap((own) => {
      const as = shownAs(own, found);
      return as === undefined ? [] : [{ shown: as, stored: own }];
    });
    return [...Map.groupBy(pairs, ({ shown }) => keyOfSeries(shown)).values()]
      .map((same) => ({
        shown: (same[0] as (typeof pairs)[number]).shown,
        stored: same.map(({ stored }) => stored),
      }))
      .toSorted((one, other) => compareSeries(one.shown, other.shown));
  }

  return {
    ...snapshot,
    unmerged: snapshot,
    index: () => (ofGroups ??= index()),
    read: read as Snapshot["read"],
    failures,
    async measureIndex() {
      const stored = await snapshot.measureIndex();
      if ((await groupsOf(stored.series)) === undefined) return stored;
      return { ...stored, series: (await measured()).map(({ shown }) => shown) };
    },
    async *measures(wanted, range) {
      const found = await groupsOf(wanted);
      if (found === undefined) {
        yield* snapshot.measures(wanted, range);
        return;
      }
      const all = new Map((await measured()).map((each) => [keyOfSeries(each.shown), each.stored]));
      for (const shown of wanted) {
        const stored = all.get(keyOfSeries(shown)) ?? [];
        const tables: MeasureTable[] = [];
        for await (const table of snapshot.measures(stored, range)) {
          const series = table.series.map((each) => shownAs(each, found) ?? each);
          tables.push({ ...table, series });
        }
        yield mergeMeasures(tables);
      }
    },
    async samples() {
      const found = await groups();
      return (await snapshot.samples()).flatMap((sample): readonly SampleEntry[] => {
        if (sample.label === undefined) return [sample];
        const label = shownName(found?.kept(sample.label) ?? sample.label, selection);
        return label === undefined ? [] : [{ ...sample, label }];
      });
    },
    async reported(sourceId) {
      const reported = await snapshot.reported(sourceId);
      const found = reported.second.length === 0 ? undefined : await groups();
      if (found === undefined) return reported;
      // Those of one series are not those of several.
      return renumberReported(reported, (series) => {
        const group = found.groupOf(series);
        return group === undefined || found.seriesIn(group).length > 1 ? undefined : group;
      });
    },
  };
}

const MERGED = { sums: mergeSums, distribution: mergeSeries, outcomes: mergeOutcomeSeries };

function shownAs(
  series: MeasureSeries,
  groups: SeriesGroups | undefined,
): MeasureSeries | undefined {
  if (series.label === undefined || groups === undefined) return series;
  const label = groups.groupOf(series.label);
  return label === undefined ? undefined : { ...series, label };
}

/** The series of endpoints one after the other, and what was read of them by endpoint. */
function partsOf(endpoints: readonly Endpoint[], groups: SeriesGroups | undefined) {
  const seriesIn = ({ number }: Endpoint) => groups?.seriesIn(number) ?? [number];
  return {
    series: endpoints.flatMap((endpoint) =>
      seriesIn(endpoint).map((number) => ({ ...endpoint, number })),
    ),
    async *gather<Item>(read: AsyncIterable<Item>) {
      let [at, items]: [number, Item[]] = [0, []];
      for await (const item of read) {
        const endpoint = endpoints[at] as Endpoint;
        items.push(item);
        if (items.length < seriesIn(endpoint).length) continue;
        yield { endpoint, items };
        [at, items] = [at + 1, []];
      }
    },
  };
}

function mergedFailures({
  endpoint,
  items,
}: {
  readonly endpoint: Endpoint;
  readonly items: readonly EndpointFailures[];
}): EndpointFailures {
  const [only, another] = items;
  if (only !== undefined && another === undefined) return { ...only, endpoint };
  const { kinds, counts } = mergeFailures(
    items.map(({ kinds: own, kind, second, requests }) => ({
      kinds: own,
      counts: { endpoint: new Uint32Array(second.length), kind, second, requests },
    })),
  );
  return { endpoint, kinds, kind: counts.kind, second: counts.second, requests: counts.requests };
}

function indexOfGroups(
  index: EndpointIndex,
  groups: SeriesGroups,
  reading: Pick<Snapshot, "read">,
): EndpointIndex {
  const { listed } = groups;
  async function* scan(
    wanted: Uint32Array,
    range: SecondRange,
    detail: ScannedDetail,
  ): AsyncGenerator<never> {
    const all = Uint32Array.from(Array.from(wanted, (group) => groups.seriesIn(group)).flat());
    const stored = index.scan(all.toSorted(), range, detail as "sums");
    yield* (
      all.length === wanted.length ? stored : mergedScan(stored, groups, detail)
    ) as AsyncIterable<never>;
  }
  return listed === undefined
    ? { ...largeIndex(index, groups), scan }
    : listedIndex(listed, reading);
}

/** Points of a group that is not complete wait for its largest number, which is its own. */
async function* mergedScan(
  stored: AsyncIterable<PointSums>,
  { groupOf, seriesIn }: SeriesGroups,
  detail: ScannedDetail,
): AsyncGenerator<PointSums> {
  const isSums = detail === "sums";
  const merge = (parts: readonly PointSums[]): PointSums =>
    isSums ? mergePointSums(parts) : mergePoints(parts as readonly DataPoints[]);
  const waiting = new Map<number, PointSums[]>();
  const take = (until: number): PointSums[] => {
    const due = [...waiting].filter(([group]) => group <= until);
    for (const [group] of due) waiting.delete(group);
    return due.flatMap(([, parts]) => parts);
  };
  for await (const points of stored) {
    const { endpoint } = points;
    const now: PointSums[] = [];
    for (let from = 0; from < endpoint.length;) {
      const first = from;
      const group = groupOf(endpoint[from] as number) as number;
      const isAlone = seriesIn(group).length === 1;
      const belongs = (series: number): boolean => {
        const own = groupOf(series) as number;
        return isAlone ? seriesIn(own).length === 1 : own === group;
      };
      while (from < endpoint.length && belongs(endpoint[from] as number)) from += 1;
      const part = viewRows(points, first, from, isSums);
      if (isAlone) now.push(part);
      else {
        const held = { ...part, endpoint: new Uint32Array(from - first).fill(group) };
        waiting.set(group, [...(waiting.get(group) ?? []), held]);
      }
    }
    const due = [...now, ...take(endpoint.at(-1) as number)];
    if (due.length > 0) yield merge(due);
  }
  const rest = take(Infinity);
  if (rest.length > 0) yield merge(rest);
}

function viewRows(points: PointSums, from: number, until: number, isSums: boolean): PointSums {
  const endpoint = points.endpoint.subarray(from, until);
  if (!isSums) return { ...viewSeries(points as DataPoints, from, until), endpoint };
  return {
    ...mapSums(points, (column) => column.subarray(from, until) as typeof column),
    endpoint,
  };
}

/** Labels stay in the store; names sort as their labels. */
function largeIndex(
  index: EndpointIndex,
  { marked, labelOf, groupOf, numbers, roles }: SeriesGroups,
): Omit<EndpointIndex, "scan"> {
  const isMarked = new NumberSet(marked);
  const shown = (endpoints: readonly Endpoint[]): readonly Endpoint[] =>
    endpoints.map(({ number, label }) => {
      const role = roles.get(number);
      return { number, label: labelOf(label), ...(role && { role }) };
    });
  const groupsOf = (series: Iterable<number>): Uint32Array => {
    const found = Array.from(series, (number) => groupOf(number));
    return Uint32Array.from(new Set(found.filter((group) => group !== undefined))).toSorted();
  };
  return {
    isLarge: true,
    numbers,
    roles,
    async containing(text) {
      const found = await index.containing(text);
      const sure = found.filter((number) => !isMarked.has(number));
      const others = await index.named(found.filter((number) => isMarked.has(number)));
      const more = others.filter(({ label }) => labelOf(label).includes(text));
      return groupsOf([...sure, ...more.map(({ number }) => number)]);
    },
    hashed: async (hashes) => groupsOf(await index.hashed(hashes)),
    named: async (wanted) => shown(await index.named(wanted)),
    first: async (wanted, limit, order) => shown(await index.first(wanted, limit, order)),
    async *byLabel(wanted) {
      for await (const endpoints of index.byLabel(wanted)) yield shown(endpoints);
    },
  };
}
