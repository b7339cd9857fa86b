import { expect, test } from "vitest";
import { complete } from "./remote-reader.ts";

async function* piecesOf(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += Buffer.from(piece).toString();
  return text;
}

test.each([[["[]"]], [["[1", "", ",2]", ""]]])("%j is complete", async (texts) => {
  expect(await textOf(complete(piecesOf(texts), "]"))).toBe(texts.join(""));
});

test.each([[[]], [["[1", ","]], [["{}"]]])("%j is truncated", async (texts) => {
  await expect(textOf(complete(piecesOf(texts), "]"))).rejects.toMatchObject({
    code: "server-unreachable",
  });
});
