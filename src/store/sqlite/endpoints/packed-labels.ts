/** Sorts the labels of very many endpoints as packed UTF-8, without an object per label. */

import { Yielder } from "../../../concurrency/yielder.ts";
import { mergeRuns, twice } from "./merge-runs.ts";

/** Labels per page: they share a buffer and are sorted in a few milliseconds. */
export const PAGE_NUMBERS = 2048;

interface LabelBytes {
  readonly number: number;
  readonly bytes: Uint8Array;
}

export class PackedLabels {
  readonly #pages: Buffer[] = [];
  readonly #runs: (readonly number[])[] = [];
  /** Position of each label within its page, by number. */
  readonly #from: Uint32Array;
  readonly #until: Uint32Array;

  /** All numbers are below `end`. */
  constructor(end: number) {
    this.#from = new Uint32Array(end);
    this.#until = new Uint32Array(end);
  }

  /** Copies the labels of the next page: those whose number divided by `PAGE_NUMBERS` is its index. Throws `damaged-store`. */
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
    this.#runs.push(rows.map(({ number }) => number).toSorted(this.#compare));
  }

  /** Returns all numbers in the order of their labels. Call once. Throws `damaged-store`. */
  async sorted(): Promise<Uint32Array> {
    return Uint32Array.from(await mergeRuns(this.#runs.splice(0), this.#compare, new Yielder()));
  }

  readonly #compare = (one: number, other: number): number => {
    const [from, until] = this.#place(one);
    const page = this.#pageOf(one);
    const difference = page.compare(this.#pageOf(other), ...this.#place(other), from, until);
    const isTwice = difference === 0 && one !== other;
    return isTwice ? twice(page.toString("utf8", from, until), [one, other]) : difference;
  };

  #pageOf(number: number): Buffer {
    return this.#pages[Math.floor(number / PAGE_NUMBERS)] as Buffer;
  }

  #place(number: number): readonly [from: number, until: number] {
    return [this.#from[number] as number, this.#until[number] as number];
  }
}
