import { grown } from "../../model/columns.ts";
import type { FurtherDetails } from "../../model/samples/request-sample.ts";
import { readWhole } from "../bytes/exact-number.ts";
import { hasFailedStatus } from "../failure-kinds.ts";
import { quoted } from "../quoted.ts";
import type { K6SampleTags } from "./k6-measures.ts";
import type { Protocol } from "./k6-metrics.ts";

export interface K6Outcome {
  readonly failed: boolean;
  /** Whether by `expected_response` or `error`, not by the status of HTTP alone. */
  readonly isMarked: boolean;
  readonly hasStatus: boolean;
  /** The status of a response; empty if there is none. */
  readonly code: string;
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
  hasStatus: false,
  code: "",
  errorCode: "",
  error: "",
};

/** Names of the statuses of gRPC, by their number. */
const GRPC_STATUSES: readonly string[] = [
  "OK",
  "Canceled",
  "Unknown",
  "InvalidArgument",
  "DeadlineExceeded",
  "NotFound",
  "AlreadyExists",
  "PermissionDenied",
  "ResourceExhausted",
  "FailedPrecondition",
  "Aborted",
  "OutOfRange",
  "Unimplemented",
  "Internal",
  "Unavailable",
  "DataLoss",
  "Unauthenticated",
];
const SWITCHING_PROTOCOLS = 101;

/** What tags and metadata say of a request beside its outcome. k6 has traces and users in metadata, or scripts in tags. */
export function detailsOf(tags: K6SampleTags, metadata: K6SampleTags): FurtherDetails {
  const both: Readonly<Record<string, string | undefined>> = { ...tags, ...metadata };
  const { url, method, vu } = both;
  return { url, method, thread: vu, traceId: both["trace_id"], spanId: both["span_id"] };
}

export function readOutcome(parts: K6Parts, protocol: Protocol): K6Outcome | string {
  const status = readWhole(parts.bytes, parts.from[STATUS] as number, parts.to[STATUS] as number);
  if (protocol === "http") return outcomeOfHttp(parts, status);
  if (parts.has(STATUS) && status === undefined) return unreadableStatus(parts);
  return protocol === "grpc" ? outcomeOfGrpc(status) : outcomeOfWebSocket(status);
}

function outcomeOfHttp(parts: K6Parts, status: number | undefined): K6Outcome | string {
  const expected = readTruth(parts, EXPECTED);
  if (expected === undefined && parts.has(EXPECTED)) {
    return unreadable(parts, EXPECTED, "expected_response", "true or false");
  }
  const isMarked = expected !== undefined || parts.has(ERROR);
  const hasStatus = status !== undefined;
  if (!isMarked && parts.has(STATUS) && !hasStatus) return unreadableStatus(parts);
  return {
    failed: isMarked
      ? expected === false || parts.has(ERROR)
      : hasStatus && hasFailedStatus(status),
    isMarked,
    hasStatus,
    code: hasStatus && status > 0 ? `${status}` : "",
    errorCode: textIn(parts, ERROR_CODE),
    error: textIn(parts, ERROR),
  };
}

function textIn(parts: K6Parts, part: number): string {
  return parts.has(part) ? parts.text(part) : "";
}

function unreadableStatus(parts: K6Parts): string {
  return unreadable(parts, STATUS, "the status", "a whole number");
}

function outcomeOfGrpc(status: number | undefined): K6Outcome {
  const failed = status !== undefined && status !== 0;
  return {
    failed,
    isMarked: status !== undefined,
    hasStatus: status !== undefined,
    code: status === undefined ? "" : `${status}`,
    errorCode: "",
    error: failed ? (GRPC_STATUSES[status] ?? "") : "",
  };
}

/** k6 writes no status if the server has not answered. */
function outcomeOfWebSocket(status: number | undefined): K6Outcome {
  return {
    failed: status !== SWITCHING_PROTOCOLS,
    isMarked: true,
    hasStatus: status !== undefined,
    code: status === undefined ? "" : `${status}`,
    errorCode: "",
    error: status === undefined ? "no answer to the WebSocket handshake" : "",
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

/** Parts of a k6 sample, as indexes of `K6Parts`. */
export const TIME = 0;
export const VALUE = 1;
export const NAME = 2;
export const URL = 3;
const EXPECTED = 4;
export const ERROR = 5;
export const STATUS = 6;
const ERROR_CODE = 7;

const PARTS = 8;

export const PART_OF_TAG: ReadonlyMap<string, number> = new Map([
  ["name", NAME],
  ["url", URL],
  ["expected_response", EXPECTED],
  ["error", ERROR],
  ["error_code", ERROR_CODE],
  ["status", STATUS],
]);

/** Positions of the parts of a k6 sample. Reused from row to row. */
export class K6Parts {
  bytes: Uint8Array = new Uint8Array(0);
  readonly from = new Int32Array(PARTS);
  readonly to = new Int32Array(PARTS);
  #own: Uint8Array;
  #ownLength = 0;

  /** Initial size for `put`; grows. */
  constructor(ownBytes = 512) {
    this.#own = new Uint8Array(ownBytes);
  }

  /** Resets for a sample in `bytes`. */
  beginIn(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.from.fill(0);
    this.to.fill(0);
  }

  /** Resets for a sample filled by `put`. */
  begin(): void {
    this.beginIn(this.#own);
    this.#ownLength = 0;
  }

  /** Says where a part of the sample in `bytes` is. */
  place(part: number, from: number, to: number): void {
    this.from[part] = from;
    this.to[part] = to;
  }

  put(part: number, contents: Uint8Array): void {
    const start = this.#ownLength;
    const end = start + contents.length;
    if (end > this.#own.length) {
      this.#own = grown(this.#own, end);
      this.bytes = this.#own;
    }
    this.#own.set(contents, start);
    this.place(part, start, end);
    this.#ownLength = end;
  }

  has(part: number): boolean {
    return (this.from[part] as number) < (this.to[part] as number);
  }

  /** The name, or the URL if there is none. */
  get labelPart(): number {
    return this.has(NAME) ? NAME : URL;
  }

  text(part: number): string {
    return new TextDecoder().decode(this.bytes.subarray(this.from[part], this.to[part]));
  }
}
