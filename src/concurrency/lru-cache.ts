interface Entry<Value> {
  readonly value: Value;
  readonly cost: number;
}

/** A least-recently-used cache, bounded by the total cost of its entries. Costs have the unit of `costMax`. */
export class LruCache<Key, Value> {
  readonly #costMax: number;
  readonly #onRemove: (value: Value) => void;
  /** In order of use, least recent first. */
  readonly #entries = new Map<Key, Entry<Value>>();
  /** The last of them, unless it was deleted. */
  #newest: Entry<Value> | undefined;
  #cost = 0;

  /** `onRemove` gets each value that is evicted, deleted or replaced. */
  constructor(costMax: number, onRemove: (value: Value) => void = () => undefined) {
    this.#costMax = costMax;
    this.#onRemove = onRemove;
  }

  /** Counts as a use. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry === this.#newest) return entry?.value;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#newest = entry;
    return entry.value;
  }

  /** Evicts other entries to make room; the value itself is cached whatever it costs. */
  set(key: Key, value: Value, cost = 1): void {
    this.delete(key);
    this.#newest = { value, cost };
    this.#entries.set(key, this.#newest);
    this.#cost += cost;
    for (const oldest of this.#entries.keys()) {
      if (this.#cost <= this.#costMax || oldest === key) break;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    if (entry === this.#newest) this.#newest = undefined;
    this.#cost -= entry.cost;
    this.#onRemove(entry.value);
  }
}
