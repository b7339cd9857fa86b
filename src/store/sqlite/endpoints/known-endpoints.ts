import { grown } from "../../../model/columns.ts";
import { UserError } from "../../../model/errors.ts";
import { labelOfSeries } from "../../../model/series/facets.ts";
import type { Endpoint } from "../../../model/load-test.ts";
import { setHas, sizeOfSet } from "../../block/endpoint-set.ts";
import { HashSlots } from "../../../concurrency/hash-slots.ts";
import { secretFactor } from "../../../concurrency/secret-factor.ts";
import { Yielder } from "../../../concurrency/yielder.ts";

const SEED = secretFactor();
const MIX = secretFactor();

/** Endpoints per read: some milliseconds. */
const ROWS_AT_ONCE = 2048;

/** Returns at most this many endpoints by number, after one of them or from the first. */
export type ReadPage = (after: number | undefined, rows: number) => readonly Endpoint[];

/**
 * Numbers count up from 0 and are cached without gaps: only later ones, of any process, have to be read. For a million similar
 * labels, a Map takes five times as long, because it compares texts instead of hashes.
 */
export class KnownEndpoints {
  /** By number. */
  readonly labels: readonly string[];
  readonly #labels: string[] = [];
  readonly #slots = new HashSlots();
  readonly #page: ReadPage;
  readonly #tables = new WeakMap<readonly string[], LabelNumbers>();
  /** Of labels with several series, by the first number. */
  readonly #seriesOf = new Map<number, readonly number[]>();
  #further = 0;

  constructor(page: ReadPage) {
    this.labels = this.#labels;
    this.#page = page;
  }

  numberOf(label: string, hash = hashOf(label)): number | undefined {
    let number = this.#slots.first(hash);
    while (number >= 0 && this.#labels[number] !== label) number = this.#slots.next();
    return number < 0 ? undefined : number;
  }

  /** Numbers of the series of a label, ascending. */
  seriesOf(label: string): readonly number[] {
    const first = this.#firstOf(label, hashOf(label));
    return first === undefined ? [] : (this.#seriesOf.get(first) ?? [first]);
  }

  /** Series that are not the first of their label. */
  get furtherSeries(): number {
    return this.#further;
  }

  /** How many labels the endpoints of a set have. Needs all of them. */
  labelsIn(set: Uint8Array): number {
    let count = sizeOfSet(set);
    for (const numbers of this.#seriesOf.values()) {
      const shown = numbers.filter((number) => setHas(set, number)).length;
      count -= Math.max(0, shown - 1);
    }
    return count;
  }

  #firstOf(label: string, hash: number): number | undefined {
    let number = this.#slots.first(hash);
    while (number >= 0 && labelOfSeries(this.#labels[number] as string) !== label) {
      number = this.#slots.next();
    }
    return number < 0 ? undefined : number;
  }

  /** Returns the cached numbers of a label table, which may have grown since. */
  tableOf(labels: readonly string[]): LabelNumbers {
    const found = this.#tables.get(labels) ?? new LabelNumbers(this.labels);
    this.#tables.set(labels, found);
    return found;
  }

  /** Caches committed endpoints: all after those that are cached. Throws `damaged-store`. */
  remember(endpoints: readonly Endpoint[]): void {
    for (const { label, number } of endpoints) {
      const next = this.#labels.length;
      if (number < next) continue;
      if (number > next) throw new UserError("damaged-store", `endpoint ${next} has no label`);
      const hash = hashOf(label);
      const first = this.#firstOf(labelOfSeries(label), hash);
      if (first !== undefined) {
        this.#seriesOf.set(first, [...(this.#seriesOf.get(first) ?? [first]), number]);
        this.#further += 1;
      }
      this.#slots.add(hash);
      this.#labels.push(label);
    }
  }

  /** Caches all endpoints committed until now. Throws `damaged-store`. */
  catchUp(): void {
    while (this.#readOn()) continue;
  }

  /** The same, yielding between reads. */
  async catchUpInTurns(): Promise<void> {
    const yielder = new Yielder();
    while (this.#readOn()) await yielder.pass();
  }

  /** Returns whether there may be more. */
  #readOn(): boolean {
    const known = this.labels.length;
    const page = this.#page(known === 0 ? undefined : known - 1, ROWS_AT_ONCE);
    this.remember(page);
    return page.length === ROWS_AT_ONCE;
  }
}

/** Caches numbers by label index: looking up very many texts in every batch takes as long as encoding points. */
export class LabelNumbers {
  readonly #labels: readonly string[];
  #numbers: Uint32Array = new Uint32Array(64);

  /** `labels`: the label of each number; append-only. */
  constructor(labels: readonly string[]) {
    this.#labels = labels;
  }

  /** By index; entries of unknown labels are undefined. */
  get numbers(): Uint32Array {
    return this.#numbers;
  }

  /** Whether the number at an index is this label's. An index never learned has a number, too, usually of another. */
  knows(index: number, label: string | undefined): boolean {
    const number = this.#numbers[index];
    return label !== undefined && number !== undefined && this.#labels[number] === label;
  }

  learn(index: number, number: number): void {
    // A copy, as assigned numbers never change.
    if (index >= this.#numbers.length) this.#numbers = grown(this.#numbers, index + 1);
    this.#numbers[index] = number;
  }
}

/** The same for all series of a label, in one process. */
export function hashOf(name: string): number {
  const { length } = labelOfSeries(name);
  let hash = length ^ SEED;
  for (let at = 0; at < length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), MIX);
  return hash ^ (hash >>> 15);
}
