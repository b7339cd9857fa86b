/**
 * Reads answers in the Native format of ClickHouse (protocol revision 0; `native-writer.ts` has the
 * layout) as they come. What a server writes of an exception in the middle of an answer, an answer
 * that is cut short and one that is not understood are `NativeError`s, and never read as values.
 */

import { AnswerTail } from "./answer-tail.ts";
import { NativeBlock, type NativeReadColumn, type NativeValues } from "./native-block.ts";
import { NativeError } from "./native-error.ts";
import { NativeInput, type Reading } from "./native-input.ts";
import { type NativeType, NUMBER_WIDTHS, nativeType } from "./native-type.ts";

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
      throw new NativeError("arrays are announced that end beyond 2^32 entries");
    }
    if (end < (from[row - 1] as number)) {
      throw new NativeError("arrays are announced that end before they begin");
    }
    from[row] = end;
  }
  return from;
}

function requireSameColumns(block: NativeBlock, last: NativeBlock): void {
  const [got, want] = [block, last].map(({ columns }) =>
    columns.map(({ name, type }) => `${name} ${type}`).join(", "),
  );
  if (got !== want) throw new NativeError(`the columns of an answer change from ${want} to ${got}`);
}

function endsWithText(block: NativeBlock | undefined): boolean {
  const values = block?.columns.at(-1)?.values;
  return (values?.kind === "array" ? values.values : values)?.kind === "text";
}
