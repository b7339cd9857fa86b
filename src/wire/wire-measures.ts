import { SENT_COUNT_MAX } from "../model/exact.ts";
import { asDecimal } from "../model/measures/decimal-sum.ts";
import { measureBytes, measuresIn } from "../model/measures/measure-bytes.ts";
import {
  MEASURE_KINDS,
  MEASURE_SERIES_MAX,
  type MeasureHistograms,
  type MeasureSeries,
  type MeasureTable,
  minuteOf,
  UNSTORED_REASONS,
} from "../model/measures/measure-table.ts";
import { mergeMeasures } from "../model/measures/merge-measures.ts";
import { isUnstored, seriesFault } from "../model/measures/series-limits.ts";
import { VALUE_BUCKETS } from "../model/measures/value-buckets.ts";
import { badBatch } from "./batch-columns.ts";

export function base64OfMeasures(measures: MeasureTable): string {
  return Buffer.from(measureBytes(measures)).toString("base64");
}

/** Reads the member `measures` of a head. Throws `bad-batch`. */
export function measuresInHead(base64: string, labels: readonly string[]): MeasureTable {
  const given = measuresIn(Buffer.from(base64, "base64"));
  if (given === undefined) throw badBatch("measures of its head: expected whole columns");
  if (given.series.length > MEASURE_SERIES_MAX) {
    throw badBatch(`measures: expected at most ${MEASURE_SERIES_MAX} series`);
  }
  for (const [number, series] of given.series.entries()) {
    if (isSeries(series, labels.length)) continue;
    throw badBatch(`series ${number} of measures: expected label, name, unit, kind and tags`);
  }
  const { unstored } = given;
  if (!isUnstored(unstored) || Object.values(unstored).some(isTooMany)) {
    throw badBatch(
      `unstored of measures: expected counts of ${UNSTORED_REASONS.join(", ")}, each at most ${SENT_COUNT_MAX}`,
    );
  }
  checkRows(given);
  // In the order that stores rely on.
  const merged = mergeMeasures([given]);
  const isUnique = merged.sums.second.length === given.sums.second.length;
  if (!isUnique || !haveSameRows(merged)) {
    throw badBatch(
      "measures: expected each second of a gauge and each minute of a distribution once",
    );
  }
  return merged;
}

function isSeries(given: unknown, labels: number): given is MeasureSeries {
  if (typeof given !== "object" || given === null) return false;
  const { label, name, unit, kind, tags } = given as Partial<Record<keyof MeasureSeries, unknown>>;
  const isTag = (tag: unknown) => Array.isArray(tag) && tag.length === 2 && tag.every(isText);
  const hasTags = Array.isArray(tags) && tags.every(isTag);
  const hasLabel = label === undefined || (isWhole(label, 0) && (label as number) < labels);
  const hasKind = MEASURE_KINDS.some((each) => each === kind);
  if (!isText(name) || !isText(unit) || !hasKind || !hasTags || !hasLabel) return false;
  return seriesFault(given as MeasureSeries) === undefined;
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed();
}

export function isWhole(value: unknown, least: number): boolean {
  return isInteger(value) && (value as number) >= least;
}

/** Not only of counts: a few sums of more would be too large to be added. */
function isTooMany(value: number): boolean {
  return Math.abs(value) > SENT_COUNT_MAX;
}

function isInteger(value: unknown): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}

const NANOS_MAX = 1e15 - 1;
/** Of a row that covers a minute. */
const MILLIS_MAX = 59_999;

/** What may stand in each column. */
function checkRows({ series, sums, gauges, histograms }: MeasureTable): void {
  const isKnown = (number: number) => number < series.length;
  const isMin = (value: number) => value === -Infinity || isDecimal(value);
  const isMax = (value: number) => value === Infinity || isDecimal(value);
  const rules: readonly (readonly [string, ArrayLike<number>, (value: number) => boolean])[] = [
    ["series of sums", sums.series, isKnown],
    ["count", sums.count, (value) => isWhole(value, 1) && !isTooMany(value)],
    ["millions of sums", sums.sumMillions, (value) => isInteger(value) && !isTooMany(value)],
    ["nanos of sums", sums.sumNanos, (value) => isWhole(value, 0) && value <= NANOS_MAX],
    ["series of gauges", gauges.series, isKnown],
    ["minimum of gauges", gauges.min, isMin],
    ["maximum of gauges", gauges.max, isMax],
    ["last value", gauges.last, isDecimal],
    ["milliseconds", gauges.lastAtMillis, (value) => value <= MILLIS_MAX],
    ["series of histograms", histograms.series, isKnown],
    ["minute", histograms.minute, (value) => minuteOf(value) === value],
    ["minimum of histograms", histograms.min, isMin],
    ["maximum of histograms", histograms.max, isMax],
    ["bucket", histograms.bucket, (value) => value < VALUE_BUCKETS],
    ["values in a bucket", histograms.bucketCount, (value) => isWhole(value, 1)],
  ];
  for (const [what, column, isRight] of rules) {
    const row = Array.prototype.findIndex.call(column, (value) => !isRight(value as number));
    if (row >= 0) throw badBatch(`${what} ${row} of measures: ${column[row]} is not possible`);
  }
  checkBuckets(histograms);
}

function isDecimal(value: number): boolean {
  const isStorable = Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return isStorable && Object.is(asDecimal(value), value);
}

function checkBuckets({ series, bucketsFrom, bucket }: MeasureHistograms): void {
  const isComplete = bucketsFrom[0] === 0 && bucketsFrom[series.length] === bucket.length;
  for (const row of series.keys()) {
    const [from, until] = [bucketsFrom[row] as number, bucketsFrom[row + 1] as number];
    const own = bucket.subarray(from, until);
    const isAscending = own.every((each, at) => at === 0 || each > (own[at - 1] as number));
    if (isComplete && from <= until && until <= bucket.length && isAscending) continue;
    throw badBatch(`histogram ${row} of measures: expected ascending buckets`);
  }
}

/** Whether gauges have the seconds, and distributions the minutes and at most the values, of their sums. */
function haveSameRows({ series, sums, gauges, histograms }: MeasureTable): boolean {
  const ofGauges = new Set<string>();
  const values = new Map<string, number>();
  for (const [row, number] of sums.series.entries()) {
    const second = sums.second[row] as number;
    const { kind } = series[number] as MeasureSeries;
    if (kind === "gauge") ofGauges.add(`${number} ${second}`);
    if (kind !== "distribution") continue;
    const minute = `${number} ${minuteOf(second)}`;
    values.set(minute, (values.get(minute) ?? 0) + (sums.count[row] as number));
  }
  const isGauge = (number: number, row: number) => ofGauges.has(`${number} ${gauges.second[row]}`);
  const isMinute = (number: number, row: number) => {
    const { bucketsFrom, bucketCount, minute } = histograms;
    const counts = bucketCount.subarray(bucketsFrom[row], bucketsFrom[row + 1]);
    const all = values.get(`${number} ${minute[row]}`) ?? 0;
    return all > 0 && counts.reduce((sum, count) => sum + count, 0) <= all;
  };
  return (
    gauges.series.length === ofGauges.size &&
    histograms.series.length === values.size &&
    gauges.series.every(isGauge) &&
    histograms.series.every(isMinute)
  );
}
