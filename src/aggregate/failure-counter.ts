import { addExactly } from "../model/exact.ts";
import type { FailureCounts } from "../model/failures.ts";
import type { UserCounts } from "../model/active-users.ts";

/** Rows at which a flush is due. */
const ROWS_WANTED = 64 * 1024;

/** Counts failed requests by (label, kind, second). */
export class FailureCounter {
  /** Row by (pair, second), where a pair is the number of a (label, kind). */
  readonly #rows = new Map<number, number>();
  readonly #pairs = new Map<number, number>();
  readonly #labels: number[] = [];
  readonly #kinds: number[] = [];
  #endpoint: number[] = [];
  #kind: number[] = [];
  #second: number[] = [];
  #requests: number[] = [];

  get wantsFlush(): boolean {
    return this.#requests.length >= ROWS_WANTED;
  }

  /** Labels and kinds are numbers below 2^26. Throws `sum-too-large`. */
  add(label: number, second: number, kind: number, requests: number): void {
    const pair = this.#pairOf(label, kind);
    const key = pair * 2 ** 32 + second;
    const row = this.#rows.get(key);
    if (row !== undefined) {
      this.#requests[row] = addExactly(this.#requests[row] as number, requests);
      return;
    }
    this.#rows.set(key, this.#requests.length);
    this.#endpoint.push(this.#labels[pair] as number);
    this.#kind.push(this.#kinds[pair] as number);
    this.#second.push(second);
    this.#requests.push(requests);
  }

  /** Returns all counts sorted by (label, kind, second) and resets. */
  flush(): FailureCounts {
    const [endpoint, kind, second] = [this.#endpoint, this.#kind, this.#second];
    const order = Uint32Array.from(endpoint.keys()).toSorted(
      (left, right) =>
        (endpoint[left] as number) - (endpoint[right] as number) ||
        (kind[left] as number) - (kind[right] as number) ||
        (second[left] as number) - (second[right] as number),
    );
    const counts = {
      endpoint: order.map((row) => endpoint[row] as number),
      kind: order.map((row) => kind[row] as number),
      second: order.map((row) => second[row] as number),
      requests: Float64Array.from(order, (row) => this.#requests[row] as number),
    };
    [this.#endpoint, this.#kind, this.#second, this.#requests] = [[], [], [], []];
    this.#rows.clear();
    return counts;
  }

  #pairOf(label: number, kind: number): number {
    const key = label * 2 ** 26 + kind;
    const known = this.#pairs.get(key);
    if (known !== undefined) return known;
    const pair = this.#labels.length;
    this.#pairs.set(key, pair);
    this.#labels.push(label);
    this.#kinds.push(kind);
    return pair;
  }
}

interface OpenSecond {
  readonly generator: number;
  readonly second: number;
  active: number;
  started: number;
  ended: number;
}

export class UserCounter {
  readonly #open = new Map<number, OpenSecond>();
  #last: OpenSecond | undefined;

  addActive(generator: number, second: number, active: number): void {
    const open = this.#openSecond(generator, second);
    if (active > open.active) open.active = active;
  }

  addChanges(generator: number, second: number, started: number, ended: number): void {
    const open = this.#openSecond(generator, second);
    open.started += started;
    open.ended += ended;
  }

  /** Returns all counts sorted by (generator, second) and resets. */
  flush(): UserCounts {
    const rows = [...this.#open.values()].toSorted(
      (left, right) => left.generator - right.generator || left.second - right.second,
    );
    this.#open.clear();
    this.#last = undefined;
    return {
      generator: Uint32Array.from(rows, ({ generator }) => generator),
      second: Uint32Array.from(rows, ({ second }) => second),
      active: Float64Array.from(rows, ({ active }) => active),
      started: Float64Array.from(rows, ({ started }) => started),
      ended: Float64Array.from(rows, ({ ended }) => ended),
    };
  }

  /** Rows usually come in order of time. */
  #openSecond(generator: number, second: number): OpenSecond {
    const last = this.#last;
    if (last?.second === second && last.generator === generator) return last;
    const key = generator * 2 ** 32 + second;
    const found = this.#open.get(key) ?? { generator, second, active: 0, started: 0, ended: 0 };
    this.#open.set(key, found);
    this.#last = found;
    return found;
  }
}
