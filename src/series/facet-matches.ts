/** Conditions on facets as one text, as parameters and flags have them: `scenario:browse,region!:eu`. */

import type { TagMatch } from "../model/measures/measure-selector.ts";

/** A backslash before a comma or a backslash takes it as it is; before anything else it stands for itself. */
const CONDITION = String.raw`[^:,!]+!?:(?:\\.|[^,\\])*`;

/** What the text of conditions matches; a comma separates two. */
export const CONDITIONS = `^${CONDITION}(?:,${CONDITION})*$`;

const EACH = /([^:,!]+)(!?):((?:\\.|[^,\\])*)(?:,|$)/gsu;

/** Parses a text that `CONDITIONS` matches. */
export function parseConditions(text: string): readonly TagMatch[] {
  return Array.from(text.matchAll(EACH), ([, tag = "", not, value = ""]) => {
    return { tag, value: value.replaceAll(/\\([,\\])/g, "$1"), isNot: not === "!" };
  });
}

/** The text of one condition whose value is written as it is; `undefined` if it is none. */
export function conditionOf(text: string): TagMatch | undefined {
  const [, tag, not, value = ""] = /^([^:,!]+)(!?):(.*)$/s.exec(text) ?? [];
  return tag === undefined ? undefined : { tag, value, isNot: not === "!" };
}

/** The text that parses to these; `undefined` for none. */
export function conditionsText(matches: readonly TagMatch[]): string | undefined {
  if (matches.length === 0) return undefined;
  return matches
    .map(({ tag, value, isNot }) => {
      return `${tag}${isNot ? "!" : ""}:${value.replaceAll(/[,\\]/g, String.raw`\$&`)}`;
    })
    .join(",");
}
