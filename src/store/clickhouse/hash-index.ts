/** Finds endpoints by the hashes of rows, as bytes: to make a text of each row would take longer. */

const HASH_BYTES = 40;
const HASH_WORDS = 10;
/** So many hexadecimal digits are an exact number. */
const DIGITS = 13;

export class HashIndex {
  readonly #byDigits = new Map<number, number>();

  /** Hashes that share their first 13 digits cannot be told apart: of 10^5, with a chance of 10^-6. */
  constructor(hashes: readonly string[]) {
    for (const [index, hash] of hashes.entries()) {
      const digits = Number.parseInt(hash.slice(0, DIGITS), 16);
      const other = this.#byDigits.get(digits);
      if (other !== undefined && hashes[other] !== hash) {
        throw new Error(`BUG: hashes ${hash} and ${hashes[other]} begin alike`);
      }
      if (other === undefined) this.#byDigits.set(digits, index);
    }
  }

  /** The index of the hash of each row. Throws where one is not known. `bytes` are aligned. */
  indexesOf(bytes: Uint8Array): Uint32Array {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    const rows = bytes.length / HASH_BYTES;
    const indexes = new Uint32Array(rows);
    for (let row = 0; row < rows; row++) {
      // Rows of an endpoint often follow each other.
      indexes[row] =
        row > 0 && beginAlike(words, row)
          ? (indexes[row - 1] as number)
          : this.#indexAt(bytes, row);
    }
    return indexes;
  }

  #indexAt(bytes: Uint8Array, row: number): number {
    const at = row * HASH_BYTES;
    const index = this.#byDigits.get(leadingDigits(bytes, at));
    if (index !== undefined) return index;
    throw new Error(`BUG: a row has the hash ${textAt(bytes, at)}, which was not asked for`);
  }
}

/** Whether the first 16 digits of a row are those of the row before it. */
function beginAlike(words: Uint32Array, row: number): boolean {
  const at = row * HASH_WORDS;
  for (let word = at; word < at + 4; word++) {
    if (words[word] !== words[word - HASH_WORDS]) return false;
  }
  return true;
}

function leadingDigits(bytes: Uint8Array, at: number): number {
  let digits = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const byte = bytes[at + digit] as number;
    // Letters are 9 above their low four bits.
    digits = digits * 16 + (byte & 15) + (byte >> 6) * 9;
  }
  return digits;
}

function textAt(bytes: Uint8Array, at: number): string {
  return Buffer.from(bytes.subarray(at, at + HASH_BYTES)).toString("latin1");
}
