import { readFile } from "node:fs/promises";
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
} from "yaml";
import type { Limit } from "../../analysis/check/limit.ts";
import {
  readThresholds,
  type ThresholdMistake,
} from "../../analysis/thresholds/read-thresholds.ts";
import type { Operations } from "../../client/generated/operations.ts";
import { unreadableFile } from "../../model/errors.ts";
import type { CommandContext } from "../command-context.ts";
import { printable } from "../output/table.ts";
import { isMistake, parseLimit } from "../../analysis/check/parse-limit.ts";

type Thresholds = Operations["putThresholds"]["body"];

interface ReadFile {
  readonly thresholds: Thresholds;
  readonly limits: readonly Limit[];
}

/** Reads thresholds in YAML or JSON. Prints mistakes by line, then returns `undefined`. Throws `unreadable-source`. */
export async function readThresholdsFile(
  file: string,
  context: CommandContext,
): Promise<ReadFile | undefined> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw unreadableFile(file, error);
  });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const complain = (offset: number, message: string): void => {
    const { line } = lines.linePos(offset);
    context.writeError(`error: ${printable(file)}:${line}: ${message}`);
  };
  for (const { pos, message } of document.errors) complain(pos[0], `${printable(message)}\n`);
  if (document.errors.length > 0) return undefined;
  const thresholds = document.toJS() as Thresholds;
  const read = readThresholds(thresholds, context.now());
  if ("limits" in read) return { thresholds, limits: read.limits };
  for (const mistake of read.mistakes) {
    const expression = mistake.at === undefined ? undefined : document.getIn(mistake.path);
    const words =
      typeof expression === "string"
        ? pointedOut(expression, { ...mistake, at: mistake.at ?? 0 })
        : `${printable(mistake.message)}\n`;
    complain(offsetOf(document, mistake), words);
  }
  return undefined;
}

/** Where the value of a mistake begins; for one that is absent, what it should be in. */
function offsetOf(document: Document, { path }: ThresholdMistake): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = document.getIn(path.slice(0, length - 1), true);
    const name = path[length - 1];
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && key.value === name)
      : undefined;
    const node = pair?.key ?? (isCollection(parent) ? parent.get(name, true) : undefined);
    if (isNode(node)) return node.range?.[0] ?? 0;
  }
  return 0;
}

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
function pointedOut(
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
