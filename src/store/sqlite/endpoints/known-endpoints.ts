/** What a process remembers of the endpoints of one load test. */

import type { Endpoint } from "../../../model/load-test.ts";
import { Yielder } from "../../../concurrency/yielder.ts";

/** Labels by their number, and numbers by their label: a table for very many of them. */

const FIRST_SLOTS = 256;

/** A slot is the hash of a label, and its number + 1: 0 where it is empty. */
const SLOT_WORDS = 2;

const MIX = 0x9e3779b1;

/** Endpoint numbers of a table of labels that one batch after the other uses, as it grows. */

const FIRST_LABELS = 64;

/** Read at a time: some milliseconds. */
const ROWS_AT_ONCE = 2048;

/** Reads at most so many endpoints by number, behind one of them or from the first on. */
export type ReadPage = (after: number | undefined, rows: number) => readonly Endpoint[];

/**
 * Numbers are given in a row, from 0 on: all of the first so many are remembered, so that only those
 * behind them have to be read, whoever gave them.
 */
export class KnownEndpoints {
  readonly #page: ReadPage;
  readonly #index = new LabelIndex();
  readonly #tables = new WeakMap<readonly string[], LabelNumbers>();

  constructor(page: ReadPage) {
    this.#page = page;
  }

  /** By number. */
  get labels(): readonly string[] {
    return this.#index.labels;
  }

  numberOf(label: string): number | undefined {
    return this.#index.find(label);
  }

  /** The numbers that were remembered for a table of labels, which may have grown since. */
  tableOf(labels: readonly string[]): LabelNumbers {
    const found = this.#tables.get(labels) ?? new LabelNumbers(this.labels);
    this.#tables.set(labels, found);
    return found;
  }

  /** Remembers endpoints that were committed: all there are behind some that were remembered. */
  remember(endpoints: readonly Endpoint[]): void {
    const known = this.labels.length;
    for (const { label, number } of endpoints) if (number >= known) this.#index.add(label, number);
  }

  /** Remembers all that was committed until now. Throws `damaged-store`. */
  catchUp(): void {
    while (this.#readOn()) continue;
  }

  /** The same; others have their turn meanwhile. */
  async catchUpInTurns(): Promise<void> {
    const yielder = new Yielder();
    while (this.#readOn()) await yielder.pass();
  }

  /** Answers whether there may be more. */
  #readOn(): boolean {
    const known = this.labels.length;
    const page = this.#page(known === 0 ? undefined : known - 1, ROWS_AT_ONCE);
    this.remember(page);
    return page.length === ROWS_AT_ONCE;
  }
}

/**
 * Remembers numbers by the index of their label. To look a label up by its text in every batch takes
 * as long as encoding its points, where there are very many labels.
 */
export class LabelNumbers {
  readonly #labels: readonly string[];
  #numbers = new Uint32Array(FIRST_LABELS);

  /** `labels`: the label of each number, of all there are; only ever grows. */
  constructor(labels: readonly string[]) {
    this.#labels = labels;
  }

  /** By index; those of labels that are not known mean nothing. */
  get numbers(): Uint32Array {
    return this.#numbers;
  }

  /**
   * Whether the number at an index is that of this label, which may be another one than before: an
   * index that nothing was learned of has a number, too, and mostly that of another label.
   */
  knows(index: number, label: string | undefined): boolean {
    const number = this.#numbers[index];
    return label !== undefined && number !== undefined && this.#labels[number] === label;
  }

  learn(index: number, number: number): void {
    if (index >= this.#numbers.length) this.#grow(index + 1);
    this.#numbers[index] = number;
  }

  /** What was given before stays as it is. */
  #grow(length: number): void {
    const numbers = new Uint32Array(Math.max(length, this.#numbers.length * 2));
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}

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
