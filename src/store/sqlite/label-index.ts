/** Labels by their number, and numbers by their label: a table for very many of them. */

const FIRST_SLOTS = 256;
/** A slot is the hash of a label, and its number + 1: 0 where it is empty. */
const SLOT_WORDS = 2;
const MIX = 0x9e3779b1;

/**
 * Where there are a million labels that look alike, a Map takes five times as long: it compares texts
 * where this compares hashes.
 */
export class LabelIndex {
  readonly #labels: string[] = [];
  #slots = new Int32Array(FIRST_SLOTS * SLOT_WORDS);

  /** By number. */
  get labels(): readonly string[] {
    return this.#labels;
  }

  /** The number of a label, if it has one. */
  find(label: string): number | undefined {
    const hash = hashOf(label);
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let at = (hash * SLOT_WORDS) & mask; ; at = (at + SLOT_WORDS) & mask) {
      const number = (slots[at + 1] as number) - 1;
      if (number < 0) return undefined;
      if (slots[at] === hash && this.#labels[number] === label) return number;
    }
  }

  /** Gives a label a number; to be called once for each of both. */
  add(label: string, number: number): void {
    if (this.#labels.length * 2 * SLOT_WORDS >= this.#slots.length) this.#grow();
    this.#labels[number] = label;
    this.#enter(hashOf(label), number);
  }

  #enter(hash: number, number: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = (hash * SLOT_WORDS) & mask;
    while (slots[at + 1] !== 0) at = (at + SLOT_WORDS) & mask;
    slots[at] = hash;
    slots[at + 1] = number + 1;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(before.length * 2);
    for (let at = 0; at < before.length; at += SLOT_WORDS) {
      const number = (before[at + 1] as number) - 1;
      if (number >= 0) this.#enter(before[at] as number, number);
    }
  }
}

function hashOf(label: string): number {
  let hash = label.length;
  for (let at = 0; at < label.length; at++) hash = Math.imul(hash ^ label.charCodeAt(at), MIX);
  return hash ^ (hash >>> 15);
}
