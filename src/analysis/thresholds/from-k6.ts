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
  const ofMetrics = Object.entries(membersIn(metrics)).flatMap(([metric, about]) =>
    Object.keys(membersIn(membersIn(about)["thresholds"])).map((text) => [metric, text] as const),
  );
  const ofOptions = Object.entries(membersIn(thresholds)).flatMap(([metric, list]) =>
    (Array.isArray(list) ? list : [list]).map((each) => [metric, textOf(each)] as const),
  );
  const failIf: string[] = [];
  const leftOut: { threshold: string; why: string }[] = [];
  for (const [metric, text] of [...ofMetrics, ...ofOptions]) {
    const converted = convert(metric, text);
    if ("why" in converted) leftOut.push({ threshold: `${metric}: ${text}`, ...converted });
    else failIf.push(converted.expression);
  }
  return { failIf, leftOut };
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

function convert(submetric: string, text: string): Conversion {
  const [, metric = "", tags] = /^([^{]*)(?:\{(.*)\})?$/s.exec(submetric) ?? [];
  const label = tags === undefined ? "" : labelIn(tags);
  if (label === undefined) return { why: "only the tag name is supported" };
  const condition = conditionOf(metric, text);
  if ("why" in condition) return condition;
  const expression = label === "" ? condition.text : `${label}: ${condition.text}`;
  const limit = parseLimit(expression);
  if (isMistake(limit)) return { why: limit.message };
  // The label is everything before the last colon, without blanks around it.
  return (limit.label ?? "") === label ? { expression } : { why: "the name cannot be a label" };
}

/** The expression without its label. */
function conditionOf(
  metric: string,
  text: string,
): { readonly text: string } | { readonly why: string } {
  const { method, percent, sign, bound } = THRESHOLD.exec(text)?.groups ?? {};
  if (sign === undefined || Number.isNaN(Number(bound))) return { why: "not understood" };
  const comparison = OPPOSITES[sign];
  if (comparison === undefined) return { why: `${sign} is not supported` };
  const figures = METRICS[metric];
  if (figures === undefined) return { why: `only ${Object.keys(METRICS).join(", ")} are stored` };
  const aggregation = percent === undefined ? String(method) : `${method}()`;
  const [figure, unit, scale = 1] = figures[aggregation] ?? [];
  if (figure === undefined) return { why: `${metric} has no ${aggregation}` };
  const name = percent === undefined ? figure : `p${Number(percent)}`;
  return { text: `${name} ${comparison} ${decimal(Number(bound) * scale)}${unit}` };
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

/** Without exponent, and without the noise of binary fractions. */
function decimal(value: number): string {
  const text = String(Number(value.toPrecision(12)));
  return text.includes("e") ? value.toFixed(20).replace(/\.?0+$/, "") : text;
}
