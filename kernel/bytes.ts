/** Compares, finds and hashes bytes, 16 at a time. Up to 16 bytes after a text are loaded. */

/** 16 bytes of ones, then 16 of zeros: see `keep`. */
const KEEP: u32 = <u32>(
  memory.data<u8>([
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  ])
);
const SPREAD_LOW: u64 = 0x9e3779b97f4a7c15;
const SPREAD_HIGH: u64 = 0xc2b2ae3d27d4eb4f;

/** Reports whether the `length` bytes at `left` and at `right` are equal. */
export function isEqual(left: u32, right: u32, length: u32): bool {
  const rest = length & 15;
  const end = left + length - rest;
  let other = right;
  for (let at = left; at < end; at += 16, other += 16) {
    if (v128.any_true(v128.xor(v128.load(at), v128.load(other)))) return false;
  }
  return !v128.any_true(v128.and(v128.xor(v128.load(end), v128.load(other)), keep(rest)));
}

/** Returns the position of the first `byte` in `[from, to)`, or `to`. */
export function find(byte: u8, from: u32, to: u32): u32 {
  const wanted = i8x16.splat(byte);
  for (let at = from; at < to; at += 16) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(at), wanted));
    if (found != 0) return min(to, at + <u32>ctz(found));
  }
  return to;
}

/** Returns a hash of all `length` bytes. The halves of each 16 bytes are hashed separately and combined at the end. */
export function hashOf(from: u32, length: u32): u32 {
  let low: u64 = length;
  let high: u64 = 0;
  const rest = length & 15;
  const end = from + length - rest;
  for (let at = from; at < end; at += 16) {
    low = (low ^ load<u64>(at)) * SPREAD_LOW;
    low ^= low >> 32;
    high = (high ^ load<u64>(at, 8)) * SPREAD_HIGH;
    high ^= high >> 32;
  }
  const part = v128.and(v128.load(end), keep(rest));
  low = (low ^ v128.extract_lane<u64>(part, 0)) * SPREAD_LOW;
  high = (high ^ v128.extract_lane<u64>(part, 1)) * SPREAD_HIGH;
  return <u32>((((low ^ (low >> 32)) + (high ^ (high >> 32))) * SPREAD_LOW) >> 32);
}

/** Returns a mask for the first `length` of 16 bytes. */
function keep(length: u32): v128 {
  return v128.load(KEEP + 16 - length);
}
