import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readItems } from "./read-items.ts";

async function itemsOf(text: string, pieceBytes = 3): Promise<unknown[]> {
  const bytes = new TextEncoder().encode(text);
  const items: unknown[] = [];
  for await (const item of readItems(cut(bytes, pieceBytes))) items.push(item);
  return items;
}

async function* cut(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

test("a list yields its items, however its bytes are chunked and indented", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue({ stringUnit: "binary", maxDepth: 2 }), { maxLength: 5 }),
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom(undefined, 1),
      async (list, pieceBytes, indent) => {
        const text = JSON.stringify(list, undefined, indent);
        expect(await itemsOf(text, pieceBytes)).toEqual(JSON.parse(text));
      },
    ),
  );
});

test("an item is available before the list ends", async () => {
  const items = readItems(
    (async function* () {
      yield new TextEncoder().encode('[{"a":1},');
      throw new Error("broken off");
    })(),
  );
  expect((await items.next()).value).toEqual({ a: 1 });
  await expect(items.next()).rejects.toThrow("broken off");
});

test.each([
  ["an object", '{"a":1}'],
  ["a text", '"["'],
  ["nothing", ""],
  ["a list without its end", "[1,2"],
  ["a text without its end", '["]'],
  ["two lists", "[1][2]"],
  ["a list with a hole", "[1,,2]"],
  ["an item that is no JSON", "[1,x]"],
])("%s is refused", async (_, text) => {
  await expect(itemsOf(text)).rejects.toThrow(SyntaxError);
});
