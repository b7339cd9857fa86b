import { deflateSync, inflateSync } from "node:zlib";
import { RawNumber, type Structure } from "./structure.ts";

const OUTER_BYTES = 8;
const HEADER_BYTES = 40;
const INFLATED_MAX = 2 ** 20;
/** Otherwise each takes 256 KiB. */
const SMALL = { memLevel: 1, windowBits: 9 };
/** Copies of copies: what is decoded of all lines stays in memory until it is compared. */
const COUNTS_MAX = 8192;
const VERSION_2 = 0x1c849303;

/** A log of HdrHistogram: cells of its lines, with the words of a header and the counts where a cell is a histogram. */
export const hdrLog: Structure = {
  decode: (input) =>
    Buffer.from(input)
      .toString("latin1")
      .split("\n")
      .map((line) => line.split(",").map((cell) => histogramIn(cell) ?? cell)),
  encode: (value) => Buffer.from(listOf(value).map(lineOf).join("\n"), "latin1"),
};

/** Numbers of the outer header, of the inner one, and counts; negative ones are runs of zeros. */
type Histogram = readonly [
  outer: readonly bigint[],
  header: readonly bigint[],
  counts: readonly bigint[] | Uint8Array,
];

function histogramIn(cell: string): Histogram | undefined {
  if (!cell.startsWith("HIST")) return undefined;
  try {
    const outer = Buffer.from(cell, "base64");
    const inflated = inflateSync(outer.subarray(OUTER_BYTES), { maxOutputLength: INFLATED_MAX });
    const header = Array.from({ length: HEADER_BYTES / 4 }, (_, at) =>
      BigInt(inflated.readUInt32BE(4 * at)),
    );
    const payload = inflated.subarray(HEADER_BYTES);
    const isVersion2 = (inflated.readUInt32BE(0) & ~0xf0) === VERSION_2;
    const counts = isVersion2 ? countsIn(payload) : Uint8Array.from(payload);
    return [[BigInt(outer.readUInt32BE(0)), 0n], header, counts];
  } catch {
    return undefined;
  }
}

function countsIn(payload: Buffer): readonly bigint[] {
  const counts: bigint[] = [];
  for (let at = 0; at < payload.length;) {
    let value = 0n;
    for (let length = 0; length < 9; length++) {
      const byte = BigInt(payload[at++] ?? 0);
      value |= (length === 8 ? byte : byte % 0x80n) << BigInt(7 * length);
      if (byte < 0x80n) break;
    }
    counts.push(value % 2n === 0n ? value / 2n : -(value + 1n) / 2n);
  }
  return counts;
}

function lineOf(cells: unknown): string {
  return listOf(cells)
    .map((cell) => (Array.isArray(cell) ? cellOf(cell) : textOf(cell)))
    .join(",");
}

/** With a right length, unless a number of the outer header is left for it. */
function cellOf([outer, header, counts]: readonly unknown[]): string {
  const payload =
    counts instanceof Uint8Array
      ? counts
      : Buffer.concat(listOf(counts).slice(0, COUNTS_MAX).map(varintOf));
  const words = listOf(header).map((word) => Number(BigInt.asUintN(32, wholeOf(word))));
  const isTrue = words[1] !== 0 && words.length > 1;
  if (isTrue) words[1] = payload.length;
  const inner = Buffer.alloc(4 * words.length);
  for (const [at, word] of words.entries()) inner.writeUInt32BE(word, 4 * at);
  const deflated = deflateSync(Buffer.concat([inner, payload]), SMALL);
  const [cookie = 0n, length = 0n] = listOf(outer).map(wholeOf);
  const head = Buffer.alloc(OUTER_BYTES);
  head.writeUInt32BE(Number(BigInt.asUintN(32, cookie)), 0);
  head.writeUInt32BE(length === 0n ? deflated.length : Number(BigInt.asUintN(32, length)), 4);
  return Buffer.concat([head, deflated]).toString("base64");
}

/** Groups of 7 bits, zigzag, the ninth of 8. */
function varintOf(count: unknown): Buffer {
  const value = BigInt.asIntN(64, wholeOf(count));
  let rest = BigInt.asUintN(64, value < 0n ? -value * 2n - 1n : value * 2n);
  const digits: number[] = [];
  for (; rest >= 0x80n && digits.length < 8; rest >>= 7n) digits.push(Number(rest % 0x80n) + 0x80);
  return Buffer.from([...digits, Number(BigInt.asUintN(8, rest))]);
}

function wholeOf(value: unknown): bigint {
  if (typeof value === "bigint") return value;
  return value instanceof RawNumber && /^-?\d+$/.test(value.text) ? BigInt(value.text) : 1n;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function textOf(value: unknown): string {
  return value instanceof RawNumber ? value.text : typeof value === "string" ? value : "";
}
