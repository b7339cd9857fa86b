import { createHash } from "node:crypto";

/** The record is incomplete. */
export class ShortRecord extends Error {}

/** The record was not written by Gatling; the message has got and want. */
export class DamagedRecord extends Error {}

/** Longer records are damaged. Gatling up to 3.13 writes whole response bodies into the messages of failed checks. */
const RECORD_BYTES_MAX = 16 * 1024 * 1024;

/** Longer lists are damaged: they are read again with each chunk. */
const LIST_LENGTH_MAX = 100_000;

/** Stored characters of a text, followed by a hash of longer ones: longer names exceed the label limit. */
const TEXT_CHARACTERS_KEPT = 1025;

/** Total stored characters: failed checks can have a new message for each request. */
const ALL_CHARACTERS_KEPT = 16 * 1024 * 1024;

const LATIN_1 = 0;
const UTF_16 = 1;

/** Reads the fields of a record. All methods throw `ShortRecord` or `DamagedRecord`. */
export class GatlingFields {
  /** Position of the next field. */
  at = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #from = 0;
  #to = 0;
  /** By index - 1. */
  readonly #texts: (string | undefined)[] = [];
  /** Texts before this record. */
  #textsBefore = 0;
  #charactersKept = 0;

  /** The record begins at `from`; bytes are available up to `to`. */
  begin(bytes: Buffer, from: number, to: number): void {
    this.#bytes = bytes;
    this.at = from;
    this.#from = from;
    this.#to = to;
    this.#textsBefore = this.#texts.length;
  }

  /** Drops the texts of a record that will be read again. */
  takeBack(): void {
    while (this.#texts.length > this.#textsBefore) {
      this.#charactersKept -= this.#texts.pop()?.length ?? 0;
    }
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#pass(1));
  }

  flag(): boolean {
    const value = this.byte();
    if (value > 1) throw new DamagedRecord(`not a boolean: got ${value}, want 0 or 1`);
    return value === 1;
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#pass(4));
  }

  instantMs(): number {
    return Number(this.#bytes.readBigInt64BE(this.#pass(8)));
  }

  listLength(): number {
    const length = this.int32();
    if (length >= 0 && length <= LIST_LENGTH_MAX) return length;
    throw new DamagedRecord(
      `invalid number of fields: got ${length}, want 0 to ${LIST_LENGTH_MAX}`,
    );
  }

  /** Skips length-prefixed bytes. */
  skipBytes(): void {
    this.#pass(this.int32());
  }

  /** Length and, unless empty, bytes and their encoding. */
  text(): string {
    const length = this.int32();
    if (length === 0) return "";
    const from = this.#pass(length);
    const coder = this.byte();
    if (coder !== LATIN_1 && coder !== UTF_16) {
      throw new DamagedRecord(`unknown string encoding: got ${coder}, want 0 or 1`);
    }
    const kept = TEXT_CHARACTERS_KEPT * (coder === LATIN_1 ? 1 : 2);
    const to = from + Math.min(length, kept);
    const text = this.#bytes.toString(coder === LATIN_1 ? "latin1" : "utf16le", from, to);
    return length <= kept ? text : text + hashOf(this.#bytes.subarray(from, from + length));
  }

  /** Index of a text, from 1: a new one followed by the text, or a known one as a negative number. */
  textIndex(): number {
    const index = this.int32();
    const next = this.#texts.length + 1;
    if (index === next) {
      this.#keep(this.text());
      return index;
    }
    if (index < 0 && -index < next) return -index;
    throw new DamagedRecord(
      `invalid string index: got ${index}, want ${next} or -1 to ${1 - next}`,
    );
  }

  /** `undefined` if it was not stored. */
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
      throw new DamagedRecord(
        `invalid length: got ${length} bytes, want at most 16 MiB in a record`,
      );
    }
    if (to > this.#to) throw new ShortRecord();
    this.at = to;
    return from;
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
