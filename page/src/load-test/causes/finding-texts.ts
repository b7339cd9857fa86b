/** Findings in words: facts, no advice. */

import type { Finding, NamedEndpoint } from "../../api/figures.ts";
import { spokenLabel } from "../../facets/facet-filter.ts";
import { inWords } from "../../format/changes.ts";
import { count, duration, lasted, rate } from "../../format/numbers.ts";
import { withoutSource } from "./failure-kinds.ts";

export interface FindingText {
  readonly when: string;
  /** `strong` is the main statement, `rest` the details; either may be empty. */
  readonly text: string;
  readonly strong: string;
  readonly rest: string;
}

export interface FindingWords {
  readonly formatTime: (second: number) => string;
  /** Number of endpoints analysed. */
  readonly endpoints: number;
  /** Whether there is room for the main statement only. */
  readonly isShort: boolean;
}

export function findingText(finding: Finding, words: FindingWords): FindingText {
  if (finding.kind === "step") return stepText(finding, words);
  if (finding.kind === "burst") return burstText(finding, words);
  const { from, until } = finding;
  const [begin, end] = [from, until + 1].map(words.formatTime) as [string, string];
  const when = words.isShort ? shortTime(begin) : `${begin} to ${end}`;
  return { when, ...statementOf(finding, words) };
}

function statementOf(
  finding: Exclude<Finding, { kind: "step" } | { kind: "burst" }>,
  words: FindingWords,
): Statement {
  switch (finding.kind) {
    case "failing":
      return failingText(finding);
    case "drop":
      return dropText(finding);
    case "drift":
      return driftText(finding);
    case "omission":
      return omissionText(finding, words);
    case "generator":
      break;
  }
  return limitText(finding);
}

type Statement = Omit<FindingText, "when">;

function failingText({
  count: requests,
  errCount,
  isAll,
  endpointCount: endpoints,
  endpoints: [first],
}: Extract<Finding, { kind: "failing" }>): Statement {
  const one = spokenLabel(first?.label ?? "");
  const which = isAll ? "all endpoints" : `${one} and ${endpointCount(endpoints - 1)} more`;
  const strong = endpoints === 1 ? `${one} fails throughout` : `${which} fail throughout`;
  return { text: "", strong, rest: `· ${count(errCount)} of ${count(requests)} requests` };
}

function dropText({
  reqPerSecBefore,
  reqPerSec,
  users,
}: Extract<Finding, { kind: "drop" }>): Statement {
  return {
    text: `throughput falls from ${rate(reqPerSecBefore)} to`,
    strong: `${rate(reqPerSec)} requests/s`,
    rest: `with ${count(users)} users still active`,
  };
}

function driftText({ p95Before, p95After }: Extract<Finding, { kind: "drift" }>): Statement {
  return {
    text: `p95 rises slowly from ${inWords(duration(p95Before))} to ${inWords(duration(p95After))}`,
    strong: `(×${(p95After / p95Before).toFixed(1)})`,
    rest: "under steady load",
  };
}

/** Coordinated omission. */
function omissionText(
  { stalls, p95, p95AtLeast, p99, p99AtLeast }: Extract<Finding, { kind: "omission" }>,
  { isShort }: FindingWords,
): Statement {
  const requests = stalls.reduce((sum, each) => sum + each.requests, 0);
  const what = stalls.every(({ isLate }) => isLate) ? "sent late" : "not sent";
  const strong = `about ${count(requests)} requests ${what}`;
  if (isShort) return { text: "", strong, rest: "" };
  const more = stalls.length === 1 ? "" : `, and ${stalls.length - 1} more times`;
  const figures = [
    ["p95", p95, p95AtLeast],
    ["p99", p99, p99AtLeast],
  ] as const;
  const bounds = figures.map(([name, recorded, least]) => {
    const plain = recorded === null ? "unknown" : inWords(duration(recorded));
    return `${name} ${plain}, at least ${inWords(duration(least))} with them`;
  });
  return { text: `the load generator waited${more}:`, strong, rest: `· ${bounds.join("; ")}` };
}

/** A load generator at its limit. */
function limitText({
  busy: [busiest],
  droppedIterations,
  iterations,
}: Extract<Finding, { kind: "generator" }>): Statement {
  const cpu =
    busiest &&
    `CPU of ${busiest.of} above 90 % for ${busiest.seconds} s, up to ${busiest.percent} %`;
  const dropped = `${count(droppedIterations)} of ${count(droppedIterations + iterations)} iterations dropped`;
  const rest = [cpu, droppedIterations > 0 ? dropped : undefined].filter((part) => part);
  return { text: "", strong: "the load generator was at its limit", rest: `· ${rest.join("; ")}` };
}

function stepText(
  { at, p95Before, p95After, backAt, of, endpoints, facets }: Extract<Finding, { kind: "step" }>,
  words: FindingWords,
): FindingText {
  const what = of === undefined ? "p95" : `p95 of ${spokenLabel(of.label)}`;
  const [before, after] = [duration(p95Before), duration(p95After)];
  const ratio = `(×${(p95After / p95Before).toFixed(1)})`;
  if (words.isShort) {
    const from = before.unit === after.unit ? before.digits : `${before.digits} ${before.unit}`;
    return {
      when: shortTime(words.formatTime(at)),
      text: `${what} from ${from} to ${after.digits} ${after.unit} ${ratio}`,
      strong: "",
      rest:
        endpoints.length === 0 || of !== undefined ? "" : `, ${endpointCount(endpoints.length)}`,
    };
  }
  const until =
    backAt === undefined ? "to the end of the range" : `and is back after ${lasted(backAt - at)}`;
  const isOfOne = of !== undefined && endpoints.length === 1;
  const which = isOfOne ? "" : slowerText(endpoints, words.endpoints);
  return {
    when: words.formatTime(at),
    text: `${what} rises from ${before.digits} ${before.unit} to ${after.digits} ${after.unit}`,
    strong: ratio,
    rest: `${which === "" ? until : `${until}; ${which}`}${facetsText(facets)}`,
  };
}

function burstText(finding: Extract<Finding, { kind: "burst" }>, words: FindingWords): FindingText {
  const { errCount, allErrCount, from, until, failure, endpoints, of } = finding;
  const [begin, end] = [words.formatTime(from), words.formatTime(until)];
  const whose = of === undefined ? "" : ` of ${spokenLabel(of.label)}`;
  const strong = `${count(errCount)} of ${count(allErrCount)} failures${whose}`;
  const span = `in ${until - from + 1} s`;
  if (words.isShort) return { when: shortTime(begin), text: strong, strong: "", rest: span };
  const kind =
    failure === undefined ? "" : withoutSource(`${failure.code} ${failure.message}`.trim());
  const isAll = failure?.count === errCount;
  const why = kind === "" ? "" : `: ${isAll ? "" : "mostly "}${kind}`;
  return {
    when: `${begin} to ${end}`,
    text: "",
    strong,
    rest: `${span}${why}${whose === "" ? failedText(endpoints, kind !== "") : ""}${facetsText(finding.facets)}`,
  };
}

/** `14:20` for `14:20:00`, with or without a date; times since the start are unchanged. */
export function shortTime(text: string): string {
  return text.replace(/(^|.* )(\d\d:\d\d):\d\d$/, "$1$2");
}

/** The endpoints that became slower, the largest change first. */
function slowerText(endpoints: readonly NamedEndpoint[], all: number): string {
  const [most, ...others] = endpoints;
  if (most === undefined) return "";
  if (others.length === 0) return all === 1 ? "" : `${spokenLabel(most.label)} alone`;
  const which =
    endpoints.length === all
      ? `${all === 2 ? "both" : `all ${count(all)}`} endpoints`
      : `${endpointCount(endpoints.length)}${placeText(endpoints)}`;
  return `${which}, ${spokenLabel(most.label)} most`;
}

function failedText([most, ...others]: readonly NamedEndpoint[], isKindKnown: boolean): string {
  if (most === undefined) return "";
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `${isKindKnown ? " on" : ": on"} ${spokenLabel(most.label)}${more}`;
}

/** The values that an incident lies in. */
function facetsText(facets: Extract<Finding, { kind: "burst" }>["facets"] = []): string {
  const which = facets.map(({ name, value }) => `${name} ${value}`);
  return which.length === 0 ? "" : `; only ${which.join(", ")}`;
}

function endpointCount(endpoints: number): string {
  return `${count(endpoints)} endpoint${endpoints === 1 ? "" : "s"}`;
}

/** More paths than these are not a common location. */
const PLACES_MAX = 2;

/** Common first path segments, if there are few: ` under /cart and /checkout`. */
function placeText(endpoints: readonly NamedEndpoint[]): string {
  const places = endpoints.map(({ label }) => /^(?:[A-Z]+ )?(\/[^/?#]+)/.exec(label)?.[1]);
  const known = [...new Set(places)];
  if (known.includes(undefined) || known.length > PLACES_MAX) return "";
  return ` under ${known.toSorted((left = "", right = "") => (left < right ? -1 : 1)).join(" and ")}`;
}
