import type { Extent } from "../model/source-quality.ts";
import type { MeasureSeriesJson, MeasuresJson } from "../api/measures.ts";
import {
  type MeasureSeries,
  type MeasureTable,
  labelsOfMeasures,
} from "../model/measures/measure-table.ts";
import { measuresWithin } from "../model/measures/select-measures.ts";
import {
  type MeasureSelector,
  ENDPOINT_TAG,
  isOfEndpoints,
  tagValue,
} from "../model/measures/measure-selector.ts";
import { keyOfSeries, mergeMeasures } from "../model/measures/merge-measures.ts";
import { LruCache } from "../concurrency/lru-cache.ts";
import { paced } from "../concurrency/yielder.ts";
import { ALL_SECONDS, type SecondRange, withoutSecondZero } from "../model/columns.ts";
import { ALL_ENDPOINTS, hashOfLabel } from "../series/endpoint-selection.ts";
import { type Snapshots, withSnapshot } from "../series/open-snapshot.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { distributionOf, extremesOf, MeasureSum, totalOf } from "./measure-figures.ts";
import { openOverall } from "./read-overall.ts";
import { asCounter, mayBeTotal } from "../model/measures/totals.ts";
import { overallNumbers } from "../series/selected-series.ts";

export interface MeasuresQuery {
  readonly loadTestId: string;
  /** `undefined`: all seconds. */
  readonly range: SecondRange | undefined;
  /** @default any */
  readonly name?: string | undefined;
  /** SHA-1 of a label, in lower case. @default any, or none */
  readonly endpoint?: string | undefined;
  /** Merges what it selects; then counters have a rate. @default each series by itself */
  readonly selector?: MeasureSelector | undefined;
  /** Further percentiles of distributions, each 0 to 100. @default none */
  readonly percents?: readonly number[] | undefined;
}

export interface MeasureSeriesQuery extends MeasuresQuery {
  readonly resolutionSeconds: number;
  /** Largest number of series to return. */
  readonly limit: number;
}

const MINUTE = 60;

/**
 * Reads the figures in `range`: of all series, or of those that a selector merges, in the same order. Of minutes that the range cuts,
 * percentiles are not known. Measures of endpoints that are stored by minute have the figures of the whole minutes in it; without one,
 * only `count` and `sum`, both 0. Throws `unknown-load-test`, `damaged-store`, `sum-too-large`.
 */
export async function readMeasures(points: Snapshots, query: MeasuresQuery): Promise<MeasuresJson> {
  const { range, selector, percents } = query;
  return withSnapshot(points, query, async (snapshot) => {
    const { series, unstored } = await snapshot.measureIndex();
    const all = await selected(snapshot, series, query);
    const { wanted, groupOf } = await groupsOf(snapshot, all, selector);
    const named = await namer(snapshot, wanted);
    const groups = new Map<string, Group>();
    for await (const table of readTables(snapshot, wanted, range)) {
      const [read] = table.series;
      const isByMinute = isStoredByMinute(table);
      const within = range === undefined ? table : cut(table, range, isByMinute);
      if (read === undefined || (within.sums.second.length === 0 && !isByMinute)) continue;
      const own = groupOf(read);
      const group = groups.get(keyOfSeries(own)) ?? { own, sum: new MeasureSum(), second: [] };
      group.sum.add(within);
      if (!isByMinute) group.isBySecond = true;
      if (group.sum.isEmpty) group.second = table.sums.second;
      groups.set(keyOfSeries(own), group);
    }
    const hasRate = selector !== undefined && [...groups.values()].some(({ own }) => isRated(own));
    const run = hasRate ? await spanOfRequests(points, snapshot, range ?? ALL_SECONDS) : undefined;
    const measures = [...groups.values()].map(({ own, sum, second, isBySecond }) => {
      const figures = sum.figures(percents) ?? { count: 0, sum: 0 };
      const span = sum.isEmpty
        ? { from: second[0] ?? 0, until: second.at(-1) ?? 0 }
        : { from: sum.from, until: sum.until };
      const over = secondsOf(run, isBySecond || run === undefined ? span : undefined);
      const rate = selector && isRated(own) && over > 0 ? { rate: figures.sum / over } : {};
      return { ...named(own), ...figures, ...rate, ...span };
    });
    return { measures, unstored };
  });
}

/** From the first request or value to the last: values before and after the run do not add to the rate in it. `span`: both included. */
function secondsOf(run: SecondRange | undefined, span: Extent | undefined): number {
  const from = Math.min(run?.from ?? Infinity, span?.from ?? Infinity);
  return Math.max(run?.until ?? 0, (span?.until ?? -1) + 1) - from;
}

/** Whether its values add up over time. */
function isRated({ kind }: MeasureSeries): boolean {
  return kind === "counter" || kind === "distribution";
}

interface Group {
  readonly own: MeasureSeries;
  readonly sum: MeasureSum;
  /** Whether its values have seconds, not minutes. */
  isBySecond?: boolean;
  /** Where its values are outside of the range. */
  second: ArrayLike<number> & { at(index: number): number | undefined };
}

/** Of the states of runs that were asked for last. */
const SPANS_KEPT = 100;

const knownSpans = new WeakMap<Snapshots, LruCache<string, { readonly span?: SecondRange }>>();

/** `readSpan`, which reads all endpoints, once for thousands of thresholds. */
async function spanOfRequests(
  points: Snapshots,
  snapshot: Snapshot,
  range: SecondRange,
): Promise<SecondRange | undefined> {
  const known = knownSpans.get(points) ?? new LruCache(SPANS_KEPT);
  knownSpans.set(points, known);
  const key = JSON.stringify([snapshot.loadTest.id, snapshot.revision, range]);
  const found = known.get(key);
  if (found !== undefined) return found.span;
  const span = await readSpan(snapshot, range);
  known.set(key, span === undefined ? {} : { span });
  return span;
}

/** From the first to the last request; `undefined` without any at a known time. */
async function readSpan(snapshot: Snapshot, range: SecondRange): Promise<SecondRange | undefined> {
  let [first, end] = [Infinity, 0];
  const { from, until } = withoutSecondZero(range);
  const overall = await openOverall(snapshot, ALL_ENDPOINTS);
  for await (const { columns } of paced(overall.sums({ from, until }))) {
    const { second, windowSeconds } = columns;
    for (let point = 0; point < second.length; point++) {
      const at = second[point] as number;
      first = Math.min(first, at);
      end = Math.max(end, at + (windowSeconds?.[point] ?? 1));
    }
  }
  return end > first ? { from: first, until: end } : undefined;
}

/** Reads series over time. Throws what `readMeasures` throws. */
export async function readMeasureSeries(
  points: Snapshots,
  query: MeasureSeriesQuery,
): Promise<MeasureSeriesJson> {
  const { resolutionSeconds, limit, range = ALL_SECONDS, selector } = query;
  return withSnapshot(points, query, async (snapshot) => {
    const all = await selected(snapshot, (await snapshot.measureIndex()).series, query);
    const { wanted, groupOf } = await groupsOf(snapshot, all, selector);
    const groups = [...Map.groupBy(wanted, (own) => keyOfSeries(groupOf(own))).values()];
    const shown = groups.slice(0, limit);
    const named = await namer(snapshot, shown.flat());
    const series: MeasureSeriesJson["series"][number][] = [];
    for (const group of shown) {
      const tables = await readGroup(snapshot, group, range);
      // Of gauges of a name, some may be totals.
      for (const alike of Map.groupBy(tables, ({ series: [own] }) => own?.kind).values()) {
        const table = group.length === 1 && !selector ? alike[0] : mergedTable(alike, groupOf);
        const [own] = table?.series ?? [];
        if (table === undefined || own === undefined) continue;
        const { last, ...intervals } = intervalsOf(table, resolutionSeconds);
        series.push({
          ...named(own),
          ...intervals,
          ...(last !== undefined && group.length === 1 && { last }),
        });
      }
    }
    const notShown = groups.length - shown.length + Math.max(0, series.length - limit);
    return { resolution: resolutionSeconds, series: series.slice(0, limit), notShown };
  });
}

/** Yields a table per series: with the whole minutes that a range cuts, and totals as counters with all seconds. */
async function* readTables(
  snapshot: Snapshot,
  series: readonly MeasureSeries[],
  range: SecondRange | undefined,
): AsyncGenerator<MeasureTable> {
  for (let from = 0; from < series.length;) {
    const isTotal = mayBeTotal(series[from] as MeasureSeries);
    let until = from + 1;
    while (until < series.length && mayBeTotal(series[until] as MeasureSeries) === isTotal)
      until += 1;
    // The first growth in a range begins before it.
    const read = isTotal ? ALL_SECONDS : widened(range);
    for await (const table of snapshot.measures(series.slice(from, until), read)) {
      yield asCounter(table);
    }
    from = until;
  }
}

/** To whole minutes: only who sees what is outside of the range knows which minutes it cuts. */
function widened(range: SecondRange | undefined): SecondRange {
  if (range === undefined) return ALL_SECONDS;
  const from = Math.floor(range.from / MINUTE) * MINUTE;
  return { from, until: Math.ceil(range.until / MINUTE) * MINUTE };
}

/** Reads series of one name. */
async function readGroup(
  snapshot: Snapshot,
  group: readonly MeasureSeries[],
  range: SecondRange,
): Promise<readonly MeasureTable[]> {
  const tables: MeasureTable[] = [];
  for await (const table of readTables(snapshot, group, range)) {
    tables.push(measuresWithin(table, range));
  }
  return tables;
}

/** Whether values have the first second of their minute, as those of endpoints without tags have. */
function isStoredByMinute({ series: [own], sums }: MeasureTable): boolean {
  return (
    own?.label !== undefined &&
    own.tags.length === 0 &&
    sums.second.length > 0 &&
    sums.second.every((second) => second % MINUTE === 0)
  );
}

function cut(table: MeasureTable, { from, until }: SecondRange, isByMinute: boolean): MeasureTable {
  if (!isByMinute) return measuresWithin(table, { from, until });
  const inside = {
    from: Math.ceil(from / MINUTE) * MINUTE,
    until: Math.floor(until / MINUTE) * MINUTE,
  };
  return measuresWithin(table, inside);
}

async function selected(
  snapshot: Snapshot,
  series: readonly MeasureSeries[],
  { name, endpoint }: MeasuresQuery,
): Promise<readonly MeasureSeries[]> {
  const numbers =
    endpoint === undefined ? undefined : new Set(await (await snapshot.index()).hashed([endpoint]));
  return series.filter(
    (each) =>
      (name === undefined || each.name === name) &&
      (numbers === undefined || (each.label !== undefined && numbers.has(each.label))),
  );
}

async function namer(snapshot: Snapshot, series: readonly MeasureSeries[]) {
  const byNumber = await readLabels(snapshot, series);
  return ({ label: number, name, unit, kind, tags }: MeasureSeries) => {
    const label = byNumber.get(number ?? -1);
    const endpoint = label === undefined ? {} : { endpoint: { hash: hashOfLabel(label), label } };
    return { name, unit, kind, tags: Object.fromEntries(tags), ...endpoint };
  };
}

async function groupsOf(
  snapshot: Snapshot,
  wanted: readonly MeasureSeries[],
  selector: MeasureSelector | undefined,
): Promise<MeasureGroups> {
  if (selector !== undefined) return groupMeasures(snapshot, wanted, selector);
  return { wanted, groupOf: (own) => own };
}

function mergedTable(
  tables: readonly MeasureTable[],
  groupOf: (series: MeasureSeries) => MeasureSeries,
): MeasureTable {
  return mergeMeasures(tables.map((table) => ({ ...table, series: table.series.map(groupOf) })));
}

type Series = MeasureSeriesJson["series"][number];

/** Returns the figures of a table of one series by intervals, which begin at multiples of their length. Throws `sum-too-large`. */
function intervalsOf(
  table: MeasureTable,
  resolutionSeconds: number,
): Omit<Series, "name" | "unit" | "kind" | "tags" | "endpoint"> {
  const { series, sums, gauges } = table;
  const runs = runsOf(sums.second, resolutionSeconds);
  const totals = runs.map(({ from, until }) => totalOf(sums, from, until));
  const columns = {
    seconds: runs.map(({ begin }) => begin),
    count: totals.map(({ count }) => count),
    sum: totals.map(({ sum }) => sum),
    mean: totals.map(({ sum, count }) => sum / count),
  };
  const kind = series[0]?.kind;
  if (kind === "distribution") {
    return { ...columns, distribution: distributionsOf(table, resolutionSeconds) };
  }
  if (kind !== "gauge") return columns;
  const extremes = runs.map(({ from, until }) => extremesOf(gauges, from, until));
  return {
    ...columns,
    min: extremes.map(({ min }) => min ?? null),
    max: extremes.map(({ max }) => max ?? null),
    last: runs.map(({ until }) => gauges.last[until - 1] as number),
  };
}

interface Run {
  /** Second at which the interval begins. */
  readonly begin: number;
  /** Rows, half open. */
  readonly from: number;
  readonly until: number;
}

function runsOf(second: Uint32Array, resolutionSeconds: number): readonly Run[] {
  const runs: Run[] = [];
  for (let from = 0; from < second.length;) {
    const at = second[from] as number;
    const begin = at - (at % resolutionSeconds);
    let until = from + 1;
    while (until < second.length && (second[until] as number) < begin + resolutionSeconds)
      until += 1;
    runs.push({ begin, from, until });
    from = until;
  }
  return runs;
}

function distributionsOf(
  { sums, histograms }: MeasureTable,
  resolutionSeconds: number,
): Series["distribution"] {
  const resolution = Math.ceil(resolutionSeconds / MINUTE) * MINUTE;
  const runs = runsOf(histograms.minute, resolution);
  const counts = new Map(
    runsOf(sums.second, resolution).map(({ begin, from, until }) => [
      begin,
      totalOf(sums, from, until).count,
    ]),
  );
  const figures = runs.map(({ begin, from, until }) =>
    distributionOf(histograms, from, until, counts.get(begin) ?? 0),
  );
  const column = (name: "min" | "max" | "p50" | "p95" | "p99") =>
    figures.map((each) => each[name] ?? null);
  return {
    resolution,
    seconds: runs.map(({ begin }) => begin),
    min: column("min"),
    max: column("max"),
    p50: column("p50"),
    p95: column("p95"),
    p99: column("p99"),
  };
}

interface MeasureGroups {
  /** Those that a selector selects, in order. */
  readonly wanted: readonly MeasureSeries[];
  /** The series that one is merged into. */
  readonly groupOf: (series: MeasureSeries) => MeasureSeries;
}

/**
 * Selects and groups series. Unless a selector is about endpoints, a measure is that of the run as a whole; one that only endpoints have
 * is merged over them, without transactions and sub-results, which repeat requests. Throws `damaged-store`.
 */
async function groupMeasures(
  snapshot: Snapshot,
  series: readonly MeasureSeries[],
  selector: MeasureSelector,
): Promise<MeasureGroups> {
  const { name, matches, by } = selector;
  const own = series.filter((each) => name === undefined || each.name === name);
  const areOfEndpoints = isOfEndpoints(selector);
  const labels = await readLabels(snapshot, areOfEndpoints ? own : []);
  const labelOf = ({ label }: MeasureSeries) => labels.get(label ?? -1);
  const known = areOfEndpoints
    ? own.filter((each) => tagValue(each, ENDPOINT_TAG, labelOf(each)) !== "")
    : await ofRun(snapshot, own);
  const wanted = known.filter((each) =>
    matches.every(
      ({ tag, value, isNot }) => (tagValue(each, tag, labelOf(each)) === value) !== isNot,
    ),
  );
  const isApart = (tag: string): boolean => by.includes(tag);
  return {
    wanted,
    groupOf: (each) => ({
      ...each,
      label: isApart(ENDPOINT_TAG) ? each.label : undefined,
      tags: each.tags.filter(([tag]) => isApart(tag)),
    }),
  };
}

async function ofRun(
  snapshot: Snapshot,
  series: readonly MeasureSeries[],
): Promise<readonly MeasureSeries[]> {
  if (series.every(({ label }) => label === undefined)) return series;
  const named = new Set(series.flatMap(({ label, name }) => (label === undefined ? name : [])));
  const index = await snapshot.index();
  const numbers = labelsOfMeasures({ series }).toSorted();
  const requests = new Set(overallNumbers(index, numbers, ALL_ENDPOINTS));
  return series.filter(
    ({ label, name }) => label === undefined || (!named.has(name) && requests.has(label)),
  );
}

/** By number of the endpoint. */
async function readLabels(
  snapshot: Snapshot,
  series: readonly MeasureSeries[],
): Promise<ReadonlyMap<number, string>> {
  const numbers = Uint32Array.from(new Set(labelsOfMeasures({ series }))).toSorted();
  const endpoints = numbers.length === 0 ? [] : await (await snapshot.index()).named(numbers);
  return new Map(endpoints.map(({ number, label }) => [number, label]));
}
