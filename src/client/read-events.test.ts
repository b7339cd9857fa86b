import { expect, test } from "vitest";
import { readEvents } from "./read-events.ts";

test("events are read from texts that are cut anywhere, whatever is in their data", async () => {
  const data = { name: "a\u2028b\u2029\nevent: c" };
  const stream = `: waits\n\nevent: data\nid: 1\ndata: ${JSON.stringify(data)}\n\nevent: end\ndata: {}\n\nevent: cut\nda`;
  const texts = (async function* () {
    for (const each of stream) yield each;
  })();
  expect(await Array.fromAsync(readEvents(texts))).toEqual([
    { name: "data", data },
    { name: "end", data: {} },
  ]);
});
