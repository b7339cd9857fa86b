/** Remembers what was used last, by number, as long as it all takes at most so many bytes. */
export class ByteBoundCache<Value> {
  readonly #bytesMax: number;
  /** The one used last is the last one. */
  readonly #kept = new Map<number, { readonly value: Value; readonly bytes: number }>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(number: number): Value | undefined {
    const found = this.#kept.get(number);
    if (found === undefined) return undefined;
    this.#kept.delete(number);
    this.#kept.set(number, found);
    return found.value;
  }

  /** Keeps a value in place of an earlier one; itself it is kept whatever it takes. */
  set(number: number, value: Value, bytes: number): void {
    this.#forget(number);
    this.#kept.set(number, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#bytesMax || oldest === number) break;
      this.#forget(oldest);
    }
  }

  #forget(number: number): void {
    this.#bytes -= this.#kept.get(number)?.bytes ?? 0;
    this.#kept.delete(number);
  }
}
