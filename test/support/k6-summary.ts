/** The file that `k6 run --summary-export` writes, and what its metrics are called as measures. */
export interface K6Summary {
  readonly metrics: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly root_group: K6Group;
}

interface K6Group {
  /** Names joined by `::`; empty for the root. */
  readonly path: string;
  readonly groups: Readonly<Record<string, K6Group>>;
  readonly checks: Readonly<Record<string, { name: string; passes: number; fails: number }>>;
}

/** Metrics that are stored as requests or users. */
const OF_REQUESTS = new Set(["http_reqs", "http_req_duration", "http_req_failed", "vus"]);

const NAMES: Readonly<Record<string, string>> = {
  http_req_blocked: "blocked",
  http_req_connecting: "connect",
  http_req_tls_handshaking: "tls",
  http_req_sending: "sending",
  http_req_waiting: "waiting",
  http_req_receiving: "receiving",
};

/** Whether a metric of the summary is stored as a measure; those with braces are parts of others. */
export function isMeasured(metric: string): boolean {
  return !OF_REQUESTS.has(metric) && !metric.includes("{");
}

export function measureName(metric: string): string {
  return NAMES[metric] ?? metric;
}

interface K6Check {
  readonly group: string;
  readonly check: string;
  readonly passes: number;
  readonly fails: number;
}

/** The checks of a group and of those within it. */
export function checksIn({ path: group, groups, checks }: K6Group): K6Check[] {
  const own = Object.values(checks).map(({ name, passes, fails }) => {
    return { group, check: name, passes, fails };
  });
  return [...own, ...Object.values(groups).flatMap(checksIn)];
}
