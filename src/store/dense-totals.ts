/** Points of endpoints added up as they are stored, with a table of counts for each endpoint: a fraction of the work of merging columns. */

import { SUM_NAMES, withoutDefaults } from "../model/columns.ts";
import type { DataPoints } from "../model/data-points.ts";
import type { NumberedPoints } from "./numbered-points.ts";

/** Points of an endpoint within 2^15 seconds make a row, so that a column of windows holds its length. */
const ERA_BITS = 15;
const WINDOW_SECONDS_MAX = 65_535;
/** Rows in each part of `all`, unless one endpoint has more: some milliseconds. */
const ROWS_AT_ONCE = 256;
/** To which some batches are added together: their counts fit the cache of a processor. */
const ENDPOINTS_AT_ONCE = 64;
/** Of the smallest table of counts. */
const SLOTS_MIN = 16;
const COUNT_MAX = 2 ** 32 - 1;
/** Rows of an endpoint, which are searched one by one: 24 days. */
const ERAS_MAX = 64;
/** Of a row without its counts, by estimate. */
const ROW_BYTES = 500;

const SUMS = [...SUM_NAMES, "untimedRequests", "untimedFailedRequests"] as const;

/** Places of extremes; `END` is the second behind the last. */
const [LEAST, MOST, FIRST, END] = [8, 9, 10, 11];
const NO_EXTREMES = [Infinity, -Infinity, Infinity, 0];
const NO_SUMS = new Float64Array(0);

/** Points of an endpoint in an era. */
interface Row {
  readonly endpoint: number;
  /** 0 is second 0. */
  readonly era: number;
  /** Row of another era, and how many there are with this one. */
  readonly next: Row | undefined;
  readonly eras: number;
  /** In the order of `SUMS`, then the extremes. */
  readonly sums: Float64Array;
  /** A hash table with open addressing: in each slot a bucket plus 1, or 0 if it is free, and its count. */
  table: Uint32Array;
  /** Of its slots. */
  used: number;
}

/** A batch with its columns of `SUMS`, and the first run that is not added yet. */
interface Waiting extends NumberedPoints {
  readonly added: readonly Float64Array[];
  next: number;
}

/** Leaves out outcomes; points without a timestamp stay apart. */
export class DenseTotals {
  /** By endpoint, which are numbered from 0. */
  readonly #rows: (Row | undefined)[] = [];
  readonly #bytesMax: number;
  #bytes = 0;
  #isUsable = true;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** False once a sum was too large to be exact, or there were too many bytes, seconds or eras. Nothing more is added then. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** Memory, by estimate. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the points of some batches. */
  add(batches: readonly NumberedPoints[]): void {
    const waiting = batches.map((batch) => ({
      ...batch,
      added: SUMS.map((name) => batch.columns[name] ?? NO_SUMS),
      next: 0,
    }));
    for (;;) {
      const first = waiting.map(({ runs, next }) => runs.endpoint[next] ?? Infinity);
      const until = Math.min(...first) + ENDPOINTS_AT_ONCE;
      if (until === Infinity) return;
      for (const batch of waiting) batch.next = this.#addRuns(batch, until);
    }
  }

  /** Adds the next runs of endpoints below `below`, and returns the next of others. */
  #addRuns({ columns, runs, added, next }: Waiting, below: number): number {
    let run = next;
    for (; run < runs.endpoint.length && (runs.endpoint[run] as number) < below; run++) {
      const endpoint = runs.endpoint[run] as number;
      const until = runs.until[run] as number;
      for (let point = runs.from[run] as number; point < until && this.#isUsable; point++) {
        const row = this.#row(endpoint, columns.second[point] as number);
        addSums(row.sums, added, point);
        addExtremes(row.sums, columns, point);
        if (!this.#addCounts(row, columns, point) || !isExact(row.sums)) this.#isUsable = false;
      }
    }
    return run;
  }

  /** Yields the sums by endpoint, ascending: points from the first second to the last, within 18 hours. */
  *all(): Generator<DataPoints> {
    let rows: Row[] = [];
    for (const newest of this.#rows) {
      const begin = rows.length;
      for (let row = newest; row !== undefined; row = row.next) rows.push(row);
      if (rows.length > begin + 1) {
        rows.push(...rows.splice(begin).toSorted((left, right) => left.era - right.era));
      }
      if (rows.length < ROWS_AT_ONCE) continue;
      yield pointsOf(rows);
      rows = [];
    }
    if (rows.length > 0) yield pointsOf(rows);
  }

  #row(endpoint: number, second: number): Row {
    const era = second === 0 ? 0 : (second >>> ERA_BITS) + 1;
    const next = this.#rows[endpoint];
    let row = next;
    while (row !== undefined && row.era !== era) row = row.next;
    return row ?? this.#begin({ endpoint, era, next });
  }

  #begin(about: Pick<Row, "endpoint" | "era" | "next">): Row {
    const sums = new Float64Array(SUMS.length + NO_EXTREMES.length);
    sums.set(NO_EXTREMES, LEAST);
    const eras = (about.next?.eras ?? 0) + 1;
    if (eras > ERAS_MAX) this.#isUsable = false;
    const row = { ...about, eras, sums, table: new Uint32Array(2 * SLOTS_MIN), used: 0 };
    // Without holes, which would slow down access.
    while (this.#rows.length < about.endpoint) this.#rows.push(undefined);
    this.#rows[about.endpoint] = row;
    this.#take(ROW_BYTES);
    return row;
  }

  #take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#bytesMax) this.#isUsable = false;
  }

  /** Returns whether the counts are exact. */
  #addCounts(row: Row, { bucketsFrom, bucket, bucketCount }: DataPoints, point: number): boolean {
    const [begin, end] = [bucketsFrom[point] as number, bucketsFrom[point + 1] as number];
    this.#makeRoom(row, end - begin);
    const { table } = row;
    let largest = 0;
    for (let at = begin; at < end; at++) {
      const place = placeOf(table, bucket[at] as number);
      if (table[place] === 0) {
        table[place] = (bucket[at] as number) + 1;
        row.used += 1;
      }
      const sum = (table[place + 1] as number) + (bucketCount[at] as number);
      if (sum > largest) largest = sum;
      table[place + 1] = sum;
    }
    return largest <= COUNT_MAX;
  }

  /** Keeps an eighth of the slots free after `added` more buckets. */
  #makeRoom(row: Row, added: number): void {
    const { table } = row;
    let { length } = table;
    while (16 * (row.used + added) > 7 * length) length *= 2;
    if (length === table.length) return;
    row.table = new Uint32Array(length);
    for (let at = 0; at < table.length; at += 2) {
      const key = table[at] as number;
      if (key > 0) row.table.set(table.subarray(at, at + 2), placeOf(row.table, key - 1));
    }
    this.#take(row.table.byteLength - table.byteLength);
  }
}

/** Returns where the slot of a bucket begins, or the free one for it. */
function placeOf(table: Uint32Array, bucket: number): number {
  const last = table.length - 2;
  let place = (2 * bucket) & last;
  while (table[place] !== 0 && table[place] !== bucket + 1) place = (place + 2) & last;
  return place;
}

function addSums(sums: Float64Array, added: readonly Float64Array[], point: number): void {
  for (let at = 0; at < added.length; at++) {
    const column = added[at] as Float64Array;
    if (column.length > 0) sums[at] = (sums[at] as number) + (column[point] as number);
  }
}

function addExtremes(sums: Float64Array, columns: DataPoints, point: number): void {
  const second = columns.second[point] as number;
  const least = columns.minMicros[point] as number;
  const most = columns.maxMicros[point] as number;
  const end = second + (columns.windowSeconds?.[point] ?? 1);
  if (least < (sums[LEAST] as number)) sums[LEAST] = least;
  if (most > (sums[MOST] as number)) sums[MOST] = most;
  if (second < (sums[FIRST] as number)) sums[FIRST] = second;
  if (end > (sums[END] as number)) sums[END] = end;
}

/** Whether the sums are exact and their seconds fit a window. */
function isExact(sums: Float64Array): boolean {
  // Those of failed requests are at most as large.
  const largest = Math.max(sums[0] as number, sums[1] as number, sums[2] as number);
  return largest <= Number.MAX_SAFE_INTEGER && secondsOf(sums) <= WINDOW_SECONDS_MAX;
}

function secondsOf(sums: Float64Array): number {
  return (sums[END] as number) - (sums[FIRST] as number);
}

function pointsOf(rows: readonly Row[]): DataPoints {
  const column = () => new Float64Array(rows.length);
  const sums = SUMS.map(column);
  const points = {
    endpoint: new Uint32Array(rows.length),
    second: new Uint32Array(rows.length),
    windowSeconds: new Uint16Array(rows.length),
    minMicros: column(),
    maxMicros: column(),
  };
  for (const [at, { endpoint, sums: own }] of rows.entries()) {
    for (const [place, sum] of sums.entries()) sum[at] = own[place] as number;
    points.endpoint[at] = endpoint;
    points.second[at] = own[FIRST] as number;
    points.windowSeconds[at] = secondsOf(own);
    points.minMicros[at] = own[LEAST] as number;
    points.maxMicros[at] = own[MOST] as number;
  }
  const named = Object.fromEntries(SUMS.map((name, place) => [name, sums[place]]));
  return withoutDefaults({
    ...(named as unknown as Pick<DataPoints, (typeof SUMS)[number]>),
    ...points,
    ...bucketsOf(rows),
  });
}

function bucketsOf(rows: readonly Row[]) {
  const bucketsFrom = new Uint32Array(rows.length + 1);
  const room = rows.reduce((sum, { used }) => sum + used, 0);
  const [bucket, bucketCount] = [new Uint16Array(room), new Float64Array(room)];
  let end = 0;
  for (const [at, { table }] of rows.entries()) {
    const begin = end;
    for (let place = 0; place < table.length; place += 2) {
      const key = table[place] as number;
      if (key > 0) bucket[end++] = key - 1;
    }
    bucket.subarray(begin, end).sort();
    for (let own = begin; own < end; own++) {
      bucketCount[own] = table[placeOf(table, bucket[own] as number) + 1] as number;
    }
    bucketsFrom[at + 1] = end;
  }
  return { bucketsFrom, bucket, bucketCount };
}
