/** Selectors of measures: `NAME{tag=value, tag!=value} by TAG, TAG`. */

import { badParameter } from "../errors.ts";
import type { MeasureSeries } from "./measure-table.ts";

/** The tag of the label of an endpoint. */
export const ENDPOINT_TAG = "endpoint";

export interface MeasureSelector {
  /** `undefined`: any. */
  readonly name: string | undefined;
  /** All of them must hold; an empty value stands for a series without the tag. */
  readonly matches: readonly TagMatch[];
  /** The tags whose values keep series apart; all others are merged. */
  readonly by: readonly string[];
}

/** Whether it is about endpoints, rather than the run as a whole. */
export function isOfEndpoints({ matches, by }: MeasureSelector): boolean {
  return (
    by.includes(ENDPOINT_TAG) ||
    matches.some(({ tag, value, isNot }) => tag === ENDPOINT_TAG && (value !== "" || isNot))
  );
}

export interface TagMatch {
  readonly tag: string;
  readonly value: string;
  readonly isNot: boolean;
}

export interface SelectorMistake {
  readonly at: number;
  readonly message: string;
}

const QUOTED = /^"(?:[^"\\]|\\.)*"/s;
const NAME = /^[^{"](?:[^{]*?[^{\s])?(?=\s*(?:\{|\sby\s|$))/s;
/** To the last character that is no blank: behind each blank, the others would be read again. */
const TAG = /^[^\s{}"=!,](?:[^{}"=!,]*[^\s{}"=!,])?(?=\s*(?:[!=,}]|$))/s;
const VALUE = /^[^\s,}"](?:[^,}]*[^\s,}])?(?=\s*[,}])/s;

/** Parses a selector; names, tags and values with `{ } , = ! "` or ` by ` in them are written in quotes, with \\ before quotes and backslashes. */
export function parseMeasureSelector(text: string): MeasureSelector | SelectorMistake {
  let at = 0;
  const skip = (): void => {
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
  };
  const take = (pattern: RegExp): string | undefined => {
    skip();
    const found = pattern.exec(text.slice(at))?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const wordIn = (pattern: RegExp): string | undefined => {
    const quoted = take(QUOTED);
    return quoted === undefined ? take(pattern) : unquoted(quoted);
  };
  const expected = (what: string): SelectorMistake => {
    skip();
    return { at, message: `expected ${what}` };
  };
  const isBy = /^\s*by\s/.test(text);
  const name = isBy ? undefined : wordIn(NAME);
  const matches: TagMatch[] = [];
  if (take(/^\{/) !== undefined) {
    let isOpen = take(/^\}/) === undefined;
    while (isOpen) {
      const tag = wordIn(TAG);
      if (tag === undefined) return expected("a tag");
      const sign = take(/^!?=/);
      if (sign === undefined) return expected("= or !=");
      matches.push({ tag, value: wordIn(VALUE) ?? "", isNot: sign === "!=" });
      const end = take(/^[,}]/);
      if (end === undefined) return expected(", or }");
      isOpen = end === ",";
    }
  }
  const by: string[] = [];
  if (take(/^by(?=\s)/) !== undefined) {
    do {
      const tag = wordIn(TAG);
      if (tag === undefined) return expected("a tag");
      by.push(tag);
    } while (take(/^,/) !== undefined);
  }
  skip();
  return at === text.length ? { name, matches, by } : expected("{, by or nothing more");
}

export function isSelectorMistake(
  parsed: MeasureSelector | SelectorMistake,
): parsed is SelectorMistake {
  return "at" in parsed;
}

/** Parses the selector of a parameter. Throws `bad-parameter`. */
export function requireMeasureSelector(text: string, parameter: string): MeasureSelector {
  const parsed = parseMeasureSelector(text);
  if (!isSelectorMistake(parsed)) return parsed;
  throw badParameter(`${parameter}: ${parsed.message} at character ${parsed.at + 1} of ${text}`);
}

export function selectorText({ name, matches, by }: MeasureSelector): string {
  const conditions = matches.map(
    ({ tag, value, isNot }) => `${written(tag)}${isNot ? "!=" : "="}${value && written(value)}`,
  );
  const tags = conditions.length > 0 || name === undefined ? `{${conditions.join(", ")}}` : "";
  const apart = by.length === 0 ? "" : ` by ${by.map(written).join(", ")}`;
  return `${name === undefined ? "" : written(name)}${tags}${apart}`;
}

function written(word: string): string {
  const isPlain = !/[{}"=!,\\]|(?:^|\s)by(?:\s|$)|^\s|\s$|^$/.test(word);
  return isPlain ? word : inQuotes(word);
}

/** With \\ before quotes and backslashes. */
export function inQuotes(word: string): string {
  return `"${word.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** The word that a text has in quotes; `undefined` if it is another text. */
export function quotedIn(text: string): string | undefined {
  return QUOTED.exec(text)?.[0] === text ? unquoted(text) : undefined;
}

function unquoted(text: string): string {
  return text.slice(1, -1).replaceAll(/\\(.)/gs, "$1");
}

/** Returns the value of a tag; empty without it. `label`: of its endpoint, unless a tag of its own has this name. */
export function tagValue({ tags }: MeasureSeries, tag: string, label: string | undefined): string {
  const own = tags.find(([name]) => name === tag)?.[1];
  return own ?? (tag === ENDPOINT_TAG ? (label ?? "") : "");
}
