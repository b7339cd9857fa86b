import { UserError } from "../../model/errors.ts";
import { quoted } from "../quoted.ts";

/** Rules of one import. */
const RULES_MAX = 1000;

const SLASH = 0x2f;
const QUESTION = 0x3f;
const HASH = 0x23;
const BLANK = 0x20;
const STAR = 0x2a;
const REST = "**";
/** What is no path, and would not be one if it were part of a label; a comma stands between rules. */
const FORBIDDEN = /[\s?#,]/;

const encoder = new TextEncoder();

interface Rule {
  readonly text: Uint8Array;
  /** The rule's segments; each matches one of a path. */
  readonly segments: readonly Uint8Array[];
  /** Whether any number of further segments may follow, one at least. */
  readonly hasRest: boolean;
}

/**
 * What `--group` gives: paths with `*` for what differs, such as `/products/*`. The first one that a
 * path matches takes its place, and that of query and fragment behind it.
 */
export class GroupRules {
  readonly #rules: readonly Rule[];
  /** Where the segments of the present path begin; behind the last one, where the next would. */
  readonly #starts: number[] = [];

  /** Throws `bad-parameter` where one of them is none. */
  constructor(texts: readonly string[]) {
    if (texts.length > RULES_MAX) {
      throw new UserError(
        "bad-parameter",
        `cannot use ${texts.length} rules for groups: want at most ${RULES_MAX}`,
      );
    }
    this.#rules = texts.map(ruleOf);
  }

  /**
   * The text of the first rule that the path at `from` matches, which ends at a blank or at `to`,
   * whatever query and fragment follow it.
   */
  match(bytes: Uint8Array, from: number, to: number): Uint8Array | undefined {
    if (this.#rules.length === 0 || bytes[from] !== SLASH || from === to) return undefined;
    this.#split(bytes, from, to);
    return this.#rules.find((rule) => this.#matches(rule, bytes))?.text;
  }

  #split(bytes: Uint8Array, from: number, to: number): void {
    const starts = this.#starts;
    starts.length = 0;
    let at = from;
    for (; at < to; at++) {
      const byte = bytes[at];
      if (byte === QUESTION || byte === HASH || byte === BLANK) break;
      if (byte === SLASH) starts.push(at + 1);
    }
    starts.push(at + 1);
  }

  #matches({ segments, hasRest }: Rule, bytes: Uint8Array): boolean {
    const starts = this.#starts;
    const count = starts.length - 1;
    if (hasRest ? count <= segments.length : count !== segments.length) return false;
    return segments.every((segment, index) =>
      matchesSegment(segment, bytes, starts[index] as number, (starts[index + 1] as number) - 1),
    );
  }
}

function ruleOf(text: string): Rule {
  const problem = problemOf(text);
  if (problem !== undefined) {
    throw new UserError("bad-parameter", `cannot use the rule ${quoted(text)}: ${problem}`);
  }
  const names = text.slice(1).split("/");
  const hasRest = names.at(-1) === REST;
  const segments = (hasRest ? names.slice(0, -1) : names).map((name) => encoder.encode(name));
  return { text: encoder.encode(text), segments, hasRest };
}

function problemOf(text: string): string | undefined {
  if (!text.startsWith("/")) return "want a path that begins with /, such as /products/*";
  if (FORBIDDEN.test(text)) return "want a path alone, without blanks, commas, query and fragment";
  const names = text.slice(1).split("/");
  const misplaced = names.findIndex((name, index) => isMisplaced(name, index === names.length - 1));
  return misplaced < 0 ? undefined : `want ** as the last segment only, got ${names[misplaced]}`;
}

function isMisplaced(name: string, isLast: boolean): boolean {
  return name.includes(REST) && !(isLast && name === REST);
}

/** Whether a segment is like the rule's, in which a star stands for one character or more. */
function matchesSegment(rule: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  let at = from;
  let ruleAt = 0;
  let star = -1;
  // Where what the last star stands for ends, as far as is known.
  let starTo = from;
  while (at < to) {
    const wanted = rule[ruleAt];
    if (wanted === STAR) {
      star = ruleAt++;
      starTo = ++at;
    } else if (wanted !== undefined && wanted === bytes[at]) {
      ruleAt += 1;
      at += 1;
    } else if (star >= 0) {
      ruleAt = star + 1;
      at = ++starTo;
    } else return false;
  }
  return ruleAt === rule.length;
}
