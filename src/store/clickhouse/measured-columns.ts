/** Excludes invented values (`invented-sources.ts`) when reading; the rows stay, as earlier clients may write more. */

import { unsigned64Literal } from "./cluster/literals.ts";
import type { Invented } from "./catalogue/sources.ts";
import type { Unsigned64Column } from "./native/native-columns.ts";
import { IS_ORIGINAL, pointRows, type SourceRows, type VisibleRows } from "./read/visible.ts";

/** Minimum, six percentiles, maximum, and the average for requests without a time. */
export const ARTILLERY_2_BUCKETS_MAX = 9;

/** SQL of each point column, with measured values only. */
export function measuredColumns(rows: VisibleRows): PointColumn {
  return withoutInvented(
    {
      locust: isOf(rows.rows, "locust"),
      artillery: isOfArtillery2(rows),
      windows: isOf(rows.rows, "windows"),
    },
    (name) => name,
  );
}

/** Condition for rows of sources with invented values; `undefined` if there are none. */
export type InventedRows = Readonly<Record<Invented, string | undefined>>;

/** The same for rows selected by conditions; `stored` is the SQL of the stored value. */
export function withoutInvented(
  { locust, artillery, windows }: InventedRows,
  stored: PointColumn,
): PointColumn {
  const isWindow = windows && `(${windows} AND window_seconds > 1)`;
  const hasNoTimes =
    artillery && `(${artillery} AND requests = failed_requests AND ${stored("max_micros")} = 0)`;
  const noBuckets = either(locust, artillery, isWindow);
  const choices: Readonly<Record<string, readonly Choice[]>> = {
    "histogram.bucket": [[noBuckets, "emptyArrayUInt16()"]],
    "histogram.requests": [[noBuckets, "emptyArrayUInt64()"]],
    min_micros: [
      [locust, "toUInt64(0)"],
      [hasNoTimes, `toUInt64(${BOUND})`],
    ],
    max_micros: [[locust, `toUInt64(${BOUND})`]],
    untimed_requests: [[hasNoTimes, "requests"]],
    untimed_failed_requests: [[hasNoTimes, "requests"]],
  };
  return (name) => chosen(choices[name] ?? [], stored(name));
}

type Choice = readonly [condition: string | undefined, value: string];

/** SQL for the value of the first true condition, or a default. */
function chosen(choices: readonly Choice[], otherwise: string): string {
  return choices.reduceRight(
    (rest, [condition, value]) =>
      condition === undefined ? rest : `if(${condition}, ${value}, ${rest})`,
    otherwise,
  );
}

function either(...conditions: readonly (string | undefined)[]): string | undefined {
  const given = conditions.filter((each) => each !== undefined);
  return given.length === 0 ? undefined : `(${given.join(" OR ")})`;
}

function isOf(rows: readonly SourceRows[], invented: Invented): string | undefined {
  const own = rows.filter((each) => each.invented === invented);
  if (own.length === 0) return undefined;
  // What was merged into minutes has measured values only.
  return `(source IN (${own.map(({ number }) => unsigned64Literal(number)).join(",")}) AND ${IS_ORIGINAL})`;
}

/** Artillery 1 recorded every response time: its distributions are real and have more values. */
function isOfArtillery2(visible: VisibleRows): string | undefined {
  const own = visible.rows.filter(({ invented }) => invented === "artillery");
  const isArtillery = isOf(own, "artillery");
  if (isArtillery === undefined) return undefined;
  return `(${isArtillery} AND source NOT IN (SELECT source FROM ${visible.database}.measurements
WHERE ${pointRows({ ...visible, rows: own })} AND length(histogram.bucket) > ${ARTILLERY_2_BUCKETS_MAX}))`;
}

/** Encodes infinite extremes: the largest time plus one. As a maximum it means unknown. */
export const BOUND = 2 ** 53;

/** SQL of a stored column, by name. */
export type PointColumn = (name: string) => string;

/** Appends points. Infinite bounds become numbers that sort correctly for min and max. */
export function appendNumbers(target: Unsigned64Column, name: string, numbers: Float64Array): void {
  const isExtreme = name === "minMicros" || name === "maxMicros";
  if (!isExtreme || numbers.every((value) => Number.isFinite(value))) target.append(numbers);
  else target.appendBigints(BigUint64Array.from(numbers, boundOf));
}

function boundOf(value: number): bigint {
  return BigInt(Math.min(BOUND, Math.max(0, value)));
}
