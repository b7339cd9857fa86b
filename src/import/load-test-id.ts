import { NAME_LENGTH_MAX } from "../model/load-test/attributes.ts";
import { UserError } from "../model/errors.ts";
import { ID_FORM, isId } from "../model/id.ts";

const RANDOM_BITS = 22n;

/**
 * Creates an id: a practically unique integer below 2^63, from the time of creation and 22 random bits. Until
 * the year 2039 it has 19 digits, so that ids sort by time as numbers and as text. `random` is an integer
 * from 0 to 2^22 - 1.
 */
export function createLoadTestId(createdAtMs: number, random: number): string {
  return String((BigInt(createdAtMs) << RANDOM_BITS) + BigInt(random));
}

/** One more than the largest `random` of `createLoadTestId`. */
export const LOAD_TEST_ID_RANDOM_END: number = 2 ** Number(RANDOM_BITS);

/** Returns a valid `id`. Throws `bad-load-test-id`. */
export function checkLoadTestId(id: string): string {
  if (isId(id)) return id;
  throw new UserError(
    "bad-load-test-id",
    `not a load test id: expected ${ID_FORM}, got ${JSON.stringify(id.slice(0, 200))}`,
  );
}

/** Returns a name derived from the first file; the id if nothing is left of it. */
export function loadTestNameAfter(file: string, id: string): string {
  const name = file
    .replaceAll(/\p{Cc}/gu, " ")
    .slice(0, NAME_LENGTH_MAX)
    .toWellFormed()
    .trim();
  return name === "" ? id : name;
}
