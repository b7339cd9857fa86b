/** Sorts the labels of very many endpoints as packed UTF-8, without an object per label. */

import { UserError } from "../../../model/errors.ts";
import { Yielder } from "../../../concurrency/yielder.ts";

/** Labels per page: they share a buffer and are sorted in a few milliseconds. */
export const PAGE_NUMBERS = 2048;

interface LabelBytes {
  readonly number: number;
  readonly bytes: Uint8Array;
}

export class PackedLabels {
  readonly #pages: Buffer[] = [];
  readonly #runs: Uint32Array[] = [];
  /** Position of each label within its page, by number. */
  readonly #from: Uint32Array;
  readonly #until: Uint32Array;

  /** All numbers are below `end`. */
  constructor(end: number) {
    this.#from = new Uint32Array(end);
    this.#until = new Uint32Array(end);
  }

  /** Copies the labels of the next page: those whose number divided by `PAGE_NUMBERS` is its index. */
  addPage(rows: readonly LabelBytes[]): void {
    const page = Buffer.from(new ArrayBuffer(rows.reduce((sum, row) => sum + row.bytes.length, 0)));
    let at = 0;
    for (const { number, bytes } of rows) {
      page.set(bytes, at);
      this.#from[number] = at;
      at += bytes.length;
      this.#until[number] = at;
    }
    this.#pages.push(page);
    this.#runs.push(Uint32Array.from(rows, ({ number }) => number).toSorted(this.#compare));
  }

  /** Returns all numbers in the order of their labels. Call once. Throws `damaged-store`. */
  async sorted(): Promise<Uint32Array> {
    const yielder = new Yielder();
    let runs = this.#runs.splice(0);
    while (runs.length > 1) {
      const merged: Uint32Array[] = [];
      for (let run = 0; run < runs.length; run += 2) {
        const [one, other] = [runs[run] as Uint32Array, runs[run + 1]];
        merged.push(other === undefined ? one : await this.#merge(one, other, yielder));
      }
      runs = merged;
    }
    const sorted = runs[0] ?? new Uint32Array(0);
    await this.#requireOnce(sorted, yielder);
    return sorted;
  }

  async #merge(one: Uint32Array, other: Uint32Array, yielder: Yielder): Promise<Uint32Array> {
    const merged = new Uint32Array(one.length + other.length);
    let [at, otherAt] = [0, 0];
    while (at < one.length && otherAt < other.length) {
      const [next, otherNext] = [one[at] as number, other[otherAt] as number];
      const isOther = this.#compare(otherNext, next) < 0;
      merged[at + otherAt] = isOther ? otherNext : next;
      if (isOther) otherAt += 1;
      else at += 1;
      if ((at + otherAt) % PAGE_NUMBERS === 0) await yielder.pass();
    }
    merged.set(one.subarray(at), at + otherAt);
    merged.set(other.subarray(otherAt), one.length + otherAt);
    return merged;
  }

  /** The file itself does not prevent a label with two numbers. */
  async #requireOnce(sorted: Uint32Array, yielder: Yielder): Promise<void> {
    for (let at = 1; at < sorted.length; at++) {
      const [before, number] = [sorted[at - 1] as number, sorted[at] as number];
      if (this.#compare(before, number) === 0) {
        const label = JSON.stringify(this.#pageOf(number).toString("utf8", ...this.#place(number)));
        throw new UserError(
          "damaged-store",
          `label ${label} has two numbers, ${before} and ${number}`,
        );
      }
      if (at % PAGE_NUMBERS === 0) await yielder.pass();
    }
  }

  readonly #compare = (one: number, other: number): number => {
    const [from, until] = this.#place(one);
    return this.#pageOf(one).compare(this.#pageOf(other), ...this.#place(other), from, until);
  };

  #pageOf(number: number): Buffer {
    return this.#pages[Math.floor(number / PAGE_NUMBERS)] as Buffer;
  }

  #place(number: number): readonly [from: number, until: number] {
    return [this.#from[number] as number, this.#until[number] as number];
  }
}
