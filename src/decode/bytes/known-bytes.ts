import { ByteTable } from "./byte-table.ts";

/** A source can have a new text in each row: then all are forgotten, and learned again. */
const TEXTS_MAX = 16 * 1024;
const BYTES_MAX = 1024 * 1024;

/** What texts mean that come again and again in a source: it is made out once for each of them. */
export class KnownBytes<Meaning> {
  readonly #make: (bytes: Uint8Array) => Meaning;
  readonly #table = new ByteTable();
  #meanings: Meaning[] = [];

  /** `make` is given the bytes of a text, which it must not keep. */
  constructor(make: (bytes: Uint8Array) => Meaning) {
    this.#make = make;
  }

  /** What the text at `[from, to)` means. */
  at(bytes: Uint8Array, from: number, to: number): Meaning {
    const number = this.#table.find(bytes, from, to);
    if (number !== undefined) return this.#meanings[number] as Meaning;
    const meaning = this.#make(bytes.subarray(from, to));
    if (this.#table.count === TEXTS_MAX || this.#table.bytes + (to - from) > BYTES_MAX) {
      this.#table.clear();
      this.#meanings = [];
    }
    if (to - from > BYTES_MAX) return meaning;
    this.#table.add(bytes, from, to);
    this.#meanings.push(meaning);
    return meaning;
  }
}
