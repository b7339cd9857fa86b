import { UserError } from "../model/errors.ts";
import { isLoadTestId } from "../model/load-test.ts";

const RANDOM_BITS = 22n;

/**
 * A new id: an integer below 2^63 that no other machine chooses too, made of the time of creation
 * and 22 random bits. Until the year 2039 it has 19 digits, so that ids sort by time as numbers and
 * as text. `random` is an integer from 0 to 2^22 - 1.
 */
export function createLoadTestId(createdAtMs: number, random: number): string {
  return String((BigInt(createdAtMs) << RANDOM_BITS) + BigInt(random));
}

/** One more than the largest `random` of `createLoadTestId`. */
export const LOAD_TEST_ID_RANDOM_END: number = 2 ** Number(RANDOM_BITS);

/** Answers `id` if it can be one. Throws `bad-load-test-id`. */
export function checkLoadTestId(id: string): string {
  if (isLoadTestId(id)) return id;
  throw new UserError(
    "bad-load-test-id",
    `not a load test id: expected 1 to 128 of A-Z a-z 0-9 . _ -, got ${JSON.stringify(id.slice(0, 200))}`,
  );
}
