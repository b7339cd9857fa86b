/** What outputs may hold, checked without code of the product. */

import { parse } from "csv-parse/sync";
import { SaxesParser } from "saxes";
import { UNSEEN } from "../hostile-labels/texts.ts";

/** Every label ends with one, so that texts of strangers are found in outputs. */
const MARK = /zq\d/;

interface Said {
  readonly out: string;
  readonly error: string;
}

/** Neither moves the cursor nor hides or reverses text, nor speaks to the runner of a CI job. */
export function checkTerminal(words: readonly string[], { out, error }: Said): void {
  for (const text of [out, error]) {
    const unseen = UNSEEN.exec(text);
    if (unseen !== null) fail(words, `it writes ${JSON.stringify(unseen[0])}`, text);
    if (CI_COMMAND.test(text)) fail(words, "it gives a command to CI", text);
    if (/^\s+at .*:\d+:\d+\)?$/m.test(text)) fail(words, "it fails with a stack", text);
  }
}

/** Of GitHub, in front of a line or anywhere; of Azure; of TeamCity. */
const CI_COMMAND = /^\s*::[a-z-]+[ :]|##\[|##vso\[|##teamcity\[/m;

function fail(words: readonly string[], why: string, text: string): never {
  throw new Error(`${words[0]}: ${why}: ${JSON.stringify(text.slice(0, 500))}`);
}

const ELEMENTS = [
  "testsuites",
  "testsuite",
  "testcase",
  "failure",
  "skipped",
  "properties",
  "property",
  "system-out",
];

/** Well-formed XML of known elements. */
export function checkJunit(text: string): void {
  const parser = new SaxesParser();
  parser.on("error", (error) => fail(["check --junit"], error.message, text));
  parser.on("opentag", ({ name }) => {
    if (!ELEMENTS.includes(name)) fail(["check --junit"], `an element ${name}`, text);
  });
  for (const event of ["comment", "cdata", "processinginstruction", "doctype"] as const) {
    parser.on(event, () => fail(["check --junit"], `a ${event}`, text));
  }
  parser.write(text.toWellFormed()).close();
}

/** Rows of one length; and no cell is a formula, whichever separator a spreadsheet takes. */
export function checkCsv(
  text: string,
  columns: number | undefined,
  cells: readonly string[],
): void {
  const rows = parse(text, { relax_column_count: columns === undefined }) as readonly string[][];
  const width = columns ?? rows[0]?.length;
  if (rows.some((row) => row.length !== width)) fail(["CSV"], "a row of another length", text);
  for (const [at, cell] of cells.entries()) {
    const shown = rows[0]?.[at]?.replaceAll(/(^|[\t\r\n;]"*)'/g, "$1");
    const wanted = cell.toWellFormed().replaceAll(/(^|[\t\r\n;]"*)'/g, "$1");
    if (shown !== wanted)
      fail(["CSV"], `the cell ${JSON.stringify(cell)} became ${JSON.stringify(shown)}`, text);
  }
  for (const separator of [",", ";", "\t"]) {
    const formula = spreadsheetCells(text, separator).find((cell) => FORMULA.test(cell));
    if (formula !== undefined)
      fail(["CSV"], `with ${JSON.stringify(separator)} a formula ${JSON.stringify(formula)}`, text);
  }
}

/** Signed numbers are none. */
const FORMULA = /^[=+\-@\uFF1D\uFF0B\uFF0D\uFF20](?!\d*\.?\d+(?:e[+-]?\d+)?$)/u;

/** As Excel and LibreOffice divide: quotes count only where a cell begins with one; what is behind the last is of the cell. */
function spreadsheetCells(text: string, separator: string): readonly string[] {
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)")?([^${separator}\\r\\n]*)(?:${separator}|\\r\\n?|\\n|$)`,
    "gu",
  );
  return Array.from(text.matchAll(cell), ([, within = "", behind = ""]) => {
    return within.replaceAll('""', '"') + behind;
  });
}

/** Texts of strangers are code; tables keep their columns. */
export function checkMarkdown(text: string): void {
  let columns = 0;
  for (const line of text.split("\n")) {
    const cells = line.split(/(?<!\\)\|/).length;
    if (!line.startsWith("|")) columns = 0;
    else if (columns === 0) columns = cells;
    else if (cells !== columns) fail(["markdown"], "a row of another length", line);
    const plain = withoutCode(line.replaceAll("\\|", "/"));
    if (MARK.test(plain)) fail(["markdown"], "a label is not code", line);
  }
  if (UNSEEN.test(text)) fail(["markdown"], "a control", text);
}

/** CommonMark 0.31, 6.1: a run of backticks to the next one of its length. */
function withoutCode(line: string): string {
  let plain = "";
  for (let at = 0; at < line.length;) {
    const run = /^`+/.exec(line.slice(at))?.[0] ?? "";
    if (run === "") plain += line[at++];
    else {
      const rest = line.slice(at + run.length);
      const end = [...rest.matchAll(/`+/g)].find(([each]) => each === run)?.index;
      plain += end === undefined ? run : "";
      at += run.length + (end === undefined ? 0 : end + run.length);
    }
  }
  return plain;
}

/** A title of text, and base64. */
export function checkReport(html: string): void {
  if (/^<title>(?:[^<>"&]|&(?:amp|lt|gt|quot);)*<\/title>[\w+/=]*$/.test(html)) return;
  fail(["report"], "markup within a text", html);
}

/** Slack and Teams show only our own link. */
export function checkNotice(
  form: "slack" | "teams" | "json",
  body: string,
  { address, lines }: { readonly address: string; readonly lines: number },
): void {
  const notice = JSON.parse(body) as Readonly<Record<string, unknown>>;
  if (form === "slack") {
    const text = String(notice["text"]).replace(`<${address}>`, "");
    if (/[<>]|&(?!amp;|lt;|gt;)/.test(text)) fail(["slack"], "markup within a text", body);
    if (text.split("\n").length > lines) fail(["slack"], "more lines", body);
    if (UNSEEN.test(text)) fail(["slack"], "a control", body);
  }
  if (form !== "teams") return;
  const [attachment] = notice["attachments"] as { content: { body: { text: string }[] } }[];
  for (const { text } of attachment?.content.body ?? []) {
    const plain = text.replaceAll(/\\[!-/:-@[-`{-~]/g, "");
    if (/[*_[\]()#~>`|<]/.test(plain) || UNSEEN.test(text))
      fail(["teams"], "markup within a text", text);
  }
}
