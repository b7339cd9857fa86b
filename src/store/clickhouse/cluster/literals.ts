/**
 * The only way to put values into queries. Literals contain no character that could end them, whatever the
 * value. An invalid value is a bug of the caller, because all values are validated at the program's boundary.
 */

import { isStoredId } from "../../../model/id.ts";

const HASH = /^[0-9a-f]{40}$/;

const LARGEST_UNSIGNED_64 = 2n ** 64n - 1n;

export function idLiteral(loadTestId: string): string {
  if (!isStoredId(loadTestId)) throw refusal("the id of a load test", JSON.stringify(loadTestId));
  return `'${loadTestId}'`;
}

/** Hash of an endpoint, 40 lower-case hexadecimal digits, as FixedString(40). */
export function hashLiteral(hash: string): string {
  if (!HASH.test(hash)) throw refusal("40 lower hexadecimal digits", JSON.stringify(hash));
  return `'${hash}'`;
}

/** An integer from 0 to 2^53 - 1. */
export function integerLiteral(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw refusal("an integer from 0 to 2^53 - 1", String(value));
  }
  return String(value);
}

/** An integer from 0 to 2^64 - 1, such as the number of a source. */
export function unsigned64Literal(value: bigint): string {
  if (value < 0n || value > LARGEST_UNSIGNED_64) {
    throw refusal("an integer from 0 to 2^64 - 1", String(value));
  }
  return String(value);
}

/** Any text as a String of its UTF-8 bytes, written in hexadecimal digits, so that no escaping rules apply. */
export function textLiteral(text: string): string {
  return `unhex('${Buffer.from(text, "utf8").toString("hex")}')`;
}

function refusal(want: string, got: string): Error {
  return new Error(`BUG: no literal for a query: want ${want}, got ${got}`);
}
