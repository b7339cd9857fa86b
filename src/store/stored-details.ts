/** Failures, reported percentiles and active users of a batch in the form that all stores use. */

import { type FailureTable, NO_FAILURES, mergeFailures } from "../model/failures.ts";
import type { Endpoint } from "../model/load-test.ts";
import { type SecondRange, lowerBound } from "../model/columns.ts";
import type { NumbersOfLabels } from "./label-limit.ts";
import { indexesOf } from "./series.ts";
import type { PointBatch } from "./store.ts";
import type { EndpointFailures, GeneratorUsers, MeasureIndex } from "./snapshot.ts";
import {
  NO_PERCENTILES,
  type ReportedPercentiles,
  renumberReported,
} from "../model/reported-percentiles.ts";
import { type UserTable, mergeUsers } from "../model/active-users.ts";
import { compareLabels } from "../model/label.ts";
import { choiceIn, derivedRole, type StoredRole, strongerRole } from "../model/role.ts";
import {
  MEASURE_SERIES_MAX,
  type MeasureSeries,
  type MeasureTable,
  minuteOf,
  NO_MEASURES,
  SECONDS_PER_MINUTE,
} from "../model/measures/measure-table.ts";
import {
  addUnstored,
  compareSeries,
  keyOfSeries,
  mergeMeasures,
} from "../model/measures/merge-measures.ts";
import { keptMeasures, measuresWithin, selectSeries } from "../model/measures/select-measures.ts";
import { canonicalSeries } from "../model/measures/series-limits.ts";
import { addMeasurements, type Measurement } from "../model/quality/row-quality.ts";

/** The failures of a batch by endpoint number, in well-formed Unicode, merged into a canonical table. */
export function storedFailures(
  { failures }: PointBatch,
  { numbers }: NumbersOfLabels,
): FailureTable {
  if (failures === undefined) return NO_FAILURES;
  const { kinds, counts } = failures;
  return mergeFailures([
    {
      kinds: kinds.map(({ code, message }) => ({
        code: code.toWellFormed(),
        message: message.toWellFormed(),
      })),
      counts: { ...counts, endpoint: counts.endpoint.map((index) => numbers[index] as number) },
    },
  ]);
}

/** Returns the failures of one endpoint in a range, from all parts. Throws `sum-too-large`. */
export function failuresOf(
  parts: readonly FailureTable[],
  endpoint: Endpoint,
  range: SecondRange,
): EndpointFailures {
  const own = parts.map((part) => selectFailures(part, endpoint.number, range));
  const { kinds, counts } = mergeFailures(own);
  const { kind, second, requests } = counts;
  return { endpoint, kinds, kind, second, requests };
}

/** Its table is sorted by endpoint. */
function selectFailures(
  { kinds, counts }: FailureTable,
  endpoint: number,
  range: SecondRange,
): FailureTable {
  const first = lowerBound(counts.endpoint, endpoint);
  const last = lowerBound(counts.endpoint, endpoint + 1);
  const second = counts.second.subarray(first, last);
  const isWanted = (_: number, row: number) => {
    const at = second[row] as number;
    return at >= range.from && at < range.until;
  };
  return {
    kinds,
    counts: {
      endpoint: counts.endpoint.subarray(first, last).filter(isWanted),
      kind: counts.kind.subarray(first, last).filter(isWanted),
      second: second.filter(isWanted),
      requests: counts.requests.subarray(first, last).filter(isWanted),
    },
  };
}

/** Returns the reported percentiles of a batch, by endpoint number. */
export function storedReported(
  { reported }: PointBatch,
  { numbers }: NumbersOfLabels,
): ReportedPercentiles {
  return reported === undefined
    ? NO_PERCENTILES
    : renumberReported(reported, (label) => numbers[label]);
}

export const NO_USERS: UserTable = {
  generators: [],
  counts: {
    generator: new Uint32Array(0),
    second: new Uint32Array(0),
    active: new Float64Array(0),
    started: new Float64Array(0),
    ended: new Float64Array(0),
  },
};

export interface SourceUsers {
  readonly sourceId: string;
  readonly users: UserTable;
}

/** Returns the users of a batch, with generators of well-formed Unicode, merged into a canonical table. */
export function storedUsers({ users }: PointBatch): UserTable {
  if (users === undefined) return NO_USERS;
  const generators = users.generators.map((name) => name.toWellFormed());
  return mergeUsers([{ generators, counts: users.counts }]);
}

/** Returns the users of each generator in a range, from all parts, in order. Throws `sum-too-large`. */
export function* usersOf(
  parts: readonly SourceUsers[],
  range: SecondRange,
): Generator<GeneratorUsers> {
  const bySource = Map.groupBy(parts, ({ sourceId }) => sourceId);
  for (const sourceId of [...bySource.keys()].toSorted(compareLabels)) {
    const { generators, counts } = mergeUsers(
      (bySource.get(sourceId) ?? []).map(({ users }) => users),
    );
    for (const [number, generator] of generators.entries()) {
      const first = lowerBound(counts.generator, number);
      const last = lowerBound(counts.generator, number + 1);
      const within = indexesOf(counts.second.subarray(first, last), range);
      const [from, until] = [first + within.from, first + within.until];
      if (from === until) continue;
      yield {
        sourceId,
        generator,
        second: counts.second.slice(from, until),
        active: counts.active.slice(from, until),
        started: counts.started.slice(from, until),
        ended: counts.ended.slice(from, until),
      };
    }
  }
}

/** Endpoints without a role are requests. */
export type Roles = ReadonlyMap<number, Exclude<StoredRole, "request">>;

/** Part of stored data: its endpoints, and which of them are not requests. */
interface RolesOfPart {
  readonly endpoints: Iterable<number>;
  readonly roles: Roles;
}

export function storedRoles({ roles }: PointBatch, { used, numbers }: NumbersOfLabels): Roles {
  if (roles === undefined) return new Map();
  const parts = Array.from(used, (label) => {
    const number = numbers[label] as number;
    const role = roles[label] ?? "request";
    return { endpoints: [number], roles: rolesIn([[number, role]]) };
  });
  return mergeRoles(parts);
}

export function mergeRoles(parts: readonly RolesOfPart[]): Roles {
  const merged = new Map<number, StoredRole>();
  if (parts.every(({ roles }) => roles.size === 0)) return rolesIn(merged);
  for (const { endpoints, roles } of parts) {
    for (const endpoint of endpoints) {
      const role = roles.get(endpoint) ?? "request";
      merged.set(endpoint, strongerRole(merged.get(endpoint) ?? role, role));
    }
  }
  return rolesIn(merged);
}

/** Those endpoints that are not hidden, with their visible roles. */
export function shownEndpoints(
  endpoints: readonly Pick<Endpoint, "number" | "label">[],
  roles: Roles,
): readonly Endpoint[] {
  if (roles.size === 0) return endpoints;
  return endpoints.flatMap((endpoint) => {
    const stored = roles.get(endpoint.number);
    const role = derivedRole(stored);
    if (choiceIn(stored) !== undefined) return [];
    return role === undefined ? [endpoint] : [{ ...endpoint, role }];
  });
}

/** Without the series of hidden endpoints. */
export function shownMeasures({ series, unstored }: MeasureIndex, roles: Roles): MeasureIndex {
  const isShown = ({ label }: MeasureIndex["series"][number]): boolean =>
    label === undefined || choiceIn(roles.get(label)) === undefined;
  return { series: roles.size === 0 ? series : series.filter(isShown), unstored };
}

function rolesIn(roles: Iterable<readonly [number, StoredRole]>): Roles {
  return new Map(
    [...roles].flatMap(([endpoint, role]) => (role === "request" ? [] : [[endpoint, role]])),
  );
}

/** Returns the measures of a batch by endpoint number, merged into a canonical table. */
export function storedMeasures(
  { measures }: PointBatch,
  { numbers }: NumbersOfLabels,
): MeasureTable {
  if (measures === undefined) return NO_MEASURES;
  const numbered = selectSeries(measures, (given) => {
    const series = canonicalSeries(given);
    return series.label === undefined ? series : { ...series, label: numbers[series.label] };
  });
  return mergeMeasures([numbered]);
}

/** Part of a batch that fits into its load test. */
export interface FittingMeasures {
  /** Values of series that do not fit are counted as not stored. */
  readonly measures: MeasureTable;
  /** Those values, by measure; absent if all fit. */
  readonly unstored?: readonly Measurement[];
  /** Keys of its series that are new. */
  readonly added: readonly string[];
}

/** Cuts off new series beyond the limit: `known` ones always fit. */
export function fittingMeasures(
  measures: MeasureTable,
  known: ReadonlySet<string>,
): FittingMeasures {
  const { series, sums } = measures;
  const keys = series.map(keyOfSeries);
  const room = Math.max(0, MEASURE_SERIES_MAX - known.size);
  const added = keys.filter((key) => !known.has(key)).slice(0, room);
  const isNew = new Set(added);
  const fits = keys.map((key) => known.has(key) || isNew.has(key));
  if (!fits.includes(false)) return { measures, added };
  const lost = sums.series.keys().filter((row) => fits[sums.series[row] as number] !== true);
  const unstored = addMeasurements(
    lost.map((row) => ({
      name: series[sums.series[row] as number]?.name ?? "",
      values: sums.count[row] as number,
    })),
  );
  return {
    measures: keptMeasures(measures, (_, number) => fits[number] === true),
    unstored,
    added,
  };
}

/** Measures that are stored together, read series by series. */
interface MeasurePart extends MeasureIndex {
  /** Returns the rows of one series, as the only one of the table. */
  table(number: number): MeasureTable;
}

/** Opens a merged table. */
export function partOfTable(table: MeasureTable): MeasurePart {
  return {
    series: table.series,
    unstored: table.unstored,
    table: (wanted) =>
      selectSeries(table, (series, number) => (number === wanted ? series : undefined)),
  };
}

export function measureIndexOf(parts: readonly MeasureIndex[]): MeasureIndex {
  const byKey = new Map(
    parts.flatMap(({ series }) => series.map((each) => [keyOfSeries(each), each])),
  );
  return {
    series: [...byKey.values()].toSorted(compareSeries),
    unstored: addUnstored(parts.map(({ unstored }) => unstored)),
  };
}

/** Returns the range of all seconds of its minutes: what is known of a minute depends on all of them. */
export function wholeMinutes({ from, until }: SecondRange): SecondRange {
  return { from: minuteOf(from), until: minuteOf(until + SECONDS_PER_MINUTE - 1) };
}

/** Measures of each series within a range, from parts that overlap its full minutes. Throws `sum-too-large`. */
export function* measuresOf(
  parts: readonly MeasurePart[],
  wanted: readonly MeasureSeries[],
  range: SecondRange,
): Generator<MeasureTable> {
  const places = new Map<string, { readonly part: MeasurePart; readonly number: number }[]>();
  for (const part of parts) {
    for (const [number, series] of part.series.entries()) {
      const key = keyOfSeries(series);
      const found = places.get(key);
      if (found === undefined) places.set(key, [{ part, number }]);
      else found.push({ part, number });
    }
  }
  for (const series of wanted) {
    const found = places.get(keyOfSeries(series)) ?? [];
    const tables = found.map(({ part, number }) => ({
      ...part.table(number),
      unstored: NO_MEASURES.unstored,
    }));
    yield mergeMeasures([measuresWithin(mergeMeasures(tables), range)]);
  }
}
