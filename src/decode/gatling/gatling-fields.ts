/** The record is not there to its end. */
export class ShortRecord extends Error {}

/** The record cannot be one that Gatling has written. The message says what was got and wanted. */
export class DamagedRecord extends Error {}

/**
 * A longer record is taken for damage. Gatling up to 3.13 writes the whole body of a response into
 * the message of a failed check.
 */
const RECORD_BYTES_MAX = 16 * 1024 * 1024;

/** More groups, scenarios or assertions are taken for damage: they are read again with each piece. */
const LIST_LENGTH_MAX = 100_000;

/**
 * Characters kept of a text: a name that has more is too long for a label all the same, and messages
 * are cut before.
 */
const TEXT_CHARACTERS_KEPT = 1025;

/** Of further texts nothing is kept: checks that fail can make a new message for each request. */
const ALL_CHARACTERS_KEPT = 16 * 1024 * 1024;

const LATIN_1 = 0;
const UTF_16 = 1;

/**
 * Reads the fields of a record, one after another. All of them throw `ShortRecord` or
 * `DamagedRecord`.
 */
export class GatlingFields {
  /** Where the next field begins. */
  at = 0;
  #bytes: Buffer = Buffer.alloc(0);
  /** Where the record begins, and where the bytes end. */
  #from = 0;
  #to = 0;
  /** By index less one. */
  readonly #texts: (string | undefined)[] = [];
  /** Texts that were there before the record. */
  #known = 0;
  #charactersKept = 0;

  /** The next record begins at `from` of `bytes`, which are there up to `to`. */
  begin(bytes: Buffer, from: number, to: number): void {
    this.#bytes = bytes;
    this.at = from;
    this.#from = from;
    this.#to = to;
    this.#known = this.#texts.length;
  }

  /** Forgets the texts of a record that could not be read: it will be read again. */
  takeBack(): void {
    while (this.#texts.length > this.#known) {
      this.#charactersKept -= this.#texts.pop()?.length ?? 0;
    }
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#pass(1));
  }

  flag(): boolean {
    const value = this.byte();
    if (value > 1) throw new DamagedRecord(`no truth value: got ${value}, want 0 or 1`);
    return value === 1;
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#pass(4));
  }

  /** Milliseconds since the epoch. */
  instantMs(): number {
    return Number(this.#bytes.readBigInt64BE(this.#pass(8)));
  }

  /** How many fields follow. */
  listLength(): number {
    const length = this.int32();
    if (length >= 0 && length <= LIST_LENGTH_MAX) return length;
    throw new DamagedRecord(`no number of fields: got ${length}, want 0 to ${LIST_LENGTH_MAX}`);
  }

  /** Passes over bytes behind their number. */
  skipBytes(): void {
    this.#pass(this.int32());
  }

  /** Passes over a part of a known length. */
  skip(length: number): void {
    this.#pass(length);
  }

  /** The number of its bytes and, if there are any, these and the way in which they are written. */
  text(): string {
    const length = this.int32();
    if (length === 0) return "";
    const from = this.#pass(length);
    const coder = this.byte();
    if (coder === LATIN_1) {
      return this.#bytes.toString("latin1", from, from + Math.min(length, TEXT_CHARACTERS_KEPT));
    }
    if (coder !== UTF_16) {
      throw new DamagedRecord(`unknown coder of a text: got ${coder}, want 0 or 1`);
    }
    const to = from + Math.min(length, 2 * TEXT_CHARACTERS_KEPT);
    return this.#bytes.toString("utf16le", from, to);
  }

  /**
   * The index of a text, from 1: a new one, with the text behind it, or the one of a text before, as
   * a negative number.
   */
  textIndex(): number {
    const index = this.int32();
    const next = this.#texts.length + 1;
    if (index === next) {
      this.#keep(this.text());
      return index;
    }
    if (index < 0 && -index < next) return -index;
    throw new DamagedRecord(`no index of a text: got ${index}, want ${next} or -1 to ${1 - next}`);
  }

  /** The text of an index; `undefined` where the log has more texts than are kept. */
  textAt(index: number): string | undefined {
    return this.#texts[index - 1];
  }

  #keep(text: string): void {
    const isKept = this.#charactersKept + text.length <= ALL_CHARACTERS_KEPT;
    this.#texts.push(isKept ? text : undefined);
    if (isKept) this.#charactersKept += text.length;
  }

  #pass(length: number): number {
    const from = this.at;
    const to = from + length;
    if (length < 0 || to - this.#from > RECORD_BYTES_MAX) {
      throw new DamagedRecord(`no length: got ${length} bytes, want at most 16 MiB in a record`);
    }
    if (to > this.#to) throw new ShortRecord();
    this.at = to;
    return from;
  }
}
