/** A number that is not exact must not get into a block: it could never be found again. */

/** Throws where a value of the column with this name is not an integer from 0 to 2^53 - 1. */
export function requireExact(name: string, column: Float64Array): void {
  for (let index = 0; index < column.length; index++) {
    const value = column[index] as number;
    if (value >= 0 && Number.isSafeInteger(value)) continue;
    throw new Error(`BUG: ${name} holds ${value}, not an integer from 0 to 2^53 - 1`);
  }
}
