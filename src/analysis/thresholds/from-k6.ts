import { isObject, membersIn } from "../../model/json-text.ts";
import type { ThresholdJson } from "../../api/thresholds.ts";
import {
  ENDPOINT_TAG,
  isOfEndpoints,
  selectorText,
  type TagMatch,
} from "../../model/measures/measure-selector.ts";
import { K6_FACETS, k6FacetOf } from "../../model/series/facets.ts";
import type { Limit } from "../check/limit.ts";
import { isMistake, parseLimit, subjectOf } from "../check/parse-limit.ts";

export interface ConvertedThresholds {
  /** In the order of the source: first those that fail without a sample, then those that k6 passes. */
  readonly thresholds: readonly ThresholdJson[];
  readonly leftOut: readonly { readonly threshold: string; readonly why: string }[];
  /** Tags by the name of the facet that `import --facet` keeps them as. */
  readonly facets: readonly string[];
}

/**
 * Converts the thresholds of k6: of a summary (`handleSummary`, `--summary-export`) or of options (`k6 inspect`).
 * `undefined` if the value is neither.
 */
export function thresholdsFromK6(value: unknown): ConvertedThresholds | undefined {
  const { metrics, thresholds } = membersIn(value);
  if (!isObject(metrics) && !isObject(thresholds)) return undefined;
  const ofMetrics = Object.entries(membersIn(metrics)).flatMap(([metric, about]) => {
    const { type, thresholds: own, ...figures } = membersIn(about);
    const isRate = type === "rate" || "passes" in figures;
    return Object.keys(membersIn(own)).map((text) => ({ metric, text, isRate, aborts: undefined }));
  });
  const ofOptions = Object.entries(membersIn(thresholds)).flatMap(([metric, list]) =>
    (Array.isArray(list) ? list : [list]).map((each) => {
      const isRate = /^checks\b/.test(metric);
      return { metric, text: textOf(each), isRate, aborts: abortOf(each) };
    }),
  );
  const [failIf, ifPresent]: [string[], string[]] = [[], []];
  const leftOut: { threshold: string; why: string }[] = [];
  const facets = new Set<string>();
  for (const threshold of [...ofMetrics, ...ofOptions]) {
    const converted = convert(threshold);
    const { metric, text } = threshold;
    if ("why" in converted) leftOut.push({ threshold: `${metric}: ${text}`, ...converted });
    else {
      const { whyNoAbort: why } = converted;
      if (why !== undefined) leftOut.push({ threshold: `${metric}: ${text}, abortOnFail`, why });
      (converted.passesEmpty ? ifPresent : failIf).push(...converted.expressions);
      for (const facet of converted.facets) facets.add(facet);
    }
  }
  const all = [{ failIf }, { failIf: ifPresent, allowMissing: true }];
  return {
    thresholds: all.filter((each) => each.failIf.length > 0),
    leftOut,
    facets: [...facets].toSorted(),
  };
}

interface K6Threshold {
  readonly metric: string;
  readonly text: string;
  /** Whether k6 says that it is a share: it passes without a sample. */
  readonly isRate: boolean;
  /** `undefined`: it does not end the test. */
  readonly aborts: Abort | undefined;
}

interface Abort {
  /** How long k6 waits before it looks; `undefined` if the text is not understood. */
  readonly afterSeconds: number | undefined;
}

/** Of a threshold in options with `abortOnFail`. */
function abortOf(threshold: unknown): Abort | undefined {
  const { abortOnFail, delayAbortEval = 0 } = membersIn(threshold);
  return abortOnFail === true ? { afterSeconds: secondsIn(delayAbortEval ?? 0) } : undefined;
}

const SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6 };

/** Whole seconds, rounded up, of a number of milliseconds or a text such as `1m30s`. */
function secondsIn(duration: unknown): number | undefined {
  if (typeof duration === "number") return Math.ceil(duration / 1000);
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|us|m|s))+$/.test(String(duration))) return undefined;
  const parts = String(duration).matchAll(/([\d.]+)([a-z]+)/g);
  return Math.ceil(
    parts.reduce((sum, [, value, unit = ""]) => sum + Number(value) * (SECONDS[unit] ?? 0), 0),
  );
}

/** In options a threshold is its text, or an object that also says when to abort. */
function textOf(threshold: unknown): string {
  const text = isObject(threshold) ? threshold["threshold"] : threshold;
  return typeof text === "string" ? text : JSON.stringify(threshold);
}

type Conversion =
  | {
      readonly expressions: readonly string[];
      readonly passesEmpty: boolean;
      readonly facets: readonly string[];
      /** Why no expression ends the test early, if k6 does. */
      readonly whyNoAbort: string | undefined;
    }
  | { readonly why: string };

/** k6 says what must hold, an expression when to fail. */
const OPPOSITES: Readonly<Record<string, readonly string[]>> = {
  "<": [">="],
  "<=": [">"],
  ">": ["<="],
  ">=": ["<"],
  "==": ["<", ">"],
  "===": ["<", ">"],
  "!=": ["=="],
};

const THRESHOLD =
  /^\s*(?<method>[a-z]+)(?:\(\s*(?<percent>[\d.]+)\s*\))?\s*(?<sign>[<>=!]+)\s*(?<bound>\+?[\d.]+)\s*$/;

function convert({ metric: submetric, text, isRate, aborts }: K6Threshold): Conversion {
  const [, metric = "", inBraces = ""] = /^([^{]*)(?:\{(.*)\})?$/s.exec(submetric) ?? [];
  const tags = tagsIn(inBraces);
  if (tags === undefined) return { why: "expected tags such as {name:value}" };
  const ofRequests = METRICS[metric];
  const about = ofRequests === undefined ? measureOf(metric, tags) : labelOf(tags);
  if (typeof about !== "string") return about;
  const conditions = conditionsOf(ofRequests ?? OF_MEASURES, metric, text);
  if ("why" in conditions) return conditions;
  const facets = ofRequests === undefined ? [] : facetsIn(tags);
  const expressions = conditions.texts.map((each) => expressionOf(about, facets, each));
  const why = expressions.map((each) => mistakeIn(each)).find((each) => each !== undefined);
  if (why !== undefined) return { why };
  const others = facets.map(({ tag }) => tag).filter((tag) => !K6_FACETS.includes(tag));
  // Of other tags it is not known whether no request has the value, or the import did not keep it.
  const passesEmpty = others.length === 0 && doesEmptyPass({ metric, isRate }, conditions);
  return { ...withWindows(expressions, aborts), passesEmpty, facets: others };
}

/** Adds what ends the test early. */
function withWindows(expressions: readonly string[], aborts: Abort | undefined) {
  if (aborts === undefined) return { expressions, whyNoAbort: undefined };
  const windows = expressions.map((each) => windowOf(each, aborts));
  const whyNoAbort = windows.map(mistakeInWindow).find((each) => each !== undefined);
  const all = whyNoAbort === undefined ? [...expressions, ...windows] : expressions;
  return { expressions: all, whyNoAbort };
}

/** k6 looks at all samples since the start. In a much shorter window, chance would end tests. */
const WINDOW_SECONDS = 30;

function windowOf(expression: string, { afterSeconds }: Abort): string {
  const after = afterSeconds === 0 ? "" : ` after ${afterSeconds ?? ""}s`;
  return `${expression} over ${WINDOW_SECONDS}s${after}`;
}

function mistakeInWindow(expression: string): string | undefined {
  const limit = parseLimit(expression);
  if (isMistake(limit)) return limit.message;
  if (isOfEndpoint(limit)) return "phases of endpoints are stored by minute";
  const isTotal = ["requests", "sum", "count"].includes(limit.figure);
  return isTotal ? "a count is that of the whole run, not of a window" : undefined;
}

/** Whether k6 passes without a sample. */
function doesEmptyPass(
  { metric, isRate }: Pick<K6Threshold, "metric" | "isRate">,
  { isZero }: { readonly isZero: boolean },
): boolean {
  return isRate || metric === "http_req_failed" || isZero;
}

function expressionOf(
  about: string,
  facets: readonly TagMatch[],
  [figure, condition]: readonly [figure: string, condition: string],
): string {
  const braces =
    facets.length === 0 ? "" : selectorText({ name: undefined, matches: facets, by: [] });
  const judged = `${figure}${braces} ${condition}`;
  return about === "" ? judged : `${about}: ${judged}`;
}

function mistakeIn(expression: string): string | undefined {
  const limit = parseLimit(expression);
  if (isMistake(limit)) return limit.message;
  return isUnknown(limit) ? "percentiles of a phase are not stored by endpoint" : undefined;
}

/** Phases of endpoints have no distribution. */
function isUnknown(limit: Limit): boolean {
  return isOfEndpoint(limit) && /^p\d/.test(limit.figure);
}

function isOfEndpoint({ selector }: Limit): boolean {
  return selector !== undefined && isOfEndpoints(selector);
}

/** The conditions under which k6 fails, and whether 0, which k6 takes a metric without a sample for, passes. */
function conditionsOf(
  figures: Figures,
  metric: string,
  text: string,
):
  | {
      readonly texts: readonly (readonly [figure: string, condition: string])[];
      readonly isZero: boolean;
    }
  | { readonly why: string } {
  const { method, percent, sign, bound } = THRESHOLD.exec(text)?.groups ?? {};
  if (sign === undefined || Number.isNaN(Number(bound))) return { why: "not understood" };
  const comparisons = OPPOSITES[sign];
  if (comparisons === undefined) return { why: `${sign} is not supported` };
  const aggregation = percent === undefined ? String(method) : `${method}()`;
  const [figure, unit, scale = 1] = new Map(Object.entries(figures)).get(aggregation) ?? [];
  if (figure === undefined) return { why: `${metric} has no ${aggregation}` };
  const name = percent === undefined ? figure : `p${Number(percent)}`;
  return {
    texts: comparisons.map((each) => [name, `${each} ${decimal(Number(bound) * scale)}${unit}`]),
    isZero: doesZeroPass(sign, Number(bound)),
  };
}

/** No bound is negative. */
function doesZeroPass(sign: string, bound: number): boolean {
  if (bound > 0) return /^[<!]/.test(sign);
  return /^[<>=]=/.test(sign);
}

type Tags = readonly (readonly [tag: string, value: string])[];

/** k6 separates tags by commas. */
function tagsIn(text: string): Tags | undefined {
  if (text.trim() === "") return [];
  const tags = text.split(",").map((each) => {
    const [, tag = "", value = ""] = /^\s*([^:]+?)\s*:\s*(.*?)\s*$/s.exec(each) ?? [];
    return [tag, value.replaceAll(/^["']|["']$/g, "")] as const;
  });
  return tags.some(([tag]) => tag === "") ? undefined : tags;
}

/** The label of the requests; empty for all. */
function labelOf(tags: Tags): string | { readonly why: string } {
  const strange = tags.find(([tag]) => UNSTORED_TAGS.has(tag) || tag === "check");
  if (strange !== undefined) return { why: `the tag ${strange[0]} of requests is not stored` };
  const name = tags.find(([tag]) => tag === "name")?.[1] ?? "";
  return name && subjectOf(name);
}

function facetsIn(tags: Tags): readonly TagMatch[] {
  return tags.flatMap(([tag, value]) =>
    tag === "name" ? [] : [{ tag, value: k6FacetOf(tag, value), isNot: false }],
  );
}

/** The measure that k6's metric becomes, or why it does not become one. */
function measureOf(metric: string, tags: Tags): string | { readonly why: string } {
  if (OTHER_REQUESTS.includes(metric)) return { why: `${metric} is among all requests` };
  if (metric === "vus") return { why: "vus are active users" };
  const phase = MEASURES[metric];
  const strange = tags.find(([tag]) =>
    phase === undefined ? UNSTORED_TAGS.has(tag) : tag !== "name",
  );
  if (strange !== undefined) return { why: `the tag ${strange[0]} of ${metric} is not stored` };
  const matches = tags.map(([tag, value]) => {
    return { tag: phase === undefined ? tag : ENDPOINT_TAG, value, isNot: false };
  });
  return `measure ${selectorText({ name: phase ?? metric, matches, by: [] })}`;
}

/** Different in each iteration. */
const UNSTORED_TAGS: ReadonlySet<string> = new Set(["vu", "iter"]);

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
  rate: ["rate", ""],
  value: ["last", ""],
};

/** Without exponent, and without the noise of binary fractions. */
function decimal(value: number): string {
  const text = String(Number(value.toPrecision(12)));
  return text.includes("e") ? value.toFixed(20).replace(/\.?0+$/, "") : text;
}
