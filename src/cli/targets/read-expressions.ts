import type { Limit } from "../../analysis/check/limit.ts";
import { isMistake, parseLimit } from "../../analysis/check/parse-limit.ts";
import type { CommandContext } from "../command-context.ts";
import { printable } from "../output/table.ts";

/** Parses the expressions of `--fail-if`. Prints each syntax error; `undefined` if there is one. */
export function readExpressions(
  texts: readonly string[],
  context: CommandContext,
): readonly Limit[] | undefined {
  const limits: Limit[] = [];
  for (const text of texts) {
    const parsed = parseLimit(text);
    if (isMistake(parsed)) context.writeError(`error: --fail-if: ${pointedOut(text, parsed)}`);
    else limits.push(parsed);
  }
  return limits.length === texts.length ? limits : undefined;
}

/** An expression with a caret below the mistake. */
export function pointedOut(
  text: string,
  { at, message }: { readonly at: number; readonly message: string },
): string {
  const before = blanksFor(printable(text.slice(0, at)));
  return `${message}\n  ${printable(text)}\n  ${before}^\n`;
}

/** Blanks of the width of a text on a terminal: some characters take two columns. */
function blanksFor(text: string): string {
  return text.replaceAll(WIDE, "\u3000").replaceAll(/[^\u3000]/gu, " ");
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/gu;
