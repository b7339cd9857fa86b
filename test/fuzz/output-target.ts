import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { noticeBody } from "../../src/analysis/thresholds/notice.ts";
import { csvCell } from "../../src/render/table-cell.ts";
import { createFakeProgram, type FakeProgram } from "../support/fake-program.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import { openTestServer } from "../support/test-server.ts";
import {
  checkCsv,
  checkJunit,
  checkMarkdown,
  checkNotice,
  checkReport,
  checkTerminal,
} from "./output-rules.ts";
import { json } from "./structures/json.ts";
import type { FuzzTarget } from "./target.ts";

/** Of texts, in characters; labels are cut at 1,024 bytes. */
const TEXT_MAX = 200;
const START = 1_700_000_000;
const REQUESTS = 40;

/** What readers of the outputs take for more than text. */
const WORDS = [
  ..."\u001b[2J \u001b]8;;https://evil.invalid\u001b\\ \u009b31m \u202e \u2066 \u2028 \u0007 \0 \ufffe \ud800 \udc00".split(
    " ",
  ),
  "\r\n::set-output name=a::b",
  "::error::",
  "##[set-output name=a]b",
  "##vso[task.setvariable variable=a]b",
  ...'=1+1 +1 -1 @SUM(1) ;=1+1 ;"=1+1 ,"=1 \uff1d1+1 \uff20a'.split(" "),
  "\t=1",
  "\n=1",
  ..."</script><script> ]]> <!-- &#0; &lt; \" ' ` `` | \\| \\ [a](javascript:b)".split(" "),
  ..."@everyone <!channel> <https://evil.invalid|a> {{DATE(1)}} __proto__".split(" "),
  "# ",
  "\n\n",
];

/**
 * Texts of a load test in what others read: a list of label, label, code, message, name, tag and property. Each command writes
 * them for a terminal; and Markdown, JUnit, CSV, HTML and notices are read back by a parser of their own.
 */
export function createOutputTarget(): FuzzTarget {
  let folder: string | undefined;
  return {
    name: "output",
    structure: json,
    words: WORDS,
    cost: 20,
    rssMiBMax: 500,
    async run(input) {
      folder ??= mkdtempSync(path.join(tmpdir(), "tachograph-fuzz-"));
      await checkOutputs(textsIn(input), folder);
    },
    async close() {
      if (folder !== undefined) rmSync(folder, { recursive: true });
    },
  };
}

function textsIn(input: Uint8Array): readonly string[] {
  const [value] = (json.decode(input) ?? []) as readonly unknown[];
  const texts = (Array.isArray(value) ? value : [Buffer.from(input).toString()]) as unknown[];
  return Array.from({ length: 7 }, (_, at) => {
    const text = texts[at] ?? texts[0] ?? "";
    return (typeof text === "string" ? text : JSON.stringify(text)).slice(0, TEXT_MAX);
  });
}

async function checkOutputs(texts: readonly string[], folder: string): Promise<void> {
  const [first = "", second = "", code = "", message = "", name = "", tag = "", property = ""] =
    texts;
  const labels = [`${first} zq1`, `${second} zq2`];
  const store = { ...openMemoryStore(), close: async () => {} };
  const program = createFakeProgram(store);
  for (const [id, factor] of [
    ["base", 1],
    ["later", 9],
  ] as const) {
    const rows = rowsOf(labels, { code, message }, factor);
    const flags = ["--name", name, "--tag", tag, "--property", `key=${property}`];
    const outcome = await program.run(["import", "-", "--id", id, ...flags], rows);
    checkTerminal(["import"], outcome);
    // Without what cannot be stored.
    if (outcome.exitCode !== 0) await program.run(["import", "-", "--id", id], rows);
  }
  await checkCommands(program, { labels, folder });
  checkCsv([labels.map(csvCell).join(",")].join(""), labels.length, labels);
  checkNotices([...labels, name, message]);
  const { server, makeKey } = openTestServer(store);
  const headers = { "x-service-auth": await makeKey("read"), accept: "text/csv" };
  for (const operation of ["Summary", "Failures"]) {
    const answer = await server.inject({ url: `/Api/LoadTests/later/${operation}`, headers });
    if (answer.statusCode !== 200)
      throw new Error(`${operation}: ${answer.statusCode} ${answer.body}`);
    checkCsv(answer.body, undefined, []);
  }
  await server.close();
}

/** Requests of the own format, of which every fourth fails. */
function rowsOf(
  labels: readonly string[],
  failure: { readonly code: string; readonly message: string },
  factor: number,
): string {
  return Array.from({ length: REQUESTS }, (_, at) => {
    const row = { timestamp: START + at, label: labels[at % 2], elapsedMs: (10 + at) * factor };
    const outcome = at % 4 === 0 ? { success: false, ...failure } : { success: true };
    return `${JSON.stringify({ ...row, ...outcome })}\n`;
  }).join("");
}

async function checkCommands(
  program: FakeProgram,
  { labels: [label = ""], folder }: { readonly labels: readonly string[]; readonly folder: string },
): Promise<void> {
  const [junit, html] = [path.join(folder, "junit.xml"), path.join(folder, "report.html")];
  const limits = ["--fail-if", "each: p95 > 1ms", "--fail-if", `${label}: avg grows > 5%`];
  const compare = ["compare", "later", "--against", "base"];
  const check = ["check", "later", "--against", "base", ...limits];
  const commands = [
    ["tests", "list"],
    ["tests", "show", "later"],
    ["tests", "labels", "later"],
    ["summary", "later"],
    ["summary", "later", "--filter", label],
    ["failures", "later"],
    [...compare, "--html-file", html],
    ["capacity", "later"],
    ["trend", "later"],
    [...check, "--junit", junit],
    ["report", "later", "-o", html],
    ["check", "later", "--fail-if", label],
    ["summary", label],
  ];
  for (const words of commands) checkTerminal(words, await program.run(words));
  checkJunit(readFileSync(junit, "utf8"));
  checkReport(readFileSync(html, "utf8"));
  for (const words of [["summary", "later"], ["trend", "later"], compare, check]) {
    checkMarkdown((await program.run([...words, "--markdown"])).out);
  }
}

function checkNotices(texts: readonly string[]): void {
  const [label = "", second = "", name = ""] = texts;
  const failed = {
    text: "",
    failIf: `${label}: p95 > 1ms`,
    fails: true,
    kind: "value",
    unit: "seconds",
    measured: 1,
  };
  const verdict = { thresholds: [failed, { ...failed, failIf: second }], failed: 2, checked: 2 };
  const loadTest = { id: "later", name };
  const address = "https://results.example.org/later";
  const notice = {
    event: "thresholds-failed",
    loadTest,
    address,
    verdict,
  } as unknown as Parameters<typeof noticeBody>[1];
  for (const form of ["slack", "teams", "json"] as const) {
    checkNotice(form, noticeBody(form, notice), { address, lines: 4 });
  }
}
