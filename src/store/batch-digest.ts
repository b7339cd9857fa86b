import { createCipheriv, createSecretKey } from "node:crypto";
import { type NumberColumn, optionalNamesOf, SUM_NAMES } from "../model/columns.ts";
import type { DataPoints } from "../model/data-points.ts";
import { joinedRanges, type IndexRanges } from "./series.ts";
import { encodeReported, type ReportedPercentiles } from "../model/reported-percentiles.ts";
import type { NumberedPoints } from "./numbered-points.ts";
import { hasNoMeasures, type MeasureTable } from "../model/measures/measure-table.ts";
import { measureBytes } from "../model/measures/measure-bytes.ts";
import type { UserTable } from "../model/active-users.ts";
import type { FailureTable } from "../model/failures.ts";
import type { Roles } from "./stored-details.ts";

/** Public: a digest identifies contents, it does not authenticate them (docs/decisions/007). */
const KEY = createSecretKey(Buffer.from("tachograph batch"));
const NONCE = Buffer.alloc(12);

/** A digest that does not depend on how labels and kinds were numbered: a GMAC, in a twelfth of SHA-256's time. */
export function digestOf(contents: BatchContents): Uint8Array {
  const cipher = createCipheriv("aes-128-gcm", KEY, NONCE);
  const update = (bytes: NodeJS.ArrayBufferView) => cipher.setAAD(bytes);
  updatePoints(update, contents.points);
  updateDetails(update, contents);
  cipher.final();
  return cipher.getAuthTag();
}

type Update = (bytes: NodeJS.ArrayBufferView) => unknown;

/** Hashes column by column, in the order of the runs, wherever the points are stored. */
function updatePoints(update: Update, { columns, runs }: NumberedPoints): void {
  const { bucketsFrom, bucket, bucketCount } = columns;
  const sizes = new Uint32Array(2 * runs.endpoint.length);
  for (let run = 0; run < runs.endpoint.length; run++) {
    sizes[2 * run] = runs.endpoint[run] as number;
    sizes[2 * run + 1] = (runs.until[run] as number) - (runs.from[run] as number);
  }
  update(sizes);
  const ranges = joinedRanges(runs);
  update(bucketSizes(columns, ranges));
  for (const column of sumColumnsOf(columns)) updateRanges(update, column, ranges);
  const entries = {
    from: ranges.from.map((point) => bucketsFrom[point] as number),
    until: ranges.until.map((point) => bucketsFrom[point] as number),
  };
  for (const column of [bucket, bucketCount]) updateRanges(update, column, entries);
}

function updateRanges(update: Update, column: NumberColumn, { from, until }: IndexRanges): void {
  for (let range = 0; range < from.length; range++) {
    update(column.subarray(from[range], until[range]));
  }
}

function bucketSizes({ bucketsFrom }: DataPoints, { from, until }: IndexRanges): Uint32Array {
  const sizes = new Uint32Array(bucketsFrom.length - 1);
  let at = 0;
  for (let range = 0; range < from.length; range++) {
    const [first, end] = [from[range] as number, until[range] as number];
    writeSizes(bucketsFrom.subarray(first, end + 1), sizes.subarray(at));
    at += end - first;
  }
  return sizes;
}

/** A separate function: in the loop over runs, V8 would discard the optimised code after each run. */
function writeSizes(bucketsFrom: Uint32Array, sizes: Uint32Array): void {
  for (let point = 1; point < bucketsFrom.length; point++) {
    sizes[point - 1] = (bucketsFrom[point] as number) - (bucketsFrom[point - 1] as number);
  }
}

function sumColumnsOf(points: DataPoints): readonly NumberColumn[] {
  return [
    points.second,
    ...SUM_NAMES.map((name) => points[name]),
    points.minMicros,
    points.maxMicros,
    ...optionalNamesOf(points).flatMap((name) => points[name] ?? []),
  ];
}

function updateDetails(
  update: Update,
  { failures, users, roles, reported, measures }: BatchContents,
): void {
  if (failures.kinds.length > 0) {
    update(Buffer.from(`failures ${JSON.stringify(failures.kinds)}`));
    const { endpoint, kind, second, requests } = failures.counts;
    for (const column of [endpoint, kind, second, requests]) update(column);
  }
  if (users.generators.length > 0) {
    update(Buffer.from(`users ${JSON.stringify(users.generators)}`));
    const { generator, second, active, started, ended } = users.counts;
    for (const column of [generator, second, active, started, ended]) update(column);
  }
  if (roles.size > 0) {
    const ordered = [...roles].toSorted(([left], [right]) => left - right);
    update(Buffer.from(`roles ${JSON.stringify(ordered)}`));
  }
  if (reported !== undefined && reported.second.length > 0) {
    update(Buffer.from("percentiles"));
    update(encodeReported(reported));
  }
  if (measures !== undefined && !hasNoMeasures(measures)) {
    update(Buffer.from("measures"));
    update(measureBytes(measures));
  }
}

/** Contents of a batch as stored: with the endpoint numbers of its load test, in a canonical form. */
export interface BatchContents {
  readonly points: NumberedPoints;
  readonly failures: FailureTable;
  readonly users: UserTable;
  readonly roles: Roles;
  /** @default none */
  readonly reported?: ReportedPercentiles;
  /** @default none */
  readonly measures?: MeasureTable;
}
