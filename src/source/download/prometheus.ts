import { errorMessage, UserError } from "../../model/errors.ts";

/** A Prometheus to be queried, and what has its API. */
export interface PrometheusAddress {
  /** Without credentials and query; a path is a prefix. */
  readonly url: string;
  /** Of the header `Authorization`. @default none */
  readonly authorization?: string | undefined;
  /** Of a response. @default 64 MiB */
  readonly bodyBytesMax?: number | undefined;
}

/** UNIX seconds, both included. */
export interface QueriedRange {
  readonly from: number;
  readonly until: number;
  readonly stepSeconds: number;
}

/** A series of a response. Values are texts, as Prometheus writes them. */
export interface QueriedSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly values?: readonly (readonly [second: number, value: string])[];
  readonly histograms?: readonly (readonly [second: number, histogram: QueriedHistogram])[];
}

export interface QueriedHistogram {
  readonly count: string;
  readonly sum: string;
  readonly buckets?: readonly (readonly [rule: number, from: string, to: string, count: string])[];
}

/** Every call throws `unreadable-source`, without credentials; of a failed connection, its cause is that of `fetch`. */
export interface Prometheus {
  /** Of at most 11,000 steps, its own limit. */
  queryRange(query: string, range: QueriedRange): Promise<readonly QueriedSeries[]>;
  /** `counter`, `gauge` and so on; `undefined` if it does not say. */
  typeOf(metric: string): Promise<string | undefined>;
}

interface PrometheusDependencies {
  readonly fetch: typeof fetch;
  readonly interrupted: AbortSignal;
}

const TIMEOUT_MS = 60_000;
const BODY_BYTES_MAX = 64 * 1024 * 1024;
const REASON_CHARACTERS_MAX = 300;

/** Opens the API of a Prometheus; redirects are refused. Throws `bad-parameter`. */
export function openPrometheus(
  { url, authorization, bodyBytesMax = BODY_BYTES_MAX }: PrometheusAddress,
  { fetch: send, interrupted }: PrometheusDependencies,
): Prometheus {
  const base = prometheusBase(url);
  const ask = async (path: string, form?: URLSearchParams): Promise<unknown> => {
    try {
      const response = await send(`${base}/api/v1/${path}`, {
        ...(form && { method: "POST", body: form }),
        // A connection that idles while a part is stored may be closed by a proxy just as the next request is sent.
        headers: { Connection: "close", ...(authorization && { Authorization: authorization }) },
        redirect: "error",
        signal: AbortSignal.any([interrupted, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      return dataOf(response, await textOf(response, bodyBytesMax));
    } catch (error) {
      if (interrupted.aborted) throw error;
      const { cause } = error as Error;
      const reason = errorMessage(cause instanceof Error && cause.message !== "" ? cause : error);
      throw new UserError("unreadable-source", `cannot query ${base}: ${reason}`, { cause });
    }
  };
  return {
    async queryRange(query, { from, until, stepSeconds }) {
      const range = { start: `${from}`, end: `${until}`, step: `${stepSeconds}` };
      const data = await ask("query_range", new URLSearchParams({ query, ...range }));
      const { resultType, result } = (data ?? {}) as { resultType?: string; result?: unknown };
      if (resultType === "matrix" && Array.isArray(result)) return result as QueriedSeries[];
      throw new UserError(
        "unreadable-source",
        `cannot query ${base}: got a result of the type ${JSON.stringify(resultType)}, want a matrix`,
      );
    },
    async typeOf(metric) {
      const data = await ask(`metadata?metric=${encodeURIComponent(metric)}`);
      const known = data as Record<string, readonly { readonly type?: string }[]> | undefined;
      return known?.[metric]?.[0]?.type;
    },
  };
}

/** The address in one form. Throws `bad-parameter`, which names where the address was given. */
export function prometheusBase(text: string, given = "--prometheus"): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (url === undefined || !isHttp || `${url.username}${url.password}${url.search}` !== "") {
    throw new UserError(
      "bad-parameter",
      `${given}: want a URL such as https://prometheus.example.org, without a query and a password, which belongs ` +
        "into TACHOGRAPH_PROMETHEUS_PASSWORD or TACHOGRAPH_PROMETHEUS_TOKEN",
    );
  }
  // From the first slash of a row: each of the others would look for the end again.
  return `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, "");
}

async function textOf(response: Response, bytesMax: number): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw new Error(`the response has more than ${bytesMax} bytes: want fewer series`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

function dataOf({ status }: Response, text: string): unknown {
  let answer: Answer;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error(`got status ${status} and a body that is not JSON`);
  }
  const lack = answer.status === "success" ? lackOf(answer) : undefined;
  if (lack !== undefined) {
    throw new Error(`got only a part of the data: ${lack.slice(0, REASON_CHARACTERS_MAX)}`);
  }
  if (answer.status === "success") return answer.data;
  const reason = typeof answer.error === "string" ? answer.error : "no reason";
  throw new Error(`got status ${status}: ${reason.slice(0, REASON_CHARACTERS_MAX)}`);
}

interface Answer {
  readonly status?: unknown;
  readonly data?: unknown;
  readonly error?: unknown;
  readonly warnings?: readonly unknown[] | null;
  readonly isPartial?: unknown;
}

/** How Prometheus (remote read) and Thanos say that a part of them did not respond, or VictoriaMetrics. Other warnings are about the query. */
function lackOf({ warnings, isPartial }: Answer): string | undefined {
  const warning = warnings?.map(String).find((text) => !text.startsWith("PromQL "));
  return warning ?? (isPartial === true ? "isPartial" : undefined);
}
