import type { SeriesColumns } from "../../model/data-points.ts";
import type { SecondRange } from "../../model/columns.ts";
import { NO_EXTREMES, WindowSum, withPoint } from "../../series/sliding-windows.ts";
import type { SeriesOfWindows } from "../load-test-reader.ts";

interface WindowsQuery {
  readonly seconds: number;
  /** Each 0 to 100. */
  readonly percents: readonly number[];
  /** Within which windows lie. */
  readonly range: SecondRange;
}

/** A point of one second. */
interface Placed {
  readonly columns: SeriesColumns;
  readonly point: number;
}

/**
 * First seconds of the windows to judge in a range that begins two lengths before what is new, or with the run: of windows that hold a new
 * second, and of those directly before them; the newest in any case. Those in between were judged before.
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
  readonly #windows = new Map<string, GrowingWindows>();
  /** Seconds before it are removed. */
  #from = 0;

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

  /** As `LoadTestReader.windows` returns them, of those that begin at `recentStarts`. Throws `sum-too-large`. */
  windows({ seconds, percents, range }: WindowsQuery): Omit<SeriesOfWindows, "label"> {
    const key = JSON.stringify([seconds, percents]);
    const windows = this.#windows.get(key) ?? new GrowingWindows(this.#seconds, seconds, percents);
    this.#windows.set(key, windows);
    const found = windows.within(range);
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
  readonly #points: ReadonlyMap<number, readonly Placed[]>;
  readonly #seconds: number;
  readonly #percents: readonly number[];
  #sum = new WindowSum();
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
    [this.#points, this.#seconds, this.#percents] = [points, seconds, percents];
  }

  added(second: number, { columns, point }: Placed): void {
    this.#changedFrom = Math.min(this.#changedFrom, second);
    const from = this.#from ?? Infinity;
    if (second >= from && second < from + this.#seconds) this.#sum.change("add", columns, point);
  }

  /** Those with a request. */
  within(range: SecondRange): readonly WindowValues[] {
    const [known, seconds] = [this.#known, this.#seconds];
    this.#forget(range.from);
    const found: WindowValues[] = [];
    // The first time, those in between are computed in passing: each will be the one before another.
    const passedUntil = known.has(range.from) ? range.from : range.until - seconds + 1;
    for (let from = range.from; from < passedUntil; from++) known.set(from, this.#compute(from));
    for (const from of recentStarts(range, seconds)) {
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
    let extremes: typeof NO_EXTREMES | undefined;
    const quantiles = this.#percents.map((percent) =>
      inSeconds(this.#sum.quantile(percent / 100, () => (extremes ??= this.#extremes(from)))),
    );
    const average = inSeconds(elapsedMicros / (requests - untimed));
    return { from, requests, failedRequests, average, quantiles };
  }

  #moveTo(from: number): void {
    const [before, seconds] = [this.#from, this.#seconds];
    this.#from = from;
    if (before === undefined || Math.abs(from - before) >= seconds) {
      this.#sum = new WindowSum();
      return this.#change("add", from, from + seconds);
    }
    this.#change("add", before + seconds, from + seconds);
    this.#change("remove", before, from);
    this.#change("add", from, before);
    this.#change("remove", from + seconds, before + seconds);
  }

  #change(change: "add" | "remove", from: number, until: number): void {
    for (let second = from; second < until; second++) {
      for (const { columns, point } of this.#points.get(second) ?? []) {
        this.#sum.change(change, columns, point);
      }
    }
  }

  #extremes(from: number): typeof NO_EXTREMES {
    let extremes = NO_EXTREMES;
    for (let second = from; second < from + this.#seconds; second++) {
      for (const { columns, point } of this.#points.get(second) ?? []) {
        extremes = withPoint(extremes, columns, point);
      }
    }
    return extremes;
  }
}

function inSeconds(micros: number): number | null {
  return Number.isFinite(micros) ? micros / 1_000_000 : null;
}
