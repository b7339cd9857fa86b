import { expect, test } from "vitest";
import { completeLines } from "./import-results.ts";

/** Returns chunks that share memory, as those of a source may. */
async function* piecesOf(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  const memory = Buffer.alloc(16);
  for (const text of texts) yield memory.subarray(0, memory.write(text));
}

test.each([
  [["a\nb", "c\nd"], "a\nbc\n"],
  [["a", "b", "c"], ""],
  [["a\n", "b\n"], "a\nb\n"],
  [["\n", "", "x"], "\n"],
  [[], ""],
])(
  "a stop after %j leaves the complete lines %j; without a stop all bytes pass",
  async (texts, whole) => {
    for (const [isStopped, expected] of [
      [true, whole] as const,
      [false, texts.join("")] as const,
    ]) {
      const pieces: Uint8Array[] = [];
      for await (const piece of completeLines(piecesOf(texts), () => isStopped)) {
        pieces.push(Uint8Array.from(piece));
      }
      expect(Buffer.concat(pieces).toString()).toBe(expected);
    }
  },
);

test("bytes without line ends are not buffered without limit", async () => {
  const held: number[] = [];
  let given = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (; given < 64; given++) yield new Uint8Array(256 * 1024);
  }
  let taken = 0;
  for await (const piece of completeLines(endless(), () => false)) {
    taken += piece.length;
    held.push((given + 1) * 256 * 1024 - taken);
  }
  expect(Math.max(...held)).toBeLessThan(2 * 1024 * 1024);
  expect(taken).toBe(16 * 1024 * 1024);
});
