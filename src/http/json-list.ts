/** The bytes of a JSON list, an item at a time: no more than one of them is held. */
export async function* jsonList(items: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let separator = "[";
  for await (const item of items) {
    yield encoder.encode(separator + JSON.stringify(item));
    separator = ",";
  }
  yield encoder.encode(separator === "[" ? "[]" : "]");
}
