/** Position of the next byte. */
export let at: u32 = 0;

/** Sets the position of the next byte. */
export function writeTo(position: u32): void {
  at = position;
}

export function byte(value: u32): void {
  store<u8>(at++, <u8>value);
}

/** Writes seven bits per byte, lowest first. */
export function varint(value: u64): void {
  let rest = value;
  while (rest > 0x7f) {
    store<u8>(at++, <u8>rest | 0x80);
    rest >>= 7;
  }
  store<u8>(at++, <u8>rest);
}

let bits: u64 = 0;
let filled: u32 = 0;

/** Writes the lowest `width` bits, 0 to 53. `endBits` completes the last byte. */
export function writeBits(value: u64, width: u32): void {
  if (width > 32) {
    addBits(value & 0xffffffff, 32);
    addBits(value >> 32, width - 32);
  } else addBits(value, width);
}

/** Fewer than 32 bits are pending; `width` is at most 32. */
function addBits(value: u64, width: u32): void {
  bits |= (value & (((<u64>1) << width) - 1)) << filled;
  filled += width;
  if (filled < 32) return;
  store<u32>(at, <u32>bits);
  at += 4;
  bits >>= 32;
  filled -= 32;
}

export function endBits(): void {
  for (let left = <i32>filled; left > 0; left -= 8) {
    store<u8>(at++, <u8>bits);
    bits >>= 8;
  }
  forgetBits();
}

export function forgetBits(): void {
  bits = 0;
  filled = 0;
}
