/** Sums add, extremes take the extreme, histograms add by bucket: merging is associative and commutative. */

import type {
  DataPoints,
  DistributionColumns,
  OutcomeColumns,
  SeriesColumns,
  SumColumns,
} from "./data-points.ts";
import {
  mergeOf,
  newOptionalColumn,
  type NumberColumn,
  OPTIONAL_NAMES,
  SUM_NAMES,
  withoutDefaults,
} from "./columns.ts";
import { addSeries, addSums } from "./series/add-series.ts";
import { concatenateOutcomes, mergeOutcomes } from "./outcomes.ts";
import {
  areGrouped,
  concatenate,
  concatenateBuckets,
  groupRows,
  mergeBuckets,
  type RowGroups,
} from "./row-groups.ts";

/** Merges parts in any order into points sorted by (endpoint, second), unique. Throws `sum-too-large`. */
export function mergePoints(parts: readonly DataPoints[]): DataPoints {
  const all = parts.length === 1 && parts[0] !== undefined ? parts[0] : concatenatePoints(parts);
  const keys = [all.endpoint, all.second];
  if (areGrouped(keys)) return withoutDefaults(all);
  const groups = groupRows(keys);
  return { endpoint: groups.first(all.endpoint), ...mergeOutcomeGroups(all, groups) };
}

/** As `mergePoints`, sums only. */
export function mergePointSums(
  parts: readonly (SumColumns & Pick<DataPoints, "endpoint">)[],
): SumColumns & Pick<DataPoints, "endpoint"> {
  const endpoint = concatenate(Uint32Array, parts, (part) => part.endpoint);
  const all = { endpoint, ...concatenateSums(parts) };
  const keys = [endpoint, all.second];
  if (areGrouped(keys)) return withoutDefaults(all);
  const groups = groupRows(keys);
  return { endpoint: groups.first(endpoint), ...mergeSumGroups(all, groups) };
}

export function mergeSums(parts: readonly SumColumns[]): SumColumns {
  const added = parts.length > 1 ? addSums(parts) : undefined;
  if (added !== undefined) return withoutDefaults(added);
  const all = parts.length === 1 && parts[0] !== undefined ? parts[0] : concatenateSums(parts);
  if (areGrouped([all.second])) return withoutDefaults(all);
  return mergeSumGroups(all, groupRows([all.second]));
}

export function mergeSeries(parts: readonly SeriesColumns[]): SeriesColumns {
  const added = parts.length > 1 ? addSeries(parts) : undefined;
  if (added !== undefined) return withoutDefaults(added);
  const all =
    parts.length === 1 && parts[0] !== undefined
      ? parts[0]
      : { ...concatenateSums(parts), ...concatenateDistributions(parts) };
  if (areGrouped([all.second])) return withoutDefaults(all);
  const groups = groupRows([all.second]);
  return { ...mergeSumGroups(all, groups), ...mergeDistributionGroups(all, groups) };
}

/** As `mergeSeries`, with what is known of outcomes. */
export function mergeOutcomeSeries(parts: readonly OutcomeColumns[]): OutcomeColumns {
  const all = {
    ...concatenateSums(parts),
    ...concatenateDistributions(parts),
    ...outcomesIn(parts),
  };
  if (areGrouped([all.second])) return withoutDefaults(all);
  return mergeOutcomeGroups(all, groupRows([all.second]));
}

function outcomesIn(parts: readonly OutcomeColumns[]): Pick<OutcomeColumns, "outcomes"> {
  const outcomes = concatenateOutcomes(parts);
  return outcomes === undefined ? {} : { outcomes };
}

function mergeOutcomeGroups(all: OutcomeColumns, groups: RowGroups): OutcomeColumns {
  const merged = { ...mergeSumGroups(all, groups), ...mergeDistributionGroups(all, groups) };
  const outcomes = mergeOutcomes(all, groups, merged);
  return outcomes === undefined ? merged : { ...merged, outcomes };
}

function mergeSumGroups(all: SumColumns, groups: RowGroups): SumColumns {
  const merged: Record<string, NumberColumn> = { second: groups.first(all.second) };
  for (const name of SUM_NAMES) merged[name] = groups.sum(all[name]);
  for (const name of OPTIONAL_NAMES) {
    const column = all[name];
    if (column === undefined) continue;
    const reduced = groups.reduce(Float64Array.from(column), mergeOf(name));
    merged[name] = name === "windowSeconds" ? Uint16Array.from(reduced) : reduced;
  }
  return withoutDefaults(merged as unknown as SumColumns);
}

function mergeDistributionGroups(all: DistributionColumns, groups: RowGroups): DistributionColumns {
  return {
    minMicros: groups.reduce(all.minMicros, Math.min),
    maxMicros: groups.reduce(all.maxMicros, Math.max),
    ...mergeBuckets(all, groups),
  };
}

function concatenatePoints(parts: readonly DataPoints[]): DataPoints {
  return {
    endpoint: concatenate(Uint32Array, parts, (part) => part.endpoint),
    ...concatenateSums(parts),
    ...concatenateDistributions(parts),
    ...outcomesIn(parts),
  };
}

function concatenateSums(parts: readonly SumColumns[]): SumColumns {
  const whole: Record<string, NumberColumn> = {
    second: concatenate(Uint32Array, parts, (part) => part.second),
  };
  for (const name of SUM_NAMES) {
    whole[name] = concatenate(Float64Array, parts, (part) => part[name]);
  }
  for (const name of OPTIONAL_NAMES) {
    if (parts.every((part) => part[name] === undefined)) continue;
    const empty = newOptionalColumn(name, 0);
    const kind = empty.constructor as new (length: number) => Uint16Array | Float64Array;
    whole[name] = concatenate(
      kind,
      parts,
      (part) => part[name] ?? newOptionalColumn(name, part.second.length),
    );
  }
  return whole as unknown as SumColumns;
}

function concatenateDistributions(parts: readonly DistributionColumns[]): DistributionColumns {
  return {
    minMicros: concatenate(Float64Array, parts, (part) => part.minMicros),
    maxMicros: concatenate(Float64Array, parts, (part) => part.maxMicros),
    ...concatenateBuckets(parts),
  };
}
