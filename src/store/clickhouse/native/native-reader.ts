/**
 * Parses responses in ClickHouse's Native format (revision 0; layout: `native-writer.ts`) as they arrive. Exceptions in
 * the middle, truncated and unknown responses throw `NativeError` and are never read as values.
 */

import {
  NUMBER_WIDTHS,
  NativeBlock,
  NativeError,
  type NativeReadColumn,
  type NativeType,
  type NativeValues,
  nativeType,
} from "./native-block.ts";

/** Sanity limit for the bytes of a column. */
const MOST_BYTES = 2 ** 30;

/** Longer than the exception texts of servers, which are limited to 16 KiB. */
const TAIL_BYTES = 24 * 1024;

/** Exception text at the end of a response: no control characters. */
const EXCEPTION =
  /(?:Poco::Exception\. |std::exception\. )?Code: (\d+)[.,] (?:[A-Za-z]+::|e\.|type:)(?:\P{Cc}|[\t\n\r])*$/u;

/** Sanity limit, far above what is requested. */
const MOST_COLUMNS = 1000;
const MOST_ROWS = 2 ** 30;

/** Yields the blocks of a response, each once the next block or a proper end has arrived. */
export async function* readNativeBlocks(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<NativeBlock, void, undefined> {
  const parser = new Parser();
  try {
    for await (const chunk of chunks) yield* parser.feed(chunk);
  } catch (error) {
    throw parser.tail.exception(error) ?? error;
  }
  yield* parser.end();
}

/** Parses a complete response. */
export function decodeNative(bytes: Uint8Array): readonly NativeBlock[] {
  const parser = new Parser();
  return [...parser.feed(bytes), ...parser.end()];
}

class Parser {
  readonly tail = new AnswerTail();
  readonly #input = new NativeInput();
  readonly #blocks = readBlocks(this.#input);
  #failure: unknown;

  /** Returns the blocks that are certain by now. After invalid bytes there are none. */
  feed(chunk: Uint8Array): readonly NativeBlock[] {
    this.tail.add(chunk);
    if (this.#failure !== undefined) return [];
    this.#input.feed(chunk);
    return this.#ready();
  }

  /** Returns the remaining blocks. Throws if the response is not a series of blocks. */
  end(): readonly NativeBlock[] {
    this.#input.end();
    const blocks = this.#failure === undefined ? this.#ready() : [];
    if (this.#failure !== undefined) throw this.tail.exception() ?? this.#failure;
    // Text that looks like an exception to its last byte is ambiguous, and not expected.
    const exception = endsWithText(blocks.at(-1)) ? undefined : this.tail.exception();
    if (exception !== undefined) throw exception;
    return blocks;
  }

  #ready(): readonly NativeBlock[] {
    const blocks: NativeBlock[] = [];
    try {
      for (let block = this.#next(); block !== undefined; block = this.#next()) blocks.push(block);
    } catch (error) {
      // The rest of the exception text may still arrive.
      this.#failure = error;
    }
    return blocks;
  }

  #next(): NativeBlock | undefined {
    const { value, done } = this.#blocks.next();
    return done === true ? undefined : value;
  }
}

/** Yields a block once the next one is complete: until then its end may be exception text. */
function* readBlocks(input: NativeInput): Generator<NativeBlock | undefined, void, undefined> {
  let last: NativeBlock | undefined;
  while (yield* input.hasMore()) {
    const block = yield* readBlock(input);
    if (last !== undefined) {
      requireSameColumns(block, last);
      yield last;
    }
    last = block;
  }
  if (last !== undefined) yield last;
}

function* readBlock(input: NativeInput): Reading<NativeBlock> {
  const columnCount = yield* input.varint(MOST_COLUMNS);
  const rows = yield* input.varint(MOST_ROWS);
  const columns: NativeReadColumn[] = [];
  while (columns.length < columnCount) {
    const [name, type] = [yield* input.text(), yield* input.text()];
    columns.push({ name, type, values: yield* readValues(input, nativeType(type), rows) });
  }
  return new NativeBlock(rows, columns);
}

function* readValues(input: NativeInput, type: NativeType, rows: number): Reading<NativeValues> {
  if (type.kind === "number") {
    return { ...type, bytes: yield* input.take(rows * NUMBER_WIDTHS[type.number]) };
  }
  if (type.kind === "fixed") return { ...type, bytes: yield* input.take(rows * type.width) };
  if (type.kind === "text") return { ...type, texts: yield* input.texts(rows) };
  const from = arraysFrom(yield* input.take(8 * rows));
  const values = yield* readValues(input, type.element, from[rows] as number);
  return { kind: "array", from, values };
}

/** Converts array ends to starts. */
function arraysFrom(ends: Uint8Array): Uint32Array {
  const halves = new Uint32Array(ends.buffer, ends.byteOffset, ends.length / 4);
  const from = new Uint32Array(halves.length / 2 + 1);
  for (let row = 1; row < from.length; row++) {
    const end = halves[2 * row - 2] as number;
    if (halves[2 * row - 1] !== 0) {
      throw new NativeError("array offsets exceed 2^32 entries");
    }
    if (end < (from[row - 1] as number)) {
      throw new NativeError("array offsets decrease");
    }
    from[row] = end;
  }
  return from;
}

function requireSameColumns(block: NativeBlock, last: NativeBlock): void {
  const [got, want] = [block, last].map(({ columns }) =>
    columns.map(({ name, type }) => `${name} ${type}`).join(", "),
  );
  if (got !== want)
    throw new NativeError(`the columns of the response change from ${want} to ${got}`);
}

function endsWithText(block: NativeBlock | undefined): boolean {
  const values = block?.columns.at(-1)?.values;
  return (values?.kind === "array" ? values.values : values)?.kind === "text";
}

/** Detects exceptions at the end of a response: a server that fails late appends them as text anywhere. */
class AnswerTail {
  #bytes: Uint8Array = new Uint8Array(0);

  add(chunk: Uint8Array): void {
    const joined = Buffer.concat([this.#bytes, chunk.subarray(-TAIL_BYTES)]);
    this.#bytes = joined.subarray(-TAIL_BYTES);
  }

  /** Returns the exception at the end of the response. */
  exception(cause?: unknown): NativeError | undefined {
    const text = new TextDecoder().decode(this.#bytes);
    const found = EXCEPTION.exec(text);
    if (found === null) return undefined;
    const message = `the server broke off its answer: ${found[0].trim()}`;
    return new NativeError(message, { cause, serverCode: Number(found[1]) });
  }
}

/** A parser that yields whenever it needs more bytes. */
type Reading<Result> = Generator<undefined, Result, undefined>;

/** Bytes of a response in chunks of any size; parsing does not depend on their boundaries. */
class NativeInput {
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  #hasEnded = false;

  /** Adds bytes. Call only when all earlier ones were read, that is after a yield. */
  feed(chunk: Uint8Array): void {
    this.#chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#at = 0;
  }

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

  /** Returns the next `count` bytes, copied and aligned for every type of number. */
  *take(count: number): Reading<Uint8Array<ArrayBuffer>> {
    if (count > MOST_BYTES) throw new NativeError(`a column announces ${count} bytes`);
    const bytes = Buffer.allocUnsafeSlow(count);
    for (let filled = 0; filled < count;) {
      yield* this.#requireMore();
      const copied = this.#chunk.copy(bytes, filled, this.#at);
      filled += copied;
      this.#at += copied;
    }
    return bytes;
  }

  *varint(most: number): Reading<number> {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      yield* this.#requireMore();
      const next = this.#chunk[this.#at++] as number;
      value += (next & 0x7f) * scale;
      if (value > most)
        throw new NativeError(`got an announced length of at least ${value}, want at most ${most}`);
      if (next < 0x80) return value;
      if (scale > most) throw new NativeError("a number is not terminated");
    }
  }

  /** Reads a length-prefixed text. */
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

  /** Fast path for texts below 16 KiB within one chunk: most of them, at a tenth of the time. */
  #textInChunk(): string | undefined {
    let from = this.#at;
    let length = this.#chunk[from++] ?? 0;
    if (length > 0x7f) length += ((this.#chunk[from++] ?? 0x80) - 1) * 128;
    if (length >= 2 ** 14 || from + length > this.#chunk.length) return undefined;
    this.#at = from + length;
    return this.#chunk.toString("utf8", from, this.#at);
  }

  *#requireMore(): Reading<void> {
    if (!(yield* this.hasMore())) throw new NativeError("the response ends within a block");
  }
}
