import { LABEL_TOO_LONG, LabelTable } from "./label-table.ts";

/** A file can have a new text in each row: then all are forgotten, and learned again. */
const TEXTS_MAX = 4096;

/** Texts that come again and again in a source: they are decoded once. */
export class KnownTexts {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #table = new LabelTable();

  /** The text at `[from, to)`. */
  at(bytes: Uint8Array, from: number, to: number): string {
    if (from === to) return "";
    if (this.#table.texts.length === TEXTS_MAX) this.#table = new LabelTable();
    const index = this.#table.indexOf(bytes, from, to);
    if (index === LABEL_TOO_LONG) return this.#decoder.decode(bytes.subarray(from, to));
    return this.#table.texts[index] as string;
  }
}
