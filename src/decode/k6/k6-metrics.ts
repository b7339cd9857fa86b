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

  /** Learns a metric that has nothing to do with requests. Returns whether there was room. */
  learn(name: string): boolean {
    const hasRoom = this.#kinds.size < BUILT_IN.length + LEARNED_MAX;
    if (hasRoom) this.#kinds.set(name, "other");
    return hasRoom;
  }
}
