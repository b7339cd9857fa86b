import { TimeSlice } from "../operations/time-slice.ts";

type Parts = AsyncIterable<readonly object[]> | Iterable<readonly object[]>;

/** Some hundred bytes each: a piece is written in a millisecond or less. */
const ITEMS_AT_ONCE = 128;

/**
 * The bytes of a JSON object with a long list as its last member, which comes in parts; the same as
 * `JSON.stringify` has them.
 * Other work gets its turn in between.
 */
export async function* jsonDocument(
  head: object,
  [name, parts]: readonly [name: string, parts: Parts],
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const slice = new TimeSlice();
  const start = JSON.stringify({ ...head, [name]: [] }).slice(0, -"]}".length);
  yield encoder.encode(start);
  let separator = "";
  for await (const items of parts) {
    for (let at = 0; at < items.length; at += ITEMS_AT_ONCE) {
      const list = JSON.stringify(items.slice(at, at + ITEMS_AT_ONCE)).slice(1, -1);
      yield encoder.encode(separator + list);
      separator = ",";
      if (slice.isOver()) await slice.next();
    }
  }
  yield encoder.encode("]}");
}
