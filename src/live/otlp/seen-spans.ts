import { secretFactor } from "../../concurrency/secret-factor.ts";

const FIRST_SLOTS = 1024;
const WORDS = 2;
const MIX_HIGH = secretFactor();
const MIX_LOW = secretFactor();

/** Spans of a generation: two generations are remembered. */
const GENERATION_SPANS = 250_000;

/** The spans that a load test has: at least the last 250,000 of this process. */
export class SeenSpans {
  #young = new SpanIds();
  #old = new SpanIds();

  get bytes(): number {
    return this.#young.bytes + this.#old.bytes;
  }

  has(high: number, low: number): boolean {
    return this.#young.has(high, low) || this.#old.has(high, low);
  }

  add(ids: SpanIds): void {
    this.#young.addAll(ids);
    if (this.#young.count < GENERATION_SPANS) return;
    this.#old = this.#young;
    this.#young = new SpanIds();
  }
}

/** A set of span ids. The id 0 is none. */
export class SpanIds {
  count = 0;
  /** Two words an id, in open addressing. */
  #slots = new Uint32Array(FIRST_SLOTS * WORDS);

  get bytes(): number {
    return this.#slots.byteLength;
  }

  has(high: number, low: number): boolean {
    const at = this.#find(high, low);
    return this.#slots[at] !== 0 || this.#slots[at + 1] !== 0;
  }

  /** Returns whether the id is new. */
  add(high: number, low: number): boolean {
    if (high === 0 && low === 0) return true;
    if ((this.count + 1) * 2 * WORDS > this.#slots.length) this.#grow();
    const at = this.#find(high, low);
    if (this.#slots[at] !== 0 || this.#slots[at + 1] !== 0) return false;
    this.#put(at, high, low);
    this.count += 1;
    return true;
  }

  /** Without an object per id: there are many. */
  addAll(ids: SpanIds): void {
    const slots = ids.#slots;
    for (let at = 0; at < slots.length; at += WORDS) {
      this.add(slots[at] as number, slots[at + 1] as number);
    }
  }

  /** Place of the id, or the free one where it belongs. */
  #find(high: number, low: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const ofHigh = Math.imul(high ^ MIX_LOW, MIX_HIGH);
    const mixed = Math.imul((ofHigh ^ (ofHigh >>> 15)) + low, MIX_LOW);
    for (let at = ((mixed ^ (mixed >>> 15)) * WORDS) & mask; ; at = (at + WORDS) & mask) {
      if (slots[at] === high && slots[at + 1] === low) return at;
      if (slots[at] === 0 && slots[at + 1] === 0) return at;
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += WORDS) {
      const [high, low] = [before[at] as number, before[at + 1] as number];
      if (high !== 0 || low !== 0) this.#put(this.#find(high, low), high, low);
    }
  }

  #put(at: number, high: number, low: number): void {
    this.#slots[at] = high;
    this.#slots[at + 1] = low;
  }
}
