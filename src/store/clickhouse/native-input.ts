import { NativeError } from "./native-error.ts";

/** Reads something, and yields wherever more bytes have to be fed before it can go on. */
export type Reading<Result> = Generator<undefined, Result, undefined>;

/** No column of a block has more bytes; who reads of more does not read what was meant. */
const MOST_BYTES = 2 ** 30;

/** The bytes of an answer, in chunks of any size: what is read does not depend on where they end. */
export class NativeInput {
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  #hasEnded = false;

  /** The next bytes, to be given only when all before were read: when a reading has yielded. */
  feed(chunk: Uint8Array): void {
    this.#chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#at = 0;
  }

  /** No more bytes will come. */
  end(): void {
    this.#hasEnded = true;
  }

  /** Whether there is another byte. */
  *hasMore(): Reading<boolean> {
    while (this.#at === this.#chunk.length) {
      if (this.#hasEnded) return false;
      yield;
    }
    return true;
  }

  /** The next `count` bytes, in memory of their own and aligned for every kind of number. */
  *take(count: number): Reading<Uint8Array<ArrayBuffer>> {
    if (count > MOST_BYTES) throw new NativeError(`a column of ${count} bytes is announced`);
    const bytes = Buffer.allocUnsafeSlow(count);
    for (let filled = 0; filled < count;) {
      yield* this.#requireMore();
      const copied = this.#chunk.copy(bytes, filled, this.#at);
      filled += copied;
      this.#at += copied;
    }
    return bytes;
  }

  /** An integer up to `most`, seven bits a byte, lowest first; the last has no high bit. */
  *varint(most: number): Reading<number> {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      yield* this.#requireMore();
      const next = this.#chunk[this.#at++] as number;
      value += (next & 0x7f) * scale;
      if (value > most) throw new NativeError(`${value} or more is announced, want up to ${most}`);
      if (next < 0x80) return value;
      if (scale > most) throw new NativeError("a number does not end");
    }
  }

  /** A text after its length. */
  *text(): Reading<string> {
    const whole = this.#textInChunk();
    if (whole !== undefined) return whole;
    const bytes = yield* this.take(yield* this.varint(MOST_BYTES));
    return Buffer.from(bytes.buffer, 0, bytes.length).toString("utf8");
  }

  *texts(count: number): Reading<string[]> {
    const texts: string[] = [];
    while (texts.length < count) texts.push(this.#textInChunk() ?? (yield* this.text()));
    return texts;
  }

  /** A text that the chunk has whole, of less than 16 KiB: most are, and it costs a tenth. */
  #textInChunk(): string | undefined {
    let from = this.#at;
    let length = this.#chunk[from++] ?? 0;
    if (length > 0x7f) length += ((this.#chunk[from++] ?? 0x80) - 1) * 128;
    if (length >= 2 ** 14 || from + length > this.#chunk.length) return undefined;
    this.#at = from + length;
    return this.#chunk.toString("utf8", from, this.#at);
  }

  *#requireMore(): Reading<void> {
    if (!(yield* this.hasMore())) throw new NativeError("the answer ends in the middle of a block");
  }
}
