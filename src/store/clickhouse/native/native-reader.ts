/**
 * Reads answers in the Native format of ClickHouse (protocol revision 0; `native-writer.ts` has the
 * layout) as they come. What a server writes of an exception in the middle of an answer, an answer
 * that is cut short and one that is not understood are `NativeError`s, and never read as values.
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

/** No column of a block has more bytes; who reads of more does not read what was meant. */
const MOST_BYTES = 2 ** 30;

/** Longer than what servers tell of an exception, which they cut at 16 KiB. */
const TAIL_BYTES = 24 * 1024;

/** What a server writes of an exception, to the end of its answer: text without control characters. */
const EXCEPTION =
  /(?:Poco::Exception\. |std::exception\. )?Code: (\d+)[.,] (?:[A-Za-z]+::|e\.|type:)(?:\P{Cc}|[\t\n\r])*$/u;

/** Far more than we ask for; more is announced where something else is read as a block. */
const MOST_COLUMNS = 1000;
const MOST_ROWS = 2 ** 30;

/** The blocks of an answer, each as soon as the one behind it, or a proper end, is there. */
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

/** The blocks of a whole answer. */
export function decodeNative(bytes: Uint8Array): readonly NativeBlock[] {
  const parser = new Parser();
  return [...parser.feed(bytes), ...parser.end()];
}

class Parser {
  readonly tail = new AnswerTail();
  readonly #input = new NativeInput();
  readonly #blocks = readBlocks(this.#input);
  #failure: unknown;

  /** The blocks that are certain by now. After bytes that are none of a block, there are no more. */
  feed(chunk: Uint8Array): readonly NativeBlock[] {
    this.tail.add(chunk);
    if (this.#failure !== undefined) return [];
    this.#input.feed(chunk);
    return this.#ready();
  }

  /** The rest of the blocks. Throws where the answer is no series of blocks. */
  end(): readonly NativeBlock[] {
    this.#input.end();
    const blocks = this.#failure === undefined ? this.#ready() : [];
    if (this.#failure !== undefined) throw this.tail.exception() ?? this.#failure;
    // Text that an exception's would fill to the last byte cannot be told from it, and is not expected.
    const exception = endsWithText(blocks.at(-1)) ? undefined : this.tail.exception();
    if (exception !== undefined) throw exception;
    return blocks;
  }

  #ready(): readonly NativeBlock[] {
    const blocks: NativeBlock[] = [];
    try {
      for (let block = this.#next(); block !== undefined; block = this.#next()) blocks.push(block);
    } catch (error) {
      // What the server says of it may be still to come.
      this.#failure = error;
    }
    return blocks;
  }

  #next(): NativeBlock | undefined {
    const { value, done } = this.#blocks.next();
    return done === true ? undefined : value;
  }
}

/** Yields a block when the one behind it is whole: until then its end may be an exception's text. */
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

/** Where arrays begin, of where they end. */
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

/**
 * The end of an answer. A server that fails after it has begun to answer has only the body left to
 * say so: it breaks off wherever it is and writes its exception as text behind that.
 */
class AnswerTail {
  #bytes: Uint8Array = new Uint8Array(0);

  add(chunk: Uint8Array): void {
    const joined = Buffer.concat([this.#bytes, chunk.subarray(-TAIL_BYTES)]);
    this.#bytes = joined.subarray(-TAIL_BYTES);
  }

  /** The exception that the answer ends with. */
  exception(cause?: unknown): NativeError | undefined {
    const text = new TextDecoder().decode(this.#bytes);
    const found = EXCEPTION.exec(text);
    if (found === null) return undefined;
    const message = `the server broke off its answer: ${found[0].trim()}`;
    return new NativeError(message, { cause, serverCode: Number(found[1]) });
  }
}

/** Reads something, and yields wherever more bytes have to be fed before it can go on. */
type Reading<Result> = Generator<undefined, Result, undefined>;

/** The bytes of an answer, in chunks of any size: what is read does not depend on where they end. */
class NativeInput {
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

  /** An integer up to `most`, seven bits a byte, lowest first; the last has no high bit. */
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
    if (!(yield* this.hasMore())) throw new NativeError("the response ends within a block");
  }
}
