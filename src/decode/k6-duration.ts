/** An elapsed time. Reused from row to row. */
export interface Duration {
  /** Rounded half away from zero: what is summed. */
  micros: number;
  /** Rounded up, so that the end less this lies in the second in which the request began. */
  nanos: number;
}

const ZERO = 0x30;
const POINT = 0x2e;
/** Decimals of a millisecond down to the nanosecond. */
const DECIMALS = 6;

/**
 * Reads decimal milliseconds at `[from, to)` from their digits, exactly. Whether these are digits,
 * with at most one point that has digits on both sides, and less than 2^53 ns (104 days).
 */
export function readDuration(bytes: Uint8Array, from: number, to: number, into: Duration): boolean {
  const point = digitsEnd(bytes, from, to);
  if (point === from) return false;
  const fraction = Math.min(point + 1, to);
  if (point < to && (bytes[point] !== POINT || fraction === to)) return false;
  if (digitsEnd(bytes, fraction, to) !== to) return false;
  let nanos = 0;
  for (let at = from; at < point; at++) nanos = nanos * 10 + ((bytes[at] as number) - ZERO);
  for (let at = fraction; at < fraction + DECIMALS; at++) {
    nanos = nanos * 10 + (at < to ? (bytes[at] as number) - ZERO : 0);
  }
  into.micros = Math.floor((nanos + 500) / 1000);
  into.nanos = hasRest(bytes, fraction + DECIMALS, to) ? nanos + 1 : nanos;
  return into.nanos <= Number.MAX_SAFE_INTEGER;
}

function digitsEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isDigit(bytes[at] as number)) at++;
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}

/** Whether a decimal too small to be kept is not zero. */
function hasRest(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== ZERO) return true;
  return false;
}
