/** Finds endpoints by the hashes of rows, as bytes: to make a text of each row would take longer. */

const HASH_BYTES = 40;
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

  /** The index of the hash of each row. Throws where one is not known. */
  indexesOf(bytes: Uint8Array): Uint32Array {
    const rows = bytes.length / HASH_BYTES;
    const indexes = new Uint32Array(rows);
    for (let row = 0; row < rows; row++) {
      const at = row * HASH_BYTES;
      const index = this.#byDigits.get(leadingDigits(bytes, at));
      if (index === undefined) {
        throw new Error(`BUG: a row has the hash ${textAt(bytes, at)}, which was not asked for`);
      }
      indexes[row] = index;
    }
    return indexes;
  }
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
