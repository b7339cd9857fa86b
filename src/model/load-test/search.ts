/** Searching load tests: words, `key:value` and limits of figures, all of which must match. */

import { badParameter } from "../errors.ts";
import { type Attributes, FAILED_TAG } from "./attributes.ts";

/** Of a load test, what is searched. */
interface Searched extends Attributes {
  readonly id: string;
  readonly formats: readonly string[];
  readonly requests: number;
  readonly failedRequests: number;
  readonly from: number | undefined;
  readonly until: number | undefined;
}

/** What of a load test contains a text, ignoring case; `any`: anything of these, or a property. */
const FIELDS = {
  id: ({ id }) => [id],
  name: ({ name }) => [name],
  tag: ({ tags }) => tags,
  env: ({ environment = "" }) => [environment],
  tool: ({ formats }) => formats,
  any: ({ id, name, environment = "", tags, formats, description = "", properties }) => [
    id,
    name,
    environment,
    description,
    ...tags,
    ...formats,
    ...Object.entries(properties).map(([key, value]) => `${key}:${value}`),
  ],
} as const satisfies Record<string, (loadTest: Searched) => readonly string[]>;

type SearchField = keyof typeof FIELDS;

/** Percentiles and average are known to stores where they were computed: see `OVERALL_FIGURES`. */
export const COMPUTED_FIGURES = ["p50", "p95", "p99", "average"] as const;

/** Of the summary. */
const COUNTED_FIGURES = {
  requests: ({ requests }) => requests,
  errors: ({ requests, failedRequests }) =>
    requests === 0 ? undefined : failedRequests / requests,
  duration: ({ from, until }) =>
    from === undefined || until === undefined ? undefined : until - from + 1,
} as const satisfies Record<string, (loadTest: Searched) => number | undefined>;

export type ComputedFigure = (typeof COMPUTED_FIGURES)[number];
export type CountedFigure = keyof typeof COUNTED_FIGURES;

const OPERATORS = {
  ">": (value: number, bound: number) => value > bound,
  "<": (value: number, bound: number) => value < bound,
  ">=": (value: number, bound: number) => value >= bound,
  "<=": (value: number, bound: number) => value <= bound,
} as const;

type SearchOperator = keyof typeof OPERATORS;

export type SearchTerm =
  | { readonly kind: "text"; readonly field: SearchField; readonly text: string }
  /** A property of this key whose value contains the text; or `key:text` anywhere. */
  | { readonly kind: "property"; readonly key: string; readonly text: string }
  | { readonly kind: "flag"; readonly flag: "failed" | "pinned"; readonly is: boolean }
  | FigureTerm;

interface FigureTerm {
  readonly kind: "figure";
  readonly figure: ComputedFigure | CountedFigure;
  readonly operator: SearchOperator;
  /** In seconds, requests, or as a share. */
  readonly bound: number;
}

const TERMS_MAX = 20;

/** A word; in quotes it may have blanks, and a backslash keeps the next character. */
const WORD = /(?:"(?:[^"\\]|\\.)*"?|[^\s"])+/gsu;
const FIGURE = /^(p50|p95|p99|average|requests|errors|duration)(>=|<=|>|<)(.*)$/is;
const PAIR = /^([\p{L}\p{N}._/-]{1,64}):(.+)$/su;

/** Throws `bad-parameter`. */
export function parseSearch(search: string): readonly SearchTerm[] {
  const words = search.match(WORD) ?? [];
  if (words.length > TERMS_MAX) {
    throw badParameter(`search: expected at most ${TERMS_MAX} terms, got ${words.length}`);
  }
  return words.map((word) => {
    const [, figure, operator, bound] = FIGURE.exec(word) ?? [];
    if (figure !== undefined) return figureTerm(figure.toLowerCase(), operator, bound ?? "");
    const [, key, value = ""] = PAIR.exec(word) ?? [];
    return key === undefined
      ? { kind: "text", field: "any", text: unquoted(word) }
      : pairTerm(key, unquoted(value));
  });
}

/** As one word of a search. */
export function quotedWord(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

function unquoted(word: string): string {
  return word.replaceAll(/"((?:[^"\\]|\\.)*)"?/gsu, (_, inner: string) =>
    inner.replaceAll(/\\(.)/gsu, "$1"),
  );
}

function pairTerm(key: string, text: string): SearchTerm {
  const name = key.toLowerCase();
  if (name === "failed" || name === "pinned") {
    const is = new Map([
      ["yes", true],
      ["no", false],
    ]).get(text.toLowerCase());
    if (is !== undefined) return { kind: "flag", flag: name, is };
    throw badParameter(`search: expected ${name}:yes or ${name}:no, got ${JSON.stringify(text)}`);
  }
  const isField = name !== "any" && Object.hasOwn(FIELDS, name);
  if (isField) return { kind: "text", field: name as SearchField, text };
  return { kind: "property", key, text };
}

const UNITS: Readonly<Record<FigureUnit, Readonly<Record<string, number>>>> = {
  times: { us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, min: 60, h: 3600 },
  shares: { "%": 0.01 },
  counts: { "": 1, k: 1000 },
};

type FigureUnit = "times" | "shares" | "counts";

function figureTerm(figure: string, operator: string | undefined, given: string): SearchTerm {
  const kind = ({ requests: "counts", errors: "shares" } as const)[figure] ?? "times";
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)(\D*)$/su.exec(given) ?? [];
  const scale = Object.entries(UNITS[kind]).find(([name]) => name === unit)?.[1];
  // As one would write it: 35 times 0.01 is more than 0.35, and would not find it.
  const bound = Number((Number(number) * (scale ?? NaN)).toPrecision(15));
  if (!Number.isFinite(bound)) {
    const wanted = {
      times: "a time such as 500ms",
      shares: "a share such as 1%",
      counts: "a number",
    };
    throw badParameter(
      `search: expected ${wanted[kind]} after ${figure}${operator}, got ${JSON.stringify(given.slice(0, 50))}`,
    );
  }
  return {
    kind: "figure",
    figure: figure as FigureTerm["figure"],
    operator: operator as SearchOperator,
    bound,
  };
}

export function isComputed(figure: FigureTerm["figure"]): figure is ComputedFigure {
  return COMPUTED_FIGURES.some((each) => each === figure);
}

function isBeyond(value: number | undefined, { operator, bound }: FigureTerm): boolean {
  return value !== undefined && OPERATORS[operator](value, bound);
}

/** Whether figures, those of `COMPUTED_FIGURES` as stored, are beyond all their limits. `undefined`: unknown. */
export function haveFigures(stored: string | undefined, terms: readonly SearchTerm[]): boolean {
  const values = JSON.parse(stored ?? "[]") as readonly (number | null)[];
  return terms.every(
    (term) =>
      term.kind !== "figure" ||
      !isComputed(term.figure) ||
      isBeyond(values[COMPUTED_FIGURES.indexOf(term.figure)] ?? undefined, term),
  );
}

/** Ignores terms of computed figures, which are not in the summary. */
export function matchesTerm(loadTest: Searched, term: SearchTerm): boolean {
  switch (term.kind) {
    case "text":
      return FIELDS[term.field](loadTest).some((text) => contains(text, term.text));
    case "property": {
      const { key, text } = term;
      const ofKey = Object.entries(loadTest.properties).some(
        ([name, value]) => folded(name) === folded(key) && contains(value, text),
      );
      return ofKey || FIELDS.any(loadTest).some((each) => contains(each, `${key}:${text}`));
    }
    case "flag": {
      const is = term.flag === "pinned" ? loadTest.pinned : loadTest.tags.includes(FAILED_TAG);
      return is === term.is;
    }
    case "figure": {
      const { figure } = term;
      return isComputed(figure) || isBeyond(COUNTED_FIGURES[figure](loadTest), term);
    }
    default:
      throw new Error(`BUG: unknown term ${JSON.stringify(term satisfies never)}`);
  }
}

function contains(text: string, part: string): boolean {
  return folded(text).includes(folded(part));
}

/** Without case. The small letters of these two are ASCII, and databases do not know that. */
export function folded(text: string): string {
  return text.replaceAll(/[\u{212a}\u{130}]/gu, "\u{fffd}").toLowerCase();
}
