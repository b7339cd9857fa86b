import { isAt } from "../bytes/byte-words.ts";

/** What a line of k6 is about. `undefined` instead of a kind: unknown name, which needs a closer look. */
export type MetricKind = "request" | "outcome" | "users" | "other";

/** Written exactly once per request. */
export const REQUEST_METRIC = "http_req_duration";

/** 0 or 1; written after the request, since v0.31. */
const OUTCOME_METRIC = "http_req_failed";

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
];

/** k6 allows 128 characters. */
const NAME_BYTES_MAX = 512;
/** Limit of learned names; others are slower. */
const LEARNED_MAX = 4096;

interface Metric {
  readonly name: Uint8Array;
  readonly kind: MetricKind;
}

/** Metrics by the bytes of their names: built-in and learned ones. */
export class K6Metrics {
  /** End of the last name found. */
  end = 0;
  readonly #delimiter: number;
  readonly #byHash = new Map<number, Metric>();
  readonly #byName = new Map<string, MetricKind>();

  /** `delimiter`: a character of ASCII, which follows the names. */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
    for (const [name, kind] of BUILT_IN) this.#add(name, kind);
  }

  /** Kind of the name at `from`, which ends before the delimiter. */
  kindOfNameAt(bytes: Uint8Array, from: number): MetricKind | undefined {
    let hash = 0;
    const limit = Math.min(bytes.length, from + NAME_BYTES_MAX);
    for (let at = from; at < limit; at++) {
      const byte = bytes[at] as number;
      if (byte !== this.#delimiter) {
        hash = (Math.imul(hash, 31) + byte) | 0;
        continue;
      }
      this.end = at;
      const metric = this.#byHash.get(hash);
      if (metric?.name.length !== at - from) return undefined;
      return isAt(bytes, from, metric.name) ? metric.kind : undefined;
    }
    return undefined;
  }

  kindOf(name: string): MetricKind | undefined {
    return this.#byName.get(name);
  }

  /** Learns a metric that has nothing to do with requests. Returns whether there was room. */
  learn(name: string): boolean {
    const hasRoom = this.#byHash.size < BUILT_IN.length + LEARNED_MAX;
    if (hasRoom) this.#add(name, "other");
    return hasRoom;
  }

  /** On a hash collision the first name stays; the other is read in full. */
  #add(text: string, kind: MetricKind): void {
    const name = new TextEncoder().encode(text);
    let hash = 0;
    for (const byte of name) hash = (Math.imul(hash, 31) + byte) | 0;
    if (this.#byHash.has(hash)) return;
    this.#byHash.set(hash, { name, kind });
    this.#byName.set(text, kind);
  }
}
