import { LIMIT_COMPARISONS } from "../../api/thresholds.ts";
import {
  type Limit,
  type LimitedFigure,
  type LimitComparison,
  type LimitUnit,
  type LimitWindow,
  isNamed,
  kindOf,
  LIMITED_FIGURES,
  MEASURE_STATISTICS,
} from "./limit.ts";
import {
  inQuotes,
  isSelectorMistake,
  parseMeasureSelector,
  quotedIn,
} from "../../model/measures/measure-selector.ts";

/** A syntax error at an index of the expression. */
export interface LimitMistake {
  readonly at: number;
  readonly message: string;
}

/** Parses an expression such as `GET /cart: p95 > 500ms`; docs/check.md has the grammar. */
export function parseLimit(text: string): Limit | LimitMistake {
  try {
    return limitIn(text);
  } catch (error) {
    if (error instanceof Misreading) return { at: error.at, message: error.message };
    throw error;
  }
}

export function isMistake(parsed: Limit | LimitMistake): parsed is LimitMistake {
  return "at" in parsed;
}

class Misreading extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** Index of the colon before the condition; -1 without one. Labels may contain colons, conditions only in facets. */
function colonOf(text: string): number {
  const at = facetedAt(text);
  if (at === undefined) return text.lastIndexOf(":");
  return text[at] === ":" ? at : -1;
}

/** The beginning of a figure with facets. */
const FACETED = /(?:^|:)\s*[A-Za-z][\w.]*\s*\{/g;

/** Where the first figure begins whose facets, of texts in quotes and others without braces, are the last of the text: their values may have colons. */
function facetedAt(text: string): number | undefined {
  const close = text.lastIndexOf("}");
  if (close === -1 || /[{":]/.test(text.slice(close))) return undefined;
  // By index, whether what goes on there ends at `close`: in one pass, as looking for the end from each figure takes quadratic time.
  const [outside, within] = [new Uint8Array(close + 2), new Uint8Array(close + 2)];
  outside[close] = 1;
  for (let at = close - 1; at >= 0; at--) {
    const character = text[at];
    const isBrace = character === "{" || character === "}";
    const afterQuote = character === '"' ? within : outside;
    outside[at] = isBrace ? 0 : (afterQuote[at + 1] as number);
    if (character === "\\") within[at] = within[at + 2] as number;
    else within[at] = (character === '"' ? outside : within)[at + 1] as number;
  }
  return text.matchAll(FACETED).find(({ index, 0: head }) => outside[index + head.length] === 1)
    ?.index;
}

export function conditionIn(text: string): string {
  return text.slice(colonOf(text) + 1).trim();
}

function limitIn(text: string): Limit {
  const colon = colonOf(text);
  const label = colon === -1 ? undefined : text.slice(0, colon).trim();
  if (label === "" || label === '""') {
    throw new Misreading(0, "expected the label of an endpoint before the colon");
  }
  const reader = new TokenReader(text, colon + 1);
  const selector = selectorIn(label ?? "");
  if (selector !== undefined) return measureLimitIn(text, selector, reader);
  const endpoints = label === undefined ? { label } : endpointsIn(label);
  const figure = readFigure(reader, label !== undefined);
  const facets = readFacets(reader);
  const kind = readKind(reader, figure);
  const condition =
    kind === "change" && reader.isAtEnd ? ANY_CHANGE : readCondition(reader, kind, figure);
  const window = readWindow(reader, kind, figure);
  requireEnd(reader);
  return {
    text,
    ...endpoints,
    figure,
    ...(facets && { facets }),
    kind,
    ...condition,
    ...(window && { window }),
  };
}

/** In braces after the figure, as tags in a selector of measures. */
function readFacets(reader: TokenReader): Limit["facets"] {
  const braces = reader.take(/^\{(?:"(?:[^"\\]|\\.)*"|[^{}"])*\}?/s);
  if (braces === undefined) return undefined;
  const selector = parseMeasureSelector(braces.text);
  if (isSelectorMistake(selector)) {
    throw new Misreading(braces.at + selector.at, selector.message.replace("a tag", "a facet"));
  }
  if (selector.matches.length === 0) throw new Misreading(braces.at + 1, "expected a facet");
  return selector.matches;
}

function endpointsIn(subject: string): Pick<Limit, "label" | "each"> {
  const each = /^each(?:\s+(.+))?$/s.exec(subject);
  if (each !== null) return { label: undefined, each: each[1] ?? "*" };
  return { label: quotedIn(subject) ?? subject };
}

/** What is before the colon to mean the endpoint with a label: in quotes if it would mean something else. */
export function subjectOf(label: string): string {
  return /^(?:measure\s|checks\{|each(?:\s|$)|".*"$|\s)|\s$/s.test(label) ? inQuotes(label) : label;
}

/** `over 30s for 3 windows after 1m at least 100 requests`. */
function readWindow(
  reader: TokenReader,
  kind: Limit["kind"],
  figure: LimitedFigure,
  of: "requests" | "measure" = "requests",
): LimitWindow | undefined {
  const over = reader.take(/^over(?![\w.])/);
  if (over === undefined) return undefined;
  const isExtreme = figure === "min" || figure === "max";
  const isStoredByMinute = of === "measure" && /^p\d/.test(figure);
  if (kind !== "value" || isExtreme || isStoredByMinute) {
    const others = of === "measure" ? "min, max and percentiles" : "min and max";
    const message = `over is supported for values of all statistics but ${others} only`;
    throw new Misreading(over.at, message);
  }
  const seconds = readSeconds(reader, 1, WINDOW_SECONDS_MAX);
  const inARow = readInARow(reader);
  const isAfter = reader.take(/^after(?![\w.])/) !== undefined;
  const afterSeconds = isAfter ? readSeconds(reader, 0, AFTER_SECONDS_MAX) : 0;
  return { seconds, ...inARow, afterSeconds, ...(of === "requests" && readFewest(reader)) };
}

function readInARow(reader: TokenReader): Pick<LimitWindow, "inARow"> {
  if (reader.take(/^for(?![\w.])/) === undefined) return {};
  const { at } = reader;
  const count = Number(/\d+/.exec(reader.take(/^\d{1,9}\s+windows?(?![\w.])/)?.text ?? "0"));
  if (count >= 1 && count <= IN_A_ROW_MAX) return { inARow: count };
  throw new Misreading(at, `expected 1 to ${IN_A_ROW_MAX} windows, such as "for 3 windows"`);
}

function readFewest(reader: TokenReader): Pick<LimitWindow, "requestsMin"> {
  const requests = reader.take(/^at\s+least\s+(\d{1,9})\s+requests?(?![\w.])/)?.text;
  return requests === undefined ? {} : { requestsMin: Number(/\d+/.exec(requests)) };
}

const WINDOW_SECONDS_MAX = 3600;
const IN_A_ROW_MAX = 10;
const AFTER_SECONDS_MAX = 1_000_000;

function readSeconds(reader: TokenReader, least: number, most: number): number {
  const { at } = reader;
  const [, digits, unit = ""] = /^(\d{1,9})(s|m|h)$/.exec(reader.take(/^[\w.]+/)?.text ?? "") ?? [];
  const seconds = Number(digits) * (SECONDS_BY_UNIT[unit] ?? 0);
  if (seconds >= least && seconds <= most) return seconds;
  throw new Misreading(
    at,
    `expected whole seconds, minutes or hours (30s, 1m), ${least} to ${most} seconds`,
  );
}

const SECONDS_BY_UNIT: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Checks of k6 need no word before them. */
function selectorIn(subject: string): string | undefined {
  return subject.startsWith("checks{") ? subject : /^measure\s+(.+)$/s.exec(subject)?.[1];
}

function measureLimitIn(text: string, measure: string, reader: TokenReader): Limit {
  const selector = parseMeasureSelector(measure);
  if (isSelectorMistake(selector)) {
    throw new Misreading(text.indexOf(measure) + selector.at, selector.message);
  }
  const figure = readStatistic(reader);
  const braces = reader.take(/^\{/);
  if (braces) throw new Misreading(braces.at, "measures have tags, which follow their name");
  const word = reader.take(WORD);
  const about = { text, label: undefined, selector, figure };
  if (word !== undefined) return { ...about, ...readRelative(reader, word, figure) };
  const comparison = readComparison(reader, false);
  const sign = reader.take(/^-/) === undefined ? 1 : -1;
  const { bound, unit } = readBound(reader, figure === "count" ? ["count"] : MEASURE_UNITS);
  const window = readWindow(reader, "value", figure, "measure");
  requireEnd(reader);
  const condition = { comparison, bound: sign * bound, unit };
  return { ...about, kind: "value", ...condition, ...(window && { window }) };
}

/** Growth or a change of a measure; a fall is growth below a negative bound. */
function readRelative(
  reader: TokenReader,
  { text, at }: Token,
  figure: LimitedFigure,
): Pick<Limit, "kind" | "comparison" | "bound" | "unit"> {
  const isChange = text === "changed";
  if (!isChange && text !== "grows" && text !== "falls") {
    throw new Misreading(at, "expected grows, falls or changed, or one of > >= < <= ==");
  }
  const isAny = isChange && reader.isAtEnd;
  const condition = isAny ? ANY_CHANGE : readCondition(reader, "growth", figure);
  requireEnd(reader);
  if (text !== "falls") return { kind: isChange ? "change" : "growth", ...condition };
  const comparison = condition.comparison === ">" ? "<" : "<=";
  return { kind: "growth", ...condition, comparison, bound: -condition.bound };
}

/** Without one, a bound is in the unit of the measure. */
const MEASURE_UNITS = ["count", "share", "seconds", "perSecond"] as const;

function readStatistic(reader: TokenReader): LimitedFigure {
  const { at } = reader;
  const name = reader.take(WORD)?.text ?? "";
  const known = MEASURE_STATISTICS.find((statistic) => statistic === name);
  const percent = name.startsWith("p") ? percentOf(name.slice(1)) : undefined;
  if (known !== undefined) return known;
  if (percent !== undefined) return `p${percent}`;
  throw new Misreading(at, `expected one of ${MEASURE_STATISTICS.join(", ")}, or a percentile`);
}

function requireEnd(reader: TokenReader): void {
  const rest = reader.take(/.+/s);
  if (rest !== undefined) throw new Misreading(rest.at, "expected nothing more");
}

type Condition = Pick<Limit, "comparison" | "bound" | "unit">;

const ANY_CHANGE: Condition = { comparison: ">", bound: 0, unit: "share" };

function readCondition(reader: TokenReader, kind: Limit["kind"], figure: LimitedFigure): Condition {
  const comparison = readComparison(reader, kind !== "value");
  const units = kind === "value" ? kindOf(figure).units : (["share"] as const);
  return { comparison, ...readBound(reader, units) };
}

interface Token {
  readonly text: string;
  readonly at: number;
}

class TokenReader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  get at(): number {
    const blanks = /^\s*/.exec(this.#text.slice(this.#at))?.[0] ?? "";
    return this.#at + blanks.length;
  }

  get isAtEnd(): boolean {
    return this.at === this.#text.length;
  }

  take(pattern: RegExp): Token | undefined {
    const { at } = this;
    const match = pattern.exec(this.#text.slice(at));
    if (match?.index !== 0 || match[0] === "") return undefined;
    this.#at = at + match[0].length;
    return { text: match[0], at };
  }
}

const WORD = /^[A-Za-z][\w.]*/;

function readFigure(reader: TokenReader, isLabelled: boolean): LimitedFigure {
  const { at } = reader;
  const name = reader.take(WORD)?.text ?? "";
  const percent = name.startsWith("p") ? percentOf(name.slice(1)) : undefined;
  const figure = percent === undefined ? name : (`p${percent}` as const);
  if (percent !== undefined || isNamed(figure)) return figure as LimitedFigure;
  const names = Object.keys(LIMITED_FIGURES).join(", ");
  const label = isLabelled ? "" : ", or a label and a colon before it";
  throw new Misreading(at, `expected one of ${names}, another percentile${label}`);
}

function readKind(reader: TokenReader, figure: LimitedFigure): Limit["kind"] {
  const word = reader.take(WORD);
  if (word === undefined) return "value";
  if (word.text === "grows") return checkFigure(word, figure, "growth");
  if (word.text === "changed") return checkFigure(word, figure, "change");
  throw new Misreading(word.at, "expected grows or changed, or one of > >= < <= ==");
}

const JUDGED_BY = { growth: "compared", change: "trend" } as const;

function checkFigure<LimitKind extends keyof typeof JUDGED_BY>(
  { at }: Token,
  figure: LimitedFigure,
  kind: LimitKind,
): LimitKind {
  const isJudged = (each: LimitedFigure) => kindOf(each)[JUDGED_BY[kind]] !== undefined;
  if (isJudged(figure)) return kind;
  const names = Object.keys(LIMITED_FIGURES).filter((name) => isNamed(name) && isJudged(name));
  throw new Misreading(at, `${kind} is supported for ${names.join(", ")} only`);
}

function readComparison(reader: TokenReader, isRelative: boolean): LimitComparison {
  const { at } = reader;
  const sign = reader.take(/^[<>=!]+/)?.text;
  const found = LIMIT_COMPARISONS.find((comparison) => comparison === sign);
  const wanted = isRelative ? "> or >=" : "one of > >= < <= ==";
  if (found === undefined || (isRelative && !found.startsWith(">"))) {
    throw new Misreading(at, `expected ${wanted}`);
  }
  return found;
}

interface UnitName {
  readonly unit: LimitUnit;
  /** Power of ten of the base unit. It is written behind the digits: a quotient is not always the nearest number. */
  readonly exponent: number;
}

const UNIT_NAMES: ReadonlyMap<string, UnitName> = new Map([
  ["us", { unit: "seconds", exponent: -6 }],
  ["ms", { unit: "seconds", exponent: -3 }],
  ["s", { unit: "seconds", exponent: 0 }],
  ["%", { unit: "share", exponent: -2 }],
  ["/s", { unit: "perSecond", exponent: 0 }],
  ["", { unit: "count", exponent: 0 }],
]);

/** Not the word behind a bound without a unit. */
const UNIT = /^(?!over\s)[^\s\d]+/;

function readBound(
  reader: TokenReader,
  units: readonly LimitUnit[],
): { readonly bound: number; readonly unit: LimitUnit } {
  const { at } = reader;
  const number = reader.take(/^\d+(\.\d+)?/)?.text;
  if (number === undefined) throw new Misreading(at, "expected a number");
  const unitAt = reader.at;
  const named = UNIT_NAMES.get(reader.take(UNIT)?.text ?? "");
  if (named !== undefined && units.includes(named.unit)) {
    return { bound: Number(`${number}e${named.exponent}`), unit: named.unit };
  }
  const names = [...UNIT_NAMES].filter(([, { unit }]) => units.includes(unit));
  const words = names.map(([name]) => (name === "" ? "no unit" : name));
  throw new Misreading(unitAt, `expected ${words.join(" or ")} after ${number}`);
}

/** `75` or `99.99` as a number; `undefined` unless it is above 0 and below 100, with at most two decimals. */
export function percentOf(text: string): number | undefined {
  const percent = /^\d{1,2}(\.\d{1,2})?$/.test(text) ? Number(text) : 0;
  return percent > 0 ? percent : undefined;
}
