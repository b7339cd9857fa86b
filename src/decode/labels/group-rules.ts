import { BLANK, HASH, QUESTION, SLASH, STAR } from "../bytes/ascii.ts";
import { UserError } from "../../model/errors.ts";
import { quoted } from "../quoted.ts";

const RULES_MAX = 1000;

const REST = "**";
/** Not part of a path in a label; commas separate rules. */
const FORBIDDEN = /[\s?#,]/;

const encoder = new TextEncoder();

interface Rule {
  readonly text: Uint8Array;
  readonly segments: readonly Uint8Array[];
  /** Whether one or more segments may follow. */
  readonly hasRest: boolean;
}

/** Rules of `--group`: paths with `*`, such as `/products/*`. The first match replaces path, query and fragment. */
export class GroupRules {
  readonly #rules: readonly Rule[];
  /** Starts of the path's segments, and of the one after the last. */
  readonly #starts: number[] = [];

  /** Throws `bad-parameter`. */
  constructor(texts: readonly string[]) {
    if (texts.length > RULES_MAX) {
      throw new UserError(
        "bad-parameter",
        `cannot use ${texts.length} rules for groups: want at most ${RULES_MAX}`,
      );
    }
    this.#rules = texts.map(ruleOf);
  }

  /** Text of the first rule matching the path at `from`, up to a blank or `to`. */
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

/** A star stands for one character or more. */
function matchesSegment(rule: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  let at = from;
  let ruleAt = 0;
  let star = -1;
  // End of the last star's match so far.
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
