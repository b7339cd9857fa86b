import { Yielder } from "../../concurrency/yielder.ts";

/** In characters. One write per small item would dominate the time. */
const CHUNK_LENGTH_MIN = 16 * 1024;

type Parts = AsyncIterable<readonly object[]> | Iterable<readonly object[]>;

/** Items are about 100 bytes: serializing a chunk takes at most a millisecond. */
const ITEMS_AT_ONCE = 128;

/**
 * The bytes of a JSON object whose last member is a long list, streamed; equal to `JSON.stringify`.
 * Yields to the event loop in between.
 */
export async function* jsonDocument(
  head: object,
  [name, parts]: readonly [name: string, parts: Parts],
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const yielder = new Yielder();
  const start = JSON.stringify({ ...head, [name]: [] }).slice(0, -"]}".length);
  yield encoder.encode(start);
  let separator = "";
  for await (const items of parts) {
    for (let at = 0; at < items.length; at += ITEMS_AT_ONCE) {
      const list = JSON.stringify(items.slice(at, at + ITEMS_AT_ONCE)).slice(1, -1);
      yield encoder.encode(separator + list);
      separator = ",";
      if (yielder.isDue()) await yielder.next();
    }
  }
  yield encoder.encode("]}");
}

/**
 * The bytes of a JSON list. Holds at most a chunk and an item; yields to the event loop in between.
 */
export async function* jsonList(items: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const yielder = new Yielder();
  let [text, separator] = ["[", ""];
  for await (const item of items) {
    text += separator + JSON.stringify(item);
    separator = ",";
    if (yielder.isDue()) await yielder.next();
    if (text.length < CHUNK_LENGTH_MIN) continue;
    yield encoder.encode(text);
    text = "";
  }
  yield encoder.encode(`${text}]`);
}

/** A field of a message of Protocol Buffers that is a text, bytes or a message. */
export function field(number: number, bytes: Iterable<number>): number[] {
  const contents = [...bytes];
  return [8 * number + 2, ...varint(contents.length), ...contents];
}

/** `value` up to 2^53 - 1. */
export function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...varint(Math.floor(value / 0x80))];
}
