import { TimeSlice } from "../operations/time-slice.ts";

/** Characters of a piece, at least: a write for each of many small items would take most of the time. */
const PIECE_LENGTH_MIN = 16 * 1024;

/**
 * The bytes of a JSON list: no more is held than a piece and an item. Other work gets its turn in
 * between.
 */
export async function* jsonList(items: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const slice = new TimeSlice();
  let [text, separator] = ["[", ""];
  for await (const item of items) {
    text += separator + JSON.stringify(item);
    separator = ",";
    if (slice.isOver()) await slice.next();
    if (text.length < PIECE_LENGTH_MIN) continue;
    yield encoder.encode(text);
    text = "";
  }
  yield encoder.encode(`${text}]`);
}
