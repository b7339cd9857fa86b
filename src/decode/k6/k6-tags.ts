import { readWhole } from "../bytes/exact-number.ts";
import { hasFailedStatus } from "../failure-kinds.ts";
import { quoted } from "../quoted.ts";
import { ERROR, ERROR_CODE, EXPECTED, type K6Parts, STATUS, VALUE } from "./k6-parts.ts";

/** What the tags of a request say about its outcome. */
export interface K6Outcome {
  /** Failed, according to the tags. */
  readonly failed: boolean;
  /** Whether by `expected_response` or `error`, not by the status alone. */
  readonly isMarked: boolean;
  /** `undefined` if there is none. */
  readonly status: number | undefined;
  /** Set for requests without a response and some others; mostly empty. */
  readonly errorCode: string;
  readonly error: string;
}

export interface K6RequestTags extends K6Outcome {
  readonly label: number;
}

/** Of no request: no label has this index. */
export const NO_TAGS: K6RequestTags = {
  label: 0xffffffff,
  failed: false,
  isMarked: false,
  status: undefined,
  errorCode: "",
  error: "",
};

/** The outcome according to the tags, or why they cannot be read. */
export function readOutcome(parts: K6Parts): K6Outcome | string {
  const expected = readTruth(parts, EXPECTED);
  if (expected === undefined && parts.has(EXPECTED)) {
    return unreadable(parts, EXPECTED, "expected_response", "true or false");
  }
  const [statusFrom, statusTo] = [parts.from[STATUS] as number, parts.to[STATUS] as number];
  const status = readWhole(parts.bytes, statusFrom, statusTo);
  const isMarked = expected !== undefined || parts.has(ERROR);
  if (!isMarked && statusFrom !== statusTo && status === undefined) {
    return unreadable(parts, STATUS, "the status", "a whole number");
  }
  const hasFailed = status !== undefined && hasFailedStatus(status);
  return {
    failed: isMarked ? expected === false || parts.has(ERROR) : hasFailed,
    isMarked,
    status,
    errorCode: parts.has(ERROR_CODE) ? parts.text(ERROR_CODE) : "",
    error: parts.has(ERROR) ? parts.text(ERROR) : "",
  };
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i;

/** The value of a sample; NaN if it is none. */
export function readValue(parts: K6Parts): number {
  const text = parts.text(VALUE);
  return NUMBER.test(text) ? Number(text) : Number.NaN;
}

/** In any case: spreadsheets write capitals. */
function readTruth(parts: K6Parts, part: number): boolean | undefined {
  const length = (parts.to[part] as number) - (parts.from[part] as number);
  if (length === 0) return undefined;
  if (length === 4 && matches(parts, part, "true")) return true;
  return length === 5 && matches(parts, part, "false") ? false : undefined;
}

function matches(parts: K6Parts, part: number, word: string): boolean {
  const from = parts.from[part] as number;
  for (let at = 0; at < word.length; at++) {
    if (((parts.bytes[from + at] as number) | 0x20) !== word.charCodeAt(at)) return false;
  }
  return true;
}

export function unreadable(parts: K6Parts, part: number, what: string, want: string): string {
  return `cannot read ${what}: got ${quoted(parts.text(part))}, want ${want}`;
}
