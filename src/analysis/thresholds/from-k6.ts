import { isObject, membersIn } from "../../model/json-text.ts";
import { isMistake, parseLimit } from "../check/parse-limit.ts";

export interface ConvertedThresholds {
  /** Expressions of `--fail-if`, in the order of the source. */
  readonly failIf: readonly string[];
  readonly leftOut: readonly { readonly threshold: string; readonly why: string }[];
}

/**
 * Converts the thresholds of k6: of a summary (`handleSummary`, `--summary-export`) or of options (`k6 inspect`).
 * `undefined` if the value is neither.
 */
export function thresholdsFromK6(value: unknown): ConvertedThresholds | undefined {
  const { metrics, thresholds } = membersIn(value);
  if (!isObject(metrics) && !isObject(thresholds)) return undefined;
  const ofMetrics = Object.entries(membersIn(metrics)).flatMap(([metric, about]) => {
    const isRate = membersIn(about)["type"] === "rate" || "passes" in membersIn(about);
    return Object.keys(membersIn(membersIn(about)["thresholds"])).map((text) => {
      return { metric, text, isRate };
    });
  });
  const ofOptions = Object.entries(membersIn(thresholds)).flatMap(([metric, list]) =>
    (Array.isArray(list) ? list : [list]).map((each) => {
      return { metric, text: textOf(each), isRate: metric === "checks" };
    }),
  );
  const failIf: string[] = [];
  const leftOut: { threshold: string; why: string }[] = [];
  for (const threshold of [...ofMetrics, ...ofOptions]) {
    const converted = convert(threshold);
    const { metric, text } = threshold;
    if ("why" in converted) leftOut.push({ threshold: `${metric}: ${text}`, ...converted });
    else failIf.push(converted.expression);
  }
  return { failIf, leftOut };
}

interface K6Threshold {
  /** With the tags of a sub-metric. */
  readonly metric: string;
  readonly text: string;
  /** Whether k6 says that it is a rate of 0 and 1, not a counter. */
  readonly isRate: boolean;
}

/** In options a threshold is its text, or an object that also says when to abort. */
function textOf(threshold: unknown): string {
  const text = isObject(threshold) ? threshold["threshold"] : threshold;
  return typeof text === "string" ? text : JSON.stringify(threshold);
}

type Conversion = { readonly expression: string } | { readonly why: string };

/** k6 says what must hold, an expression when to fail. */
const OPPOSITES: Readonly<Record<string, string>> = { "<": ">=", "<=": ">", ">": "<=", ">=": "<" };

const THRESHOLD =
  /^\s*(?<method>[a-z]+)(?:\(\s*(?<percent>[\d.]+)\s*\))?\s*(?<sign>[<>=!]+)\s*(?<bound>\+?[\d.]+)\s*$/;

function convert({ metric: submetric, text, isRate }: K6Threshold): Conversion {
  const [, metric = "", tags] = /^([^{]*)(?:\{(.*)\})?$/s.exec(submetric) ?? [];
  const label = tags === undefined ? "" : labelIn(tags);
  if (label === undefined) return { why: "only the tag name is supported" };
  const figures = METRICS[metric];
  if (figures === undefined && label !== "") return { why: "tags of measures are not supported" };
  const condition = conditionOf(figures ?? figuresOf(metric, isRate), metric, text);
  if ("why" in condition) return condition;
  const about = figures === undefined ? `measure ${MEASURES[metric] ?? metric}` : label;
  return expressionOf(about, condition.text);
}

function expressionOf(about: string, condition: string): Conversion {
  const expression = about === "" ? condition : `${about}: ${condition}`;
  const limit = parseLimit(expression);
  if (isMistake(limit)) return { why: limit.message };
  // The label is everything before the last colon, without blanks around it.
  const { label = "", measure } = limit;
  const isRead = measure === undefined ? label === about : about === `measure ${measure}`;
  return isRead ? { expression } : { why: "the name cannot be a label" };
}

/** The expression without its label. */
function conditionOf(
  figures: Figures | string,
  metric: string,
  text: string,
): { readonly text: string } | { readonly why: string } {
  const { method, percent, sign, bound } = THRESHOLD.exec(text)?.groups ?? {};
  if (sign === undefined || Number.isNaN(Number(bound))) return { why: "not understood" };
  const comparison = OPPOSITES[sign];
  if (comparison === undefined) return { why: `${sign} is not supported` };
  if (typeof figures === "string") return { why: figures };
  const aggregation = percent === undefined ? String(method) : `${method}()`;
  const [figure, unit, scale = 1] = new Map(Object.entries(figures)).get(aggregation) ?? [];
  if (figure === undefined) return { why: lacking(metric, aggregation) };
  const name = percent === undefined ? figure : `p${Number(percent)}`;
  return { text: `${name} ${comparison} ${decimal(Number(bound) * scale)}${unit}` };
}

function lacking(metric: string, aggregation: string): string {
  const cure = aggregation === "rate" ? " here; a summary of k6 says which metrics are rates" : "";
  return `${metric} has no ${aggregation}${cure}`;
}

/** Figures of the measure that k6's metric becomes, or why it does not become one. */
function figuresOf(metric: string, isRate: boolean): Figures | string {
  if (OTHER_REQUESTS.includes(metric)) return `${metric} is among all requests`;
  if (metric === "vus") return "vus are active users";
  return isRate ? { rate: ["avg", ""] } : OF_MEASURES;
}

/** The value of the tag `name`; `undefined` if there are other tags. */
function labelIn(tags: string): string | undefined {
  const [, name = ""] = /^\s*name\s*:\s*(.+?)\s*$/s.exec(tags) ?? [];
  // k6 separates tags by commas.
  if (name === "" || name.includes(",")) return undefined;
  return name.replaceAll(/^["']|["']$/g, "");
}

/** Figure, unit and factor of each aggregation. */
type Figures = Readonly<Record<string, readonly [figure: string, unit: string, scale?: number]>>;

const METRICS: Readonly<Record<string, Figures>> = {
  http_req_duration: {
    avg: ["avg", "ms"],
    min: ["min", "ms"],
    max: ["max", "ms"],
    med: ["p50", "ms"],
    "p()": ["", "ms"],
  },
  http_req_failed: { rate: ["errors", "%", 100] },
  http_reqs: { count: ["requests", ""], rate: ["throughput", "/s"] },
};

/** Metrics of k6 that are requests or their outcome, of other protocols. */
const OTHER_REQUESTS: readonly string[] = [
  "grpc_req_duration",
  "ws_connecting",
  "browser_http_req_duration",
  "browser_http_req_failed",
];

/** Measures with another name than the metric. */
const MEASURES: Readonly<Record<string, string>> = {
  http_req_blocked: "blocked",
  http_req_connecting: "connect",
  http_req_tls_handshaking: "tls",
  http_req_sending: "sending",
  http_req_waiting: "waiting",
  http_req_receiving: "receiving",
};

/** In the unit of the measure. */
const OF_MEASURES: Figures = {
  avg: ["avg", ""],
  min: ["min", ""],
  max: ["max", ""],
  med: ["p50", ""],
  "p()": ["", ""],
  count: ["sum", ""],
  value: ["last", ""],
};

/** Without exponent, and without the noise of binary fractions. */
function decimal(value: number): string {
  const text = String(Number(value.toPrecision(12)));
  return text.includes("e") ? value.toFixed(20).replace(/\.?0+$/, "") : text;
}
