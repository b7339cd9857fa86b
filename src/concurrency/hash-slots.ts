const FIRST_SLOTS = 256;

/**
 * Finds the numbers of texts, from 0 on, by their hashes, which may be equal. A slot is 0 if empty. Otherwise its low bits
 * are the number plus 1, and the others those bits of the hash that do not follow from its place: half the memory and half
 * the cache misses of storing both.
 */
export class HashSlots {
  count = 0;
  #slots = new Int32Array(FIRST_SLOTS);
  /** By number, to move them to more slots. */
  #hashes = new Int32Array(FIRST_SLOTS / 2);
  #hash = 0;
  #at = 0;

  /** Returns the first number that may have this hash, or -1. */
  first(hash: number): number {
    this.#hash = hash;
    this.#at = hash;
    return this.next();
  }

  /** Returns the next number that may have the hash of `first`, or -1. */
  next(): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (;;) {
      const slot = slots[this.#at++ & mask] as number;
      if (slot === 0) return -1;
      if (((slot ^ this.#hash) & ~mask) === 0) return (slot & mask) - 1;
    }
  }

  /** Adds a hash. Returns its number, the next one. */
  add(hash: number): number {
    if (this.count * 2 >= this.#slots.length) this.#grow();
    this.#hashes[this.count] = hash;
    this.#enter(this.count++);
    return this.count - 1;
  }

  clear(): void {
    this.count = 0;
    this.#slots.fill(0);
  }

  #enter(number: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hash = this.#hashes[number] as number;
    let at = hash & mask;
    while (slots[at] !== 0) at = (at + 1) & mask;
    slots[at] = (hash & ~mask) | (number + 1);
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    const hashes = new Int32Array(this.#slots.length / 2);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    for (let number = 0; number < this.count; number++) this.#enter(number);
  }
}
