import { expect, test } from "vitest";
import { HeldBytes } from "./held-bytes.ts";

async function* bodyOf(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

const lengths = (chunks: readonly Uint8Array[]) => chunks.map(({ length }) => length);

test("the memory of a body is freed after its use, unless something else shares it", async () => {
  const own = new Uint8Array(100);
  const shared = new Uint8Array(80);
  const body = bodyOf(own, shared.subarray(0, 70));
  const seen = await new HeldBytes(1000).reading(body, async (chunks) => lengths(chunks));
  expect(seen).toEqual([100, 70]);
  expect(lengths([own, shared])).toEqual([0, 80]);
});

test("a body in one piece is freed even if its use fails", async () => {
  const pieces: Uint8Array[] = [];
  const body = bodyOf(new Uint8Array(500_000).fill(1), new Uint8Array(500_000).fill(2));
  const using = new HeldBytes(1_000_000).readingWhole(body, async (bytes) => {
    expect([bytes.length, bytes[499_999], bytes[500_000]]).toEqual([1_000_000, 1, 2]);
    pieces.push(bytes);
    throw new Error("it cannot be stored");
  });
  await expect(using).rejects.toThrow("it cannot be stored");
  expect(lengths(pieces)).toEqual([0]);
});
