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
  "%d items are the list that JSON.stringify makes of them, in few chunks",
  async (count, most) => {
    const items = Array.from({ length: count }, (_, index) => ({
      label: `ü "${index}"`,
      count: 7,
    }));
    const chunks: Uint8Array[] = [];
    for await (const chunk of jsonList(listOf(items))) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(JSON.stringify(items));
    expect(chunks.length).toBeLessThanOrEqual(most);
  },
);
