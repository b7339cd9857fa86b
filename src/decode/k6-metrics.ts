/**
 * What a line of k6 is about: one request, whether the last one failed, the active users, or none
 * of these. `undefined` instead of a kind means that the name is not known, so that the line
 * deserves a closer look.
 */
export type MetricKind = "request" | "outcome" | "users" | "other";

/** The sample of which k6 writes exactly one for every request. */
export const REQUEST_METRIC = "http_req_duration";

/** Its bytes, to search for. */
export const REQUEST_METRIC_BYTES: Uint8Array = Buffer.from(REQUEST_METRIC);

/** Whether a request failed, 0 or 1; k6 writes it behind the request, if at all (since v0.31). */
const OUTCOME_METRIC = "http_req_failed";

/** The virtual users that are active; k6 writes it once a second. */
const USERS_METRIC = "vus";

const BUILT_IN: readonly (readonly [name: string, kind: MetricKind])[] = [
  [REQUEST_METRIC, "request"],
  [OUTCOME_METRIC, "outcome"],
  ["http_reqs", "other"],
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

/** Longest name that is looked for; k6 allows 128 characters. */
const NAME_BYTES_MAX = 512;
/** Names learned beyond the built-in ones; more are not recognised at once, but read. */
const LEARNED_MAX = 4096;

const COMMA = 0x2c;

interface Metric {
  readonly name: Uint8Array;
  readonly kind: MetricKind;
  /** What followed it last time: k6 writes the samples of a request in the same order always. */
  next: Metric | undefined;
}

/** The metrics of a source by the bytes of their names: the built-in ones, and others as they come. */
export class K6Metrics {
  /** Where the name found last ends. */
  end = 0;
  readonly #byHash = new Map<number, Metric>();
  #last: Metric | undefined;

  constructor() {
    for (const [name, kind] of BUILT_IN) this.#add(name, kind);
  }

  /** The kind of the metric whose name begins at `from` and ends before `delimiter`. */
  kindAt(bytes: Uint8Array, from: number, delimiter: number): MetricKind | undefined {
    const guess = this.#last?.next;
    if (guess !== undefined && equals(guess.name, bytes, from, delimiter)) {
      this.end = from + guess.name.length;
      this.#last = guess;
      return guess.kind;
    }
    const metric = this.#find(bytes, from, delimiter);
    if (metric === undefined) return undefined;
    if (this.#last !== undefined) this.#last.next = metric;
    this.#last = metric;
    return metric.kind;
  }

  /** The kind of the metric of this name. */
  kindOf(name: string): MetricKind | undefined {
    const bytes = new TextEncoder().encode(`${name},`);
    return name.includes(",") ? undefined : this.#find(bytes, 0, COMMA)?.kind;
  }

  /** Remembers the name of a metric that has nothing to do with requests. */
  learn(name: string): void {
    if (this.#byHash.size < BUILT_IN.length + LEARNED_MAX) this.#add(name, "other");
  }

  #find(bytes: Uint8Array, from: number, delimiter: number): Metric | undefined {
    let hash = 0;
    const limit = Math.min(bytes.length, from + NAME_BYTES_MAX);
    for (let at = from; at < limit; at++) {
      const byte = bytes[at] as number;
      if (byte !== delimiter) {
        hash = (Math.imul(hash, 31) + byte) | 0;
        continue;
      }
      this.end = at;
      const metric = this.#byHash.get(hash);
      if (metric === undefined) return undefined;
      return equals(metric.name, bytes, from, delimiter) ? metric : undefined;
    }
    return undefined;
  }

  /** The first of two names with the same hash stays: the other one is looked at more closely. */
  #add(text: string, kind: MetricKind): void {
    const name = new TextEncoder().encode(text);
    let hash = 0;
    for (const byte of name) hash = (Math.imul(hash, 31) + byte) | 0;
    if (!this.#byHash.has(hash)) this.#byHash.set(hash, { name, kind, next: undefined });
  }
}

function equals(name: Uint8Array, bytes: Uint8Array, from: number, delimiter: number): boolean {
  for (let at = 0; at < name.length; at++) if (name[at] !== bytes[from + at]) return false;
  return bytes[from + name.length] === delimiter;
}
