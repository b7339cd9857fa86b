import { POINT, ZERO } from "../bytes/ascii.ts";
import { digitsEnd, isDigit } from "../bytes/exact-number.ts";

/** Reused from row to row. */
export interface Duration {
  /** Rounded half away from zero. */
  micros: number;
  /** Rounded up, so that end minus duration is in the second of the start. */
  nanos: number;
}

/** Decimals from ms to ns. */
const DECIMALS = 6;
const POWERS_OF_TEN = [1, 10, 100, 1e3, 1e4, 1e5, 1e6];

/** Parses decimal milliseconds exactly. Returns whether they are valid and less than 2^53 ns (104 days). */
export function readDuration(bytes: Uint8Array, from: number, to: number, into: Duration): boolean {
  let nanos = 0;
  let at = from;
  for (; at < to && isDigit(bytes[at]); at++) {
    nanos = nanos * 10 + ((bytes[at] as number) - ZERO);
  }
  if (at === from) return false;
  if (at < to && (bytes[at] !== POINT || at + 1 === to)) return false;
  const fraction = at + 1;
  const precise = Math.min(to, fraction + DECIMALS);
  for (at = fraction; at < precise && isDigit(bytes[at]); at++) {
    nanos = nanos * 10 + ((bytes[at] as number) - ZERO);
  }
  nanos *= POWERS_OF_TEN[DECIMALS - (at - fraction)] as number;
  into.micros = Math.floor((nanos + 500) / 1000);
  const end = digitsEnd(bytes, at, to);
  into.nanos = hasRest(bytes, at, end) ? nanos + 1 : nanos;
  return end >= to && into.nanos <= Number.MAX_SAFE_INTEGER;
}

/** Whether truncated decimals are not all zero. */
function hasRest(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== ZERO) return true;
  return false;
}
