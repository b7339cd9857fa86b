import * as fc from "fast-check";
import { expect, test } from "vitest";
import { collect } from "../../../../test/support/batches.ts";
import { inChunks } from "../../../../test/support/native-bytes.ts";
import type { NativeBlock } from "./native-block.ts";
import { decodeNative, readNativeBlocks } from "./native-reader.ts";
import { NativeBlockWriter } from "./native-writer.ts";

const blockArbitrary = fc.array(
  fc.record({
    number: fc.maxSafeNat(),
    wide: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    small: fc.nat(65_535),
    text: fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("x".repeat(127), "é".repeat(64), "y".repeat(17_000)),
    ),
    hash: fc.uint8Array({ minLength: 5, maxLength: 5 }),
    buckets: fc.array(
      fc.record({ bucket: fc.nat(65_535), count: fc.maxSafeNat(), kind: fc.string() }),
      { maxLength: 4 },
    ),
  }),
  { maxLength: 12 },
);

type Row = (typeof blockArbitrary extends fc.Arbitrary<infer Rows> ? Rows : never)[number];

function blockOf(rows: readonly Row[]): Uint8Array {
  const block = new NativeBlockWriter();
  const buckets = rows.flatMap((row) => row.buckets);
  const from = Uint32Array.of(
    0,
    ...rows.map((_, row) => rows.slice(0, row + 1).flatMap((each) => each.buckets).length),
  );
  block.unsigned64("number").append(rows.map(({ number }) => number));
  block.unsigned64("wide").appendBigints(BigUint64Array.from(rows, ({ wide }) => wide));
  block.texts("text").append(rows.map(({ text }) => text));
  block.unsigned16("small").append(Uint16Array.from(rows, ({ small }) => small));
  block.textArrays("kinds").append(
    from,
    buckets.map(({ kind }) => kind),
  );
  block.fixed("hash", 5).append(Buffer.concat(rows.map(({ hash }) => hash)));
  block.arrays16("buckets").append(
    from,
    Uint16Array.from(buckets, ({ bucket }) => bucket),
  );
  block.arrays64("counts").append(
    from,
    Float64Array.from(buckets, ({ count }) => count),
  );
  return Buffer.concat(block.finish());
}

function rowsOf(block: NativeBlock): Row[] {
  const [numbers, wide, small] = [
    block.numbers("number"),
    block.bigints("wide"),
    block.numbers("small"),
  ];
  const [texts, { bytes: hashes, width }] = [block.strings("text"), block.bytesOf("hash")];
  const [kinds, buckets, counts] = [
    block.stringArrays("kinds"),
    block.arrays("buckets"),
    block.arrays("counts"),
  ];
  return Array.from({ length: block.rows }, (_, row) => {
    const [first, end] = [kinds.from[row], kinds.from[row + 1]];
    const indices = kinds.values.map((__, index) => index).slice(first, end);
    return {
      number: numbers[row] as number,
      wide: wide[row] as bigint,
      small: small[row] as number,
      text: texts[row] as string,
      hash: Uint8Array.from(hashes.subarray(row * width, (row + 1) * width)),
      buckets: indices.map((index) => ({
        bucket: buckets.values[index] as number,
        count: counts.values[index] as number,
        kind: kinds.values[index] as string,
      })),
    };
  });
}

test("blocks survive a round trip, with any chunk size", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(blockArbitrary, { maxLength: 3 }),
      fc.array(fc.nat(200), { maxLength: 60 }),
      async (blocks, sizes) => {
        const body = Buffer.concat(blocks.map(blockOf));
        const read = await collect(readNativeBlocks(inChunks(body, sizes)));
        expect(read.map(rowsOf)).toEqual(blocks);
        expect(decodeNative(body)).toEqual(read);
      },
    ),
    { numRuns: 60 },
  );
});

test("blocks survive a round trip byte by byte", async () => {
  const rows: Row[] = [
    {
      number: 1,
      wide: 2n,
      small: 3,
      text: "z".repeat(200),
      hash: Uint8Array.of(1, 2, 3, 4, 5),
      buckets: [{ bucket: 1, count: 2, kind: "é" }],
    },
  ];
  const body = Buffer.concat([blockOf(rows), blockOf([...rows, ...rows])]);
  const read = await collect(
    readNativeBlocks(
      inChunks(
        body,
        Array.from(body, () => 1),
      ),
    ),
  );
  expect(read.map(rowsOf)).toEqual([rows, [...rows, ...rows]]);
});
