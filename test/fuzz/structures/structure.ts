/** What the bytes of an input mean, so that a change of it leaves lengths, compression and nesting right. */
export interface Structure {
  /** Lists, objects, texts, numbers, `Uint8Array`; `undefined` for bytes that are none. */
  decode(input: Uint8Array): unknown;
  /** Takes any such value, also of other kinds in other places. */
  encode(value: unknown): Uint8Array;
}

/** A number as it is written, such as `1e999`. */
export class RawNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
