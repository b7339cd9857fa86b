import type { MeasureHistograms } from "../model/measures/measure-table.ts";
import { minuteOf, SECONDS_PER_MINUTE } from "../model/measures/measure-table.ts";
import { asDecimal } from "../model/measures/decimal-sum.ts";
import { VALUE_BUCKETS, valueBucketOf, ZERO_BUCKET } from "../model/measures/value-buckets.ts";

/** Buckets by which the window of an open histogram grows. */
const GROWTH = 64;

interface OpenHistogram {
  readonly series: number;
  minute: number;
  /** Bucket of `counts[0]`. */
  base: number;
  counts: Float64Array;
  min: number;
  max: number;
  isOpen: boolean;
}

/** Histograms by series and minute. Two minutes of a series are open at a time; the same one may be closed more than once. */
export class OpenHistograms {
  readonly #open: OpenHistogram[][] = [];
  /** By series, the one of the last value. */
  readonly #latest: OpenHistogram[] = [];
  #series: number[] = [];
  #minute: number[] = [];
  #min: number[] = [];
  #max: number[] = [];
  #bucketsFrom: number[] = [0];
  #bucket: number[] = [];
  #bucketCount: number[] = [];

  /** Entries of closed histograms. */
  get entries(): number {
    return this.#bucket.length;
  }

  add(series: number, second: number, value: number): void {
    const open = this.#openAt(series, second);
    // Decimals ascend with the values.
    if (value < open.min) open.min = asDecimal(value);
    if (value > open.max) open.max = asDecimal(value);
    addTo(open, valueBucketOf(value), 1);
  }

  /** Adds values that are not those of `addExtremes`, or represent them. */
  addTimes(series: number, second: number, value: number, times: number): void {
    addTo(this.#openAt(series, second), valueBucketOf(value), times);
  }

  addExtremes(series: number, second: number, min: number, max: number): void {
    const open = this.#openAt(series, second);
    if (min < open.min) open.min = min;
    if (max > open.max) open.max = max;
  }

  /** Adds the entries of the histogram that is closed next: counts of the buckets `first` to `last`, from that of 0 on. */
  append(buckets: Uint32Array, first: number, last: number): void {
    for (let number = first; number <= last; number++) {
      const count = buckets[number - ZERO_BUCKET] as number;
      if (count === 0) continue;
      this.#bucket.push(number);
      this.#bucketCount.push(count);
    }
  }

  close(series: number, minute: number, min: number, max: number): void {
    this.#series.push(series);
    this.#minute.push(minute);
    this.#min.push(min);
    this.#max.push(max);
    this.#bucketsFrom.push(this.#bucket.length);
  }

  /** Returns all histograms, unsorted, and resets. */
  take(): MeasureHistograms {
    for (const pair of this.#open) for (const open of pair ?? []) this.#close(open);
    const taken = {
      series: Uint32Array.from(this.#series),
      minute: Uint32Array.from(this.#minute),
      min: Float64Array.from(this.#min),
      max: Float64Array.from(this.#max),
      bucketsFrom: Uint32Array.from(this.#bucketsFrom),
      bucket: Uint16Array.from(this.#bucket),
      bucketCount: Float64Array.from(this.#bucketCount),
    };
    [this.#series, this.#minute, this.#min, this.#max] = [[], [], [], []];
    [this.#bucketsFrom, this.#bucket, this.#bucketCount] = [[0], [], []];
    return taken;
  }

  #openAt(series: number, second: number): OpenHistogram {
    const latest = this.#latest[series];
    const sinceMinute = second - (latest?.minute ?? second + 1);
    if (latest?.isOpen === true && sinceMinute >= 0 && sinceMinute < SECONDS_PER_MINUTE) {
      return latest;
    }
    const minute = minuteOf(second);
    const pair = (this.#open[series] ??= [newHistogram(series), newHistogram(series)]);
    const open = pair[(minute / SECONDS_PER_MINUTE) & 1] as OpenHistogram;
    this.#latest[series] = open;
    if (open.isOpen && open.minute === minute) return open;
    this.#close(open);
    open.minute = minute;
    open.isOpen = true;
    return open;
  }

  #close(open: OpenHistogram): void {
    if (!open.isOpen) return;
    for (let place = 0; place < open.counts.length; place++) {
      const count = open.counts[place] as number;
      if (count === 0) continue;
      this.#bucket.push(open.base + place);
      this.#bucketCount.push(count);
    }
    open.counts.fill(0);
    this.close(open.series, open.minute, open.min, open.max);
    [open.min, open.max, open.isOpen] = [Infinity, -Infinity, false];
  }
}

function newHistogram(series: number): OpenHistogram {
  return {
    series,
    minute: 0,
    base: 0,
    counts: new Float64Array(0),
    min: Infinity,
    max: -Infinity,
    isOpen: false,
  };
}

function addTo(open: OpenHistogram, bucket: number, count: number): void {
  const place = bucket - open.base;
  if (place >= 0 && place < open.counts.length) {
    open.counts[place] = (open.counts[place] as number) + count;
  } else {
    widen(open, bucket);
    open.counts[bucket - open.base] = count;
  }
}

function widen(open: OpenHistogram, bucket: number): void {
  const { base, counts } = open;
  const isNew = counts.length === 0;
  const from = Math.max(0, Math.min(isNew ? bucket : base, bucket - GROWTH));
  const until = Math.min(
    VALUE_BUCKETS,
    Math.max(isNew ? bucket : base + counts.length, bucket + GROWTH),
  );
  const wider = new Float64Array(until - from);
  if (!isNew) wider.set(counts, base - from);
  open.base = from;
  open.counts = wider;
}
