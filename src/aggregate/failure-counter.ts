import type { FailureCounts } from "../model/failures.ts";

/** More rows than this are worth handing on. */
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

  /** Adds failed requests. Labels and kinds are numbers below 2^26. */
  add(label: number, second: number, kind: number, requests: number): void {
    const pair = this.#pairOf(label, kind);
    const key = pair * 2 ** 32 + second;
    const row = this.#rows.get(key);
    if (row !== undefined) {
      this.#requests[row] = (this.#requests[row] as number) + requests;
      return;
    }
    this.#rows.set(key, this.#requests.length);
    this.#endpoint.push(this.#labels[pair] as number);
    this.#kind.push(this.#kinds[pair] as number);
    this.#second.push(second);
    this.#requests.push(requests);
  }

  /** Gives away all counts, sorted by (label, kind, second), and begins anew. */
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
