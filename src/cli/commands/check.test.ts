import { readFile } from "node:fs/promises";
import path from "node:path";
import { SaxesParser } from "saxes";
import { expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { testFolder } from "../../../test/support/test-folder.ts";

const folder = testFolder();

const HEADER = "timeStamp,elapsed,label,success,bytes\n";

/** Two requests a second for five minutes, 20 to 29 ms each (24.5 on average), times `factor`. */
function results(label: string, factor: number): string {
  return Array.from({ length: 600 }, (_, index) => {
    const elapsed = Math.round((20 + ((index * 7) % 10)) * factor);
    const passed = index % 50 !== 0;
    return `${1_700_000_000_000 + index * 500},${elapsed},${label},${passed},10\n`;
  }).join("");
}

async function programWithRuns() {
  const program = createFakeProgram();
  const base = HEADER + results("GET /cart", 1) + results('a<b>&"', 1);
  await program.run(["import", "-", "--id", "base"], base);
  const few = `1700000000000,20,few,true,10\n`;
  const later = HEADER + results("GET /cart", 2) + results('a<b>&"', 1) + few;
  await program.run(["import", "-", "--id", "later"], later);
  return program;
}

/** 6,000 requests over 60 s: 2,400 of 501 ms, others of 500 ms, 61 failed. */
test.each([
  ["avg > 500ms", "FAILED", "500.4 ms"],
  ["avg > 500.4ms", "ok", "500 ms"],
  ["avg > 400ms", "FAILED", "500 ms"],
  ["errors >= 1.02%", "ok", "1.01667 %"],
  ["errors > 1%", "FAILED", "1.02 %"],
  ["throughput < 100.3/s", "FAILED", "100/s"],
  ["throughput > 100/s", "ok", "100/s"],
  ["avg > 500ms over 10s", "FAILED", "500.4 ms, 1,000 requests"],
])("of %s, %s shows %s: enough digits to tell it from the bound", async (limit, result, shown) => {
  const program = createFakeProgram();
  const rows = Array.from({ length: 6000 }, (_, at) => {
    const elapsed = at % 5 < 2 ? 501 : 500;
    return `${1_700_000_000_000 + at * 10},${elapsed},GET /,${at % 100 !== 0 && at !== 1},10\n`;
  });
  await program.run(["import", "-", "--id", "run"], HEADER + rows.join(""));
  const { out } = await program.run(["check", "run", "--fail-if", limit]);
  const [, line = ""] = out.split("\n");
  expect(line.split(/ {2,}/).slice(0, 3)).toEqual([
    result,
    limit,
    expect.stringMatching(new RegExp(`^${shown}(?:$| from)`)),
  ]);
});

/** Of one limit each: exit code, outcome and what was measured. */
test.each([
  ["avg > 1s", 0, "kept", 44.12 / 1201],
  ["max > 57ms", 4, "broken", 0.058],
  ["max >= 58ms", 4, "broken", 0.058],
  ["max > 58ms", 0, "kept", 0.058],
  ["GET /cart: avg > 48 ms", 4, "broken", 0.049],
  // 60 requests each of 40, 42 … 58 ms: by nearest rank, the 450th, the 75th and the 600th.
  ["GET /cart: p75 > 53 ms", 4, "broken", 0.054],
  ["GET /cart: p75 > 54 ms", 0, "kept", 0.054],
  ["GET /cart: p12.5 >= 42 ms", 4, "broken", 0.042],
  ["GET /cart: p99.99 > 57 ms", 4, "broken", 0.058],
  ["errors > 1%", 4, "broken", 24 / 1201],
  ["errors > 24", 0, "kept", 24],
  ["requests < 1202", 4, "broken", 1201],
  ["throughput < 4/s", 0, "kept", 4.003333],
  ["GET /cart: avg grows > 50%", 4, "broken", 1],
  ['a<b>&": p95 grows > 0%', 0, "kept", 0],
  ["few: p95 grows > 0%", 0, "unjudged", undefined],
  ["errors grows > 0%", 0, "kept", 24 / 1201 - 24 / 1200],
  ["no such: p95 > 1s", 4, "unmeasured", undefined],
])("a check fails if %s: exit code %d, %s", async (limit, code, outcome, measured) => {
  const program = await programWithRuns();
  const words = ["check", "later", "--against", "base", "--json", "--fail-if", limit];
  const { exitCode, out, error } = await program.run(words);
  expect({ exitCode, error }).toEqual({ exitCode: code, error: "" });
  const [checked] = JSON.parse(out);
  expect(checked).toMatchObject({ failIf: limit, outcome });
  expect("measured" in checked).toBe(measured !== undefined);
  expect(checked.measured ?? 0).toBeCloseTo(measured ?? 0, 5);
});

/**
 * 10, 20, ... 10,000 ms: p50 is 5 s and p95 9.5 s. Their buckets are 5,000 to 5,004.999 ms and 9,495 to 9,504.999 ms, with several whole
 * milliseconds. That of p50 of `small`, 5 ms, holds no other one.
 */
test.each([
  ["p50 > 5000ms", "kept", true],
  ["p95 > 9500ms", "kept", true],
  ["p95 >= 9500ms", "kept", true],
  ["p95 < 9500ms", "kept", true],
  ["p99 > 9900ms", "kept", true],
  ["p90 > 9000ms", "kept", true],
  ["p50 > 4999.9ms", "broken", false],
  ["p50 > 5005ms", "kept", false],
  ["avg > 5005ms", "kept", false],
  ["avg >= 5005ms", "broken", false],
  ["max > 10000ms", "kept", false],
  ["small: p50 > 5ms", "kept", false],
  ["small: p50 >= 5ms", "broken", false],
  ["same: p99 > 899.9ms", "broken", false],
  // 5.66667 ms, rounded to 5.667.
  ["small: avg > 5.6668ms", "kept", true],
  ["small: avg > 5.6661ms", "broken", false],
  ["same: avg >= 900ms", "broken", false],
  ["same: avg > 899.9999ms", "broken", false],
])("a limit within the precision of a figure is not broken: %s", async (limit, ...expected) => {
  const program = createFakeProgram();
  const edge = Array.from({ length: 1000 }, (_, index) => 10 * (index + 1));
  await program.run(["import", "-", "--id", "edge"], HEADER + rowsOf("u", edge));
  const others = rowsOf("small", [5, 5, 7]) + rowsOf("same", [900, 900, 900]);
  await program.run(["import", "-", "--id", "others"], HEADER + others);
  const id = limit.includes(":") ? "others" : "edge";
  const { exitCode, out } = await program.run(["check", id, "--fail-if", limit]);
  expect([exitCode === 4 ? "broken" : "kept", out.includes("within precision")]).toEqual(expected);
  const json = await program.run(["check", id, "--json", "--fail-if", limit]);
  const [{ outcome, isWithinPrecision = false }] = JSON.parse(json.out);
  expect([outcome, isWithinPrecision]).toEqual(expected);
});

function rowsOf(label: string, times: readonly number[]): string {
  return times
    .map((time, index) => `${1_790_000_000_000 + index * 100},${time},${label},true,1\n`)
    .join("");
}

test("several limits are listed one per line", async () => {
  const { exitCode, out } = await (
    await programWithRuns()
  ).run(["check", "later", "--fail-if", "max > 1s", "--fail-if", "errors > 1%"]);
  expect(exitCode).toBe(4);
  expect(out.split("\n")).toEqual([
    "RESULT  FAIL IF      MEASURED",
    "ok      max > 1s     58 ms",
    "FAILED  errors > 1%  2 %",
    "1 of 2 thresholds failed",
    "",
  ]);
});

test("growth is shown with both values, and Markdown escapes labels", async () => {
  const limit = 'a<b>&": avg grows > 5%';
  const { out } = await (
    await programWithRuns()
  ).run(["check", "later", "--against", "base", "--markdown", "--fail-if", limit]);
  expect(out).toContain(`| ok | \`${limit}\` | 24.5 ms → 24.5 ms (=), no more than noise |`);
});

test("Markdown says what it is about, and goes into a file beside the table for the log", async () => {
  const file = path.join(folder, "check.md");
  const program = await programWithRuns();
  const words = ["check", "later", "--against", "base", "--fail-if", "no such: p95 > 1s"];
  const { out } = await program.run([...words, "--markdown-file", file]);
  expect(out).toContain("no such: p95 > 1s  no endpoint with this label has a request\n");
  const markdown = await readFile(file, "utf8");
  expect(markdown.split("\n").slice(0, 3)).toEqual([
    "`later`: 1 of 1 threshold failed",
    "",
    "| RESULT | FAIL IF | MEASURED |",
  ]);
  expect((await program.run([...words, "--markdown"])).out).toBe(markdown);
  const growth = await program.run([...words, "--markdown", "--fail-if", "avg grows > 500%"]);
  expect(growth.out).toMatch(/^`later` against `base`: 1 of 2 thresholds failed\n/);
});

test("JUnit has a case for each limit, with the failures", async () => {
  const file = path.join(folder, "check.xml");
  const limits = ["GET /cart: avg > 48ms", 'a<b>&": max > 1s', "few: p95 grows > 1%"];
  const flags = limits.flatMap((limit) => ["--fail-if", limit]);
  const words = ["check", "later", "--against", "base", "--junit", file, ...flags];
  expect((await (await programWithRuns()).run(words)).exitCode).toBe(4);
  const elements: unknown[] = [];
  const parser = new SaxesParser();
  parser.on("opentag", ({ name, attributes }) => elements.push([name, { ...attributes }]));
  parser.on("text", (text) => void (text.trim() === "" || elements.push(text)));
  parser.on("error", (error) => elements.push(error.message));
  parser.write(await readFile(file, "utf8")).close();
  expect(elements).toMatchObject([
    ["testsuites", {}],
    [
      "testsuite",
      { name: "tachograph check later", tests: "3", failures: "1", errors: "0", skipped: "1" },
    ],
    ["testcase", { classname: "GET /cart", name: `fail if ${limits[0]}` }],
    ["failure", { message: "49 ms" }],
    `fail if ${limits[0]}: 49 ms`,
    ["testcase", { classname: 'a<b>&"', name: `fail if ${limits[1]}` }],
    ["testcase", { classname: "few", name: `fail if ${limits[2]}` }],
    ["skipped", {}],
    ["system-out", {}],
    'noise between runs is unknown: there is 1 earlier run named "base", and 4 are needed',
  ]);
});

test("every invalid expression is marked, and nothing is checked", async () => {
  const { exitCode, out, error } = await (
    await programWithRuns()
  ).run(["check", "later", "--fail-if", "p95 > 500", "--fail-if", "\u001b: p95 = 1s"]);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(error.split("\n")).toEqual([
    "error: --fail-if: expected us or ms or s after 500",
    "  p95 > 500",
    "           ^",
    "error: --fail-if: expected one of > >= < <= ==",
    String.raw`  \x1b: p95 = 1s`,
    "            ^",
    "",
  ]);
});

test.each([
  ["GET /cart p95 > 1s", "", "or a label and a colon before it"],
  ["GET /商品: p95 > 1", `${" ".repeat(5)}\u3000\u3000${" ".repeat(9)}`, "expected us or ms or s"],
])("a mistake in %s is marked at its position", async (limit, before, message) => {
  const { error } = await (await programWithRuns()).run(["check", "later", "--fail-if", limit]);
  const [first, ...lines] = error.split("\n");
  expect(first).toContain(message);
  expect(lines).toEqual([`  ${limit}`, `  ${before}^`, ""]);
});

test.each([
  [["--fail-if", "p95 grows > 1%"], "needs --against"],
  [["--fail-if", "p95 > 1s", "--junit", "/no/such/folder/x.xml"], "--junit: cannot write"],
  [["--fail-if", "p95 > 1s", "--markdown-file", "/no/x.md"], "--markdown-file: cannot write"],
  [[], "--fail-if"],
])("%j is a usage error", async (words, message) => {
  const { exitCode, error } = await (await programWithRuns()).run(["check", "later", ...words]);
  expect(exitCode).toBe(2);
  expect(error).toContain(message);
});

test("a run is not compared with itself, such as the baseline with @baseline", async () => {
  const program = await programWithRuns();
  await program.run(["tests", "baseline", "later"]);
  const check = ["check", "later", "--json", "--fail-if", "p95 grows > 10%", "--against"];
  for (const against of ["later", "@baseline"]) {
    const { exitCode, out } = await program.run([...check, against]);
    expect({ exitCode, checked: JSON.parse(out) }).toMatchObject({
      exitCode: 0,
      checked: [{ outcome: "unjudged" }],
    });
  }
  // Two parts of one run are another thing.
  const parts = ["--from", "1700000200", "--base-until", "1700000100"];
  const { out } = await program.run([...check, "later", ...parts]);
  expect(JSON.parse(out)).toMatchObject([{ outcome: "kept" }]);
});

test("the start of a run can be skipped", async () => {
  const words = ["check", "later", "--json", "--skip-start", "299", "--fail-if", "requests > 9"];
  const { out } = await (await programWithRuns()).run(words);
  expect(JSON.parse(out)).toMatchObject([{ measured: 4 }]);
});
