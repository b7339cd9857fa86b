import type { SeriesColumns } from "../../model/data-points.ts";
import type { SecondRange } from "../../model/columns.ts";
import { WindowSum } from "../../series/sliding-windows.ts";
import type { SeriesOfWindows } from "../load-test-reader.ts";

export interface WindowsQuery {
  readonly seconds: number;
  /** Within which windows lie. */
  readonly range: SecondRange;
  /** First seconds of the windows that are asked for. */
  readonly startsIn: (range: SecondRange, seconds: number) => Iterable<number>;
}

/** A point of one second. */
interface Placed {
  readonly columns: SeriesColumns;
  readonly point: number;
}

/**
 * First seconds of the windows to judge in a range that begins two lengths before what is new, or with the run: of windows that hold a new
 * second, and of those directly before them; the newest in any case. Those in between were judged before. For limits that two in a row break.
 */
export function* recentStarts(range: SecondRange, seconds: number): Generator<number> {
  const last = range.until - seconds;
  for (let from = range.from; from <= last - seconds; from++) yield from;
  const after = Math.max(range.from, last - seconds + 1);
  const firstNew = Math.min(range.from + seconds, last);
  for (let from = Math.max(after, firstNew); from <= last; from++) yield from;
}

/** A series to which points are added in any order, and its windows. Only windows with new points are computed again. */
export class GrowingSeries {
  readonly #seconds = new Map<number, Placed[]>();
  /** By length. */
  readonly #windows: ReadonlyMap<number, GrowingWindows>;
  /** Seconds before it are removed. */
  #from = 0;

  /** `percentsOf`: what will be asked for, by length of windows in seconds. */
  constructor(percentsOf: ReadonlyMap<number, readonly number[]>) {
    this.#windows = new Map(
      Array.from(percentsOf, ([seconds, percents]) => [
        seconds,
        new GrowingWindows(this.#seconds, seconds, percents),
      ]),
    );
  }

  /** Keeps the columns: they must not change. */
  add(columns: SeriesColumns): void {
    for (const [point, second] of columns.second.entries()) {
      if (second < this.#from || second === 0) continue;
      const placed = { columns, point };
      const own = this.#seconds.get(second);
      if (own === undefined) this.#seconds.set(second, [placed]);
      else own.push(placed);
      for (const windows of this.#windows.values()) windows.added(second, placed);
    }
  }

  removeBefore(second: number): void {
    this.#from = Math.max(this.#from, second);
    for (const each of this.#seconds.keys()) if (each < this.#from) this.#seconds.delete(each);
  }

  /** As `LoadTestReader.windows` returns them, of those that begin at `startsIn`. Throws `sum-too-large`. */
  windows({ seconds, ...query }: WindowsQuery): Omit<SeriesOfWindows, "label"> {
    const windows = this.#windows.get(seconds);
    if (windows === undefined) throw new Error(`BUG: no windows of ${seconds} s`);
    const { percents } = windows;
    const found = windows.within(query);
    const quantiles = percents.map((_, at) => found.map(({ quantiles: own }) => own[at] ?? null));
    return {
      labels: found.map(({ from }) => from),
      count: found.map(({ requests }) => requests),
      errCount: found.map(({ failedRequests }) => failedRequests),
      avgLoadTime: found.map(({ average }) => average),
      percentiles: Object.fromEntries(
        percents.map((each, at) => [`p${each}`, quantiles[at] ?? []]),
      ),
      percentileOrigin: quantiles.flat().some((each) => each !== null) ? "computed" : "unknown",
    };
  }
}

/** Times in seconds; null if unknown. */
interface WindowValues {
  readonly from: number;
  readonly requests: number;
  readonly failedRequests: number;
  readonly average: number | null;
  readonly quantiles: readonly (number | null)[];
}

/** Windows of one length. */
class GrowingWindows {
  /** Each 0 to 100. */
  readonly percents: readonly number[];
  readonly #points: ReadonlyMap<number, readonly Placed[]>;
  readonly #seconds: number;
  #sum: WindowSum;
  /** Of the points in `#sum`: the least minimum and, below 0, the greatest maximum. */
  #least = new Least();
  #greatest = new Least();
  /** The window of `#sum` begins here. */
  #from: number | undefined;
  /** By first second; `undefined`: without a request. */
  readonly #known = new Map<number, WindowValues | undefined>();
  /** First second that changed since `#known` was computed. */
  #changedFrom = 0;

  constructor(
    points: ReadonlyMap<number, readonly Placed[]>,
    seconds: number,
    percents: readonly number[],
  ) {
    [this.#points, this.#seconds, this.percents] = [points, seconds, percents];
    this.#sum = this.#emptySum();
  }

  added(second: number, placed: Placed): void {
    this.#changedFrom = Math.min(this.#changedFrom, second);
    const from = this.#from ?? Infinity;
    if (second >= from && second < from + this.#seconds) this.#changePoint("add", placed);
  }

  /** Those with a request. */
  within({ range, startsIn }: Omit<WindowsQuery, "seconds">): readonly WindowValues[] {
    const [known, seconds] = [this.#known, this.#seconds];
    this.#forget(range.from);
    const found: WindowValues[] = [];
    // The first time, those in between are computed in passing: each will be the one before another.
    const passedUntil = known.has(range.from) ? range.from : range.until - seconds + 1;
    for (let from = range.from; from < passedUntil; from++) known.set(from, this.#compute(from));
    for (const from of startsIn(range, seconds)) {
      if (from + seconds > range.until) break;
      if (!known.has(from)) known.set(from, this.#compute(from));
      const values = known.get(from);
      if (values !== undefined) found.push(values);
    }
    return found;
  }

  /** Forgets windows before a second, and those that have changed. */
  #forget(second: number): void {
    for (const from of this.#known.keys()) {
      if (from < second || from + this.#seconds > this.#changedFrom) this.#known.delete(from);
    }
    this.#changedFrom = Infinity;
  }

  #compute(from: number): WindowValues | undefined {
    this.#moveTo(from);
    const [requests = 0, failedRequests = 0, elapsedMicros = 0, , , , untimed = 0] = this.#sum.sums;
    if (requests === 0) return undefined;
    const quantiles = this.percents.map((percent) =>
      inSeconds(this.#sum.quantile(percent / 100, () => this.#extremesFrom(from))),
    );
    const average = inSeconds(Math.round(elapsedMicros / (requests - untimed)));
    return { from, requests, failedRequests, average, quantiles };
  }

  #moveTo(from: number): void {
    const [before, seconds] = [this.#from, this.#seconds];
    this.#from = from;
    if (before === undefined || Math.abs(from - before) >= seconds) {
      this.#sum = this.#emptySum();
      return this.#change("add", from, from + seconds);
    }
    this.#change("add", before + seconds, from + seconds);
    this.#change("remove", before, from);
    this.#change("add", from, before);
    this.#change("remove", from + seconds, before + seconds);
  }

  #change(change: "add" | "remove", from: number, until: number): void {
    for (let second = from; second < until; second++) {
      for (const placed of this.#points.get(second) ?? []) this.#changePoint(change, placed);
    }
  }

  #changePoint(change: "add" | "remove", { columns, point }: Placed): void {
    this.#sum.change(change, columns, point);
    this.#least[change](columns.minMicros[point] as number);
    this.#greatest[change](-(columns.maxMicros[point] as number));
  }

  #emptySum(): WindowSum {
    [this.#least, this.#greatest] = [new Least(), new Least()];
    return new WindowSum({ hasQuantiles: this.percents.length > 0 });
  }

  #extremesFrom(from: number): { readonly minMicros: number; readonly maxMicros: number } {
    const [least, greatest] = [this.#least, this.#greatest];
    if (least.value === undefined || greatest.value === undefined) {
      [this.#least, this.#greatest] = [new Least(), new Least()];
      for (let second = from; second < from + this.#seconds; second++) {
        for (const { columns, point } of this.#points.get(second) ?? []) {
          this.#least.add(columns.minMicros[point] as number);
          this.#greatest.add(-(columns.maxMicros[point] as number));
        }
      }
    }
    return {
      minMicros: this.#least.value ?? Infinity,
      maxMicros: -(this.#greatest.value ?? Infinity),
    };
  }
}

/** The least of values that come and go. */
class Least {
  /** `undefined`: not known, as the last one of it has gone. */
  value: number | undefined = Infinity;
  #times = 0;

  add(value: number): void {
    if (this.value === undefined || value > this.value) return;
    if (value < this.value) [this.value, this.#times] = [value, 0];
    this.#times += 1;
  }

  remove(value: number): void {
    if (value !== this.value) return;
    this.#times -= 1;
    if (this.#times === 0) this.value = undefined;
  }
}

function inSeconds(micros: number): number | null {
  return Number.isFinite(micros) ? micros / 1_000_000 : null;
}
