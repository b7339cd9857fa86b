/** What copies are known by: when each was begun, and something random. */

import { randomInt } from "node:crypto";

const RANDOM_BITS = 22n;

/** Ascends with time. */
export function newSealNumber(nowMs: number): bigint {
  return (BigInt(nowMs) << RANDOM_BITS) | BigInt(randomInt(2 ** Number(RANDOM_BITS)));
}

/** As `Seal` has it: 16 hexadecimal digits. */
export function sealDigits(number: bigint): string {
  return number.toString(16).padStart(16, "0");
}

export function sealNumber({ number }: { readonly number: string }): bigint {
  return BigInt(`0x${number}`);
}
