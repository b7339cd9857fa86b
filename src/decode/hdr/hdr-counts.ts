import { inflateSync } from "node:zlib";

/** Requests whose times are in a range of an HdrHistogram: least value, width of the range, count. */
export type HdrCount = readonly [least: number, width: number, count: number];

/** Cookies of the compressed form and of what is in it, by version; bits 4 to 7 are the size of a word. */
const COMPRESSED: ReadonlySet<number> = new Set([0x1c849302, 0x1c849304]);
const [V1, V2] = [0x1c849301, 0x1c849303];
const WORD_BITS = 0xf0;
const OUTER_BYTES = 8;
const HEADER_BYTES = 40;
const INFLATED_BYTES_MAX = 2 ** 24;
const DIGITS_MAX = 5;
/** Those that are not empty: all of one with 5 digits in use would take gigabytes. */
const RANGES_MAX = 2 ** 18;

/** Reads a compressed histogram (version 1 or 2), without its empty ranges. Throws `Error` if it is none. */
export function hdrCounts(base64: string): readonly HdrCount[] {
  const outer = Buffer.from(base64, "base64");
  if (outer.length < OUTER_BYTES || !COMPRESSED.has(cookieOf(outer))) {
    throw new Error("want version 1 or 2, compressed");
  }
  const inflated = inflateSync(outer.subarray(OUTER_BYTES), {
    maxOutputLength: INFLATED_BYTES_MAX,
  });
  const [cookie, digits] = [cookieOf(inflated), inflated.readUInt32BE(12)];
  if ((cookie !== V1 && cookie !== V2) || digits > DIGITS_MAX || inflated.readInt32BE(8) !== 0) {
    throw new Error("its header is damaged");
  }
  const unit = Math.floor(Math.log2(Math.max(1, Number(inflated.readBigInt64BE(16)))));
  const half = Math.ceil(Math.log2(2 * 10 ** digits)) - 1;
  const payload = inflated.subarray(HEADER_BYTES, HEADER_BYTES + inflated.readUInt32BE(4));
  const counts = cookie === V2 ? varCounts(payload) : wordCounts(payload, inflated.readUInt32BE(0));
  return [...counts.take(RANGES_MAX + 1)].map(([index, count], at) => {
    if (at === RANGES_MAX) throw new Error(`it has more than ${RANGES_MAX} values that differ`);
    const bucket = Math.max(0, Math.floor(index / 2 ** half) - 1);
    const width = 2 ** (bucket + unit);
    return [(index - bucket * 2 ** half) * width, width, count];
  });
}

function cookieOf(bytes: Buffer): number {
  return bytes.readUInt32BE(0) & ~WORD_BITS;
}

/** Signed numbers in groups of 7 bits; a negative one is a run of zeros. */
function* varCounts(bytes: Buffer): Generator<readonly [index: number, count: number]> {
  let index = 0;
  for (let at = 0; at < bytes.length;) {
    let [value, scale, more] = [0, 1, true];
    for (let length = 0; more; length++) {
      const byte = bytes.readUInt8(at++);
      more = byte >= 0x80 && length < 8;
      value += (length < 8 ? byte & 0x7f : byte) * scale;
      scale *= 0x80;
    }
    const isRun = value % 2 === 1;
    if (!isRun && value > 0) yield [index, value / 2];
    index += isRun ? (value + 1) / 2 : 1;
  }
}

function* wordCounts(bytes: Buffer, cookie: number): Generator<readonly [number, number]> {
  const word = ((cookie & WORD_BITS) >> 4) & 0xe;
  if (word !== 2 && word !== 4 && word !== 8) throw new Error("its header is damaged");
  for (let at = 0; at + word <= bytes.length; at += word) {
    const count = word === 8 ? Number(bytes.readBigInt64BE(at)) : bytes.readIntBE(at, word);
    if (count > 0) yield [at / word, count];
  }
}
