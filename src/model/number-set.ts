/** Numbers of endpoints that are asked for one by one: a bit for each. */
export class NumberSet {
  readonly #bits: Uint8Array;

  constructor(ascending: Uint32Array) {
    this.#bits = new Uint8Array(((ascending.at(-1) ?? 0) >> 3) + 1);
    for (const number of ascending) {
      this.#bits[number >> 3] = (this.#bits[number >> 3] as number) | (1 << (number & 7));
    }
  }

  has(number: number): boolean {
    return ((this.#bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }
}
