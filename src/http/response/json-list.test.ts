import { expect, test } from "vitest";
import { jsonList } from "./json-document.ts";

async function* listOf(items: readonly object[]): AsyncGenerator<object> {
  yield* items;
}

test.each([
  [0, 1],
  [1, 1],
  [3000, 8],
])(
  "%d items are the list that JSON.stringify makes of them, in few pieces",
  async (count, most) => {
    const items = Array.from({ length: count }, (_, index) => ({
      label: `ü "${index}"`,
      count: 7,
    }));
    const pieces: Uint8Array[] = [];
    for await (const piece of jsonList(listOf(items))) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe(JSON.stringify(items));
    expect(pieces.length).toBeLessThanOrEqual(most);
  },
);
