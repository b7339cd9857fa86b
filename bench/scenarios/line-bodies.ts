/**
 * What k6 posts once a second, again and again with a later time: no two bodies are the same, and
 * making them costs the sender next to nothing.
 */

import { k6Pieces } from "../make-k6.ts";

const REQUESTS_PER_BODY = 450;
const NEWLINE = 0x0a;
const ZERO = 0x30;
/** UNIX nanoseconds, of which the first ten digits are seconds. */
const TIME_DIGITS = 19;
const SECOND_DIGITS = 10;

export interface LineBody {
  readonly bytes: Buffer;
  readonly lines: number;
  /** Requests that are in it: lines of `http_req_duration`. */
  readonly requests: number;
  /** Writes the same times, so many seconds later, into `bytes`. */
  readonly delay: (seconds: number) => void;
}

/** The body that the sender of this seed repeats. */
export function lineBody(seed: number): LineBody {
  const options = { form: "lines", requests: REQUESTS_PER_BODY, seconds: 1, seed } as const;
  const bytes = Buffer.from([...k6Pieces(options)].join(""));
  const times: { readonly at: number; readonly second: number }[] = [];
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, end + 1)) {
    const at = end - TIME_DIGITS;
    times.push({ at, second: Number(bytes.toString("latin1", at, at + SECOND_DIGITS)) });
  }
  return {
    bytes,
    lines: times.length,
    requests: REQUESTS_PER_BODY,
    delay(seconds) {
      for (const { at, second } of times) writeSecond(bytes, at, second + seconds);
    },
  };
}

function writeSecond(bytes: Buffer, at: number, second: number): void {
  let rest = second;
  for (let digit = at + SECOND_DIGITS - 1; digit >= at; digit--) {
    bytes[digit] = ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}
