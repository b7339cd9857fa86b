/** Numbers entries in the order they come, from 0. */
export class GrowingTable<Entry> {
  readonly entries: Entry[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #keyOf: (entry: Entry) => string;

  /** `keyOf`: equal for equal entries only. */
  constructor(keyOf: (entry: Entry) => string) {
    this.#keyOf = keyOf;
  }

  numberOf(entry: Entry): number {
    const key = this.#keyOf(entry);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.entries.length);
    return this.entries.push(entry) - 1;
  }
}
