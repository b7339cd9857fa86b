import { POINT, ZERO } from "../bytes/ascii.ts";
import { digitsEnd, isDigit } from "../bytes/exact-number.ts";
import { WHOLE_SECONDS, noSizes } from "../notes.ts";
import type { K6Counts } from "./k6-kernel.ts";

/** What a line of k6 is about. `undefined` instead of a kind: unknown name, which needs a closer look. */
export type MetricKind = "request" | "outcome" | "users" | "other";

/** Written exactly once per HTTP request. */
const REQUEST_METRIC = "http_req_duration";

/** 0 or 1; written after the request, since v0.31. */
const OUTCOME_METRIC = "http_req_failed";

/** What the tag `status` of a request means. */
export type Protocol = "http" | "grpc" | "websocket";

/** Of the requests of k6's modules that share their tags with this metric. */
export function protocolOf(metric: string): Protocol {
  if (metric.startsWith("grpc_")) return "grpc";
  return metric.startsWith("ws_") ? "websocket" : "http";
}

/** Written once per request, too. */
export const REQUESTS_METRIC = "http_reqs";

/** Active virtual users, written once a second. */
const USERS_METRIC = "vus";

/** The metrics of k6 itself. */
export const BUILT_IN: readonly (readonly [name: string, kind: MetricKind])[] = [
  [REQUEST_METRIC, "request"],
  [OUTCOME_METRIC, "outcome"],
  [REQUESTS_METRIC, "other"],
  ["http_req_blocked", "other"],
  ["http_req_connecting", "other"],
  ["http_req_tls_handshaking", "other"],
  ["http_req_sending", "other"],
  ["http_req_waiting", "other"],
  ["http_req_receiving", "other"],
  [USERS_METRIC, "users"],
  ["vus_max", "other"],
  ["iterations", "other"],
  ["iteration_duration", "other"],
  ["dropped_iterations", "other"],
  ["checks", "other"],
  ["group_duration", "other"],
  ["data_sent", "other"],
  ["data_received", "other"],
  ["grpc_req_duration", "request"],
  ["ws_connecting", "request"],
  ["browser_http_req_duration", "request"],
  ["browser_http_req_failed", "outcome"],
];

/** k6 allows 128 characters. */
const NAME_BYTES_MAX = 512;
/** Limit of learned names; others are slower. */
const LEARNED_MAX = 4096;

/** Metrics by name: built-in and learned ones. */
export class K6Metrics {
  /** End of the last name read. */
  end = 0;
  readonly #delimiter: number;
  readonly #kinds = new Map(BUILT_IN);

  /** `delimiter`: a character of ASCII, which follows the names. */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** Kind of the name at `from`, which ends before the delimiter. */
  kindOfNameAt(bytes: Buffer, from: number): MetricKind | undefined {
    const limit = Math.min(bytes.length, from + NAME_BYTES_MAX);
    let to = from;
    while (to < limit && bytes[to] !== this.#delimiter) to += 1;
    this.end = to;
    return to === limit ? undefined : this.kindOf(bytes.toString("utf8", from, to));
  }

  kindOf(name: string): MetricKind | undefined {
    return this.#kinds.get(name);
  }

  learn(name: string): boolean {
    const hasRoom = this.#kinds.size < BUILT_IN.length + LEARNED_MAX;
    if (hasRoom) this.#kinds.set(name, "other");
    return hasRoom;
  }
}

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

/** What an import says about the requests of k6. */
export class K6Notes {
  /** Requests by what they lack, or by how precise their time is. */
  readonly #counts = { unmarked: 0, unlabelled: 0, coarse: 0, fine: 0 };
  #unreadableUsers = 0;

  count({ unmarked = 0, unlabelled = 0, coarse = 0, fine = 0 }: Partial<K6Counts>): void {
    this.#counts.unmarked += unmarked;
    this.#counts.unlabelled += unlabelled;
    this.#counts.coarse += coarse;
    this.#counts.fine += fine;
  }

  countUnreadableUsers(): void {
    this.#unreadableUsers += 1;
  }

  notes(): string[] {
    const { unmarked, unlabelled, coarse, fine } = this.#counts;
    const notes: string[] = [];
    if (coarse + fine > 0) notes.push(noSizes("k6"));
    if (coarse > 0 && fine === 0) notes.push(WHOLE_SECONDS);
    if (unlabelled > 0) notes.push("requests without a name and a URL have the empty label");
    if (unmarked > 0) {
      notes.push(
        `${unmarked} requests have neither a status nor a failure flag: counted as passed`,
      );
    }
    if (this.#unreadableUsers > 0) {
      notes.push(`samples of vus that could not be read: ${this.#unreadableUsers}`);
    }
    return notes;
  }
}
