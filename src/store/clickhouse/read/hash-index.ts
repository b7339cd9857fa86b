/** Finds endpoints by the hashes in rows, or by the numbers that stand for them. */

import { UserError } from "../../../model/errors.ts";

const HASH_BYTES = 40;
const HASH_WORDS = 10;

export class HashIndex {
  readonly #byKey = new Map<number, number>();

  /** Hashes that share 53 of their first 64 bits collide: probability 10^-6 for 10^5 endpoints. */
  constructor(hashes: readonly string[]) {
    for (const [index, hash] of hashes.entries()) {
      const begin = Buffer.from(hash.slice(0, 16), "hex");
      const key = keyOf(begin.readUInt32LE(0), begin.readUInt32LE(4));
      const other = this.#byKey.get(key);
      if (other !== undefined && hashes[other] !== hash) {
        throw new Error(`BUG: hashes ${hash} and ${hashes[other]} begin alike`);
      }
      if (other === undefined) this.#byKey.set(key, index);
    }
  }

  /** Returns the index of the hash of each row. Throws for unknown hashes. `bytes` must be aligned. */
  indexesOf(bytes: Uint8Array): Uint32Array {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    const indexes = new Uint32Array(bytes.length / HASH_BYTES);
    for (let row = 0; row < indexes.length; row++) {
      const isRepeated = row > 0 && beginsAlike(words, row);
      const at = row * HASH_BYTES;
      indexes[row] = isRepeated
        ? (indexes[row - 1] as number)
        : this.#indexOf(wordOfDigits(bytes, at), wordOfDigits(bytes, at + 8));
    }
    return indexes;
  }

  /** The same for numbers: the first 16 digits of hashes as little-endian bytes. */
  indexesOfNumbers(numbers: BigUint64Array): Uint32Array {
    const words = new Uint32Array(numbers.buffer, numbers.byteOffset, 2 * numbers.length);
    const indexes = new Uint32Array(numbers.length);
    for (let row = 0; row < indexes.length; row++) {
      const [low, high] = [words[2 * row] as number, words[2 * row + 1] as number];
      const isRepeated = row > 0 && low === words[2 * row - 2] && high === words[2 * row - 1];
      indexes[row] = isRepeated ? (indexes[row - 1] as number) : this.#indexOf(low, high);
    }
    return indexes;
  }

  #indexOf(low: number, high: number): number {
    const index = this.#byKey.get(keyOf(low, high));
    if (index !== undefined) return index;
    const begin = Buffer.alloc(8);
    begin.writeUInt32LE(low, 0);
    begin.writeUInt32LE(high, 4);
    throw new UserError(
      "damaged-store",
      `a point has a hash that begins with ${begin.toString("hex")}, but no row has its label`,
    );
  }
}

function keyOf(low: number, high: number): number {
  return (high & 0x1f_ffff) * 2 ** 32 + (low >>> 0);
}

/** Whether a row has the same first 16 digits as the row before it. */
function beginsAlike(words: Uint32Array, row: number): boolean {
  const at = row * HASH_WORDS;
  for (let word = at; word < at + 4; word++) {
    if (words[word] !== words[word - HASH_WORDS]) return false;
  }
  return true;
}

/** Converts eight lower-case hexadecimal digits to four little-endian bytes. */
function wordOfDigits(bytes: Uint8Array, at: number): number {
  let word = 0;
  for (let byte = 3; byte >= 0; byte--) {
    const high = digitOf(bytes[at + 2 * byte] as number);
    word = word * 256 + high * 16 + digitOf(bytes[at + 2 * byte + 1] as number);
  }
  return word;
}

/** For letters, the value is the low four bits plus 9. */
function digitOf(byte: number): number {
  return (byte & 15) + (byte >> 6) * 9;
}
