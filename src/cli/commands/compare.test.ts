import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";

const HEADER = "timeStamp,elapsed,label,success,bytes\n";

/** Two requests a second for five minutes, 20 to 29 ms each, times `factor`. */
function results(label: string, factor: number): string {
  return Array.from({ length: 600 }, (_, index) => {
    const elapsed = Math.round((20 + ((index * 7) % 10)) * factor);
    return `${1_700_000_000_000 + index * 500},${elapsed},${label},true,10\n`;
  }).join("");
}

async function programWithRuns() {
  const program = createFakeProgram();
  const base = HEADER + results("cart", 1) + results("a|b", 1);
  await program.run(["import", "-", "--id", "base"], base);
  const later = HEADER + results("cart", 2) + results("a|b", 1);
  await program.run(["import", "-", "--id", "later"], later);
  return program;
}

test("compare prints the worst endpoint first, with both values", async () => {
  const program = await programWithRuns();
  const { exitCode, out } = await program.run(["compare", "base", "later", "--skip-start", "10"]);
  expect(exitCode).toBe(0);
  const lines = out.split("\n");
  expect(lines[0]).toMatch(/^VERDICT +REQUESTS +FAILED +SHIFT +AVG +P50 +P95 +P99 +ENDPOINT$/);
  expect(lines[1]).toMatch(/^▲ slower +1160 +0 % .* \(all\)$/);
  expect(lines[2]).toMatch(
    /^▲ slower +580 +0 % +\+100 % \* +24\.5 ms → 49 ms \(\+100 % \*\) .* cart$/,
  );
  expect(lines[3]).toMatch(/^= unchanged +580 +0 % += +24\.5 ms \(=\) .* a\|b$/);
  expect(lines[4]).toBe("2 endpoints · slower 1 · unchanged 1");
});

test("both forms of compare give the same output", async () => {
  const program = await programWithRuns();
  const { out } = await program.run(["compare", "base", "later"]);
  expect(await program.run(["compare", "later", "--against", "base"])).toMatchObject({ out });
});

test.each([
  [["later"], "got one run and no --against"],
  [[], "got no run and no --against"],
  [["base", "later", "--against", "base"], "got --against and two"],
])("compare %j states which load tests it needs", async (words, got) => {
  const { exitCode, error } = await createFakeProgram().run(["compare", ...words]);
  expect(exitCode).toBe(2);
  expect(error).toContain(`${got}, want "compare ID --against BASE" or "compare BASE ID"`);
});

test("compare prints Markdown with escaped labels", async () => {
  const { out } = await (await programWithRuns()).run(["compare", "base", "later", "--markdown"]);
  expect(out).toMatch(/^`later` against `base`: 2 endpoints · slower 1 · unchanged 1\n\n/);
  expect(out).toContain("| VERDICT | REQUESTS |");
  expect(out.split("|\n\n").at(-1)?.split("\n\n")).toEqual([
    '`noise between runs is unknown: there is 1 earlier run named "base", and 4 are needed`',
    "\\* beyond noise\n",
  ]);
  expect(out).toContain(String.raw`| ${"`"}a\|b${"`"} |`);
});

test("a long comparison can be limited to the worst and still counts all", async () => {
  const words = ["compare", "base", "later", "--limit", "1"];
  const lines = (await (await programWithRuns()).run(words)).out.trimEnd().split("\n");
  expect(lines[2]).toMatch(/ cart$/);
  expect(lines.slice(3)).toEqual([
    "2 endpoints · slower 1 · unchanged 1",
    "1 endpoint not shown",
    'noise between runs is unknown: there is 1 earlier run named "base", and 4 are needed',
    "* beyond noise",
  ]);
});

test("compare prints JSON", async () => {
  const program = await programWithRuns();
  const words = ["compare", "base", "later", "--json", "--filter", "cart"];
  const { overall, endpoints } = JSON.parse((await program.run(words)).out);
  expect(overall).toMatchObject({ verdict: "slower", count: { base: 600, value: 600 } });
  expect(endpoints).toMatchObject([{ label: "cart", avgLoadTime: { base: 0.0245, value: 0.049 } }]);
});

test("an unknown load test is an error", async () => {
  const { exitCode, error } = await (await programWithRuns()).run(["compare", "base", "no"]);
  expect(exitCode).toBe(1);
  expect(error).toContain('"no"');
});

test("@baseline is the baseline of the run's name", async () => {
  const program = await programWithRuns();
  for (const id of ["base", "later"]) await program.run(["tests", "rename", id, "shop"]);
  const words = ["compare", "@baseline", "later", "--markdown"];
  const refused = await program.run(words);
  expect(refused).toMatchObject({ exitCode: 1, out: "" });
  expect(refused.error).toContain('no run named "shop"');
  await program.run(["tests", "baseline", "base"]);
  expect((await program.run(words)).out).toMatch(/^`later` against `base`: /);
  const check = ["check", "later", "--against", "@baseline", "--fail-if", "cart: avg grows > 50%"];
  expect((await program.run(check)).exitCode).toBe(4);
  expect((await program.run(["compare", "@baseline", "none"])).error).toContain('"none"');
});

test("Markdown of thousands of endpoints fits into a comment", async () => {
  const program = createFakeProgram();
  const lines = Array.from({ length: 2000 }, (_, index) => {
    return `${1_700_000_000_000 + index * 500},20,endpoint ${index},true,10\n`;
  });
  await program.run(["import", "-", "--id", "a"], HEADER + lines.join(""));
  await program.run(["import", "-", "--id", "b"], HEADER + lines.join(""));
  const { out } = await program.run(["compare", "a", "b", "--markdown"]);
  expect(out.length).toBeLessThan(65_536);
  const shown = out.match(/`endpoint \d+`/g)?.length ?? 0;
  const hidden = new Intl.NumberFormat("en").format(2000 - shown);
  expect(out).toContain(`\n${hidden} rows not shown\n`);
  expect(out.endsWith("\n\\* beyond noise\n")).toBe(true);
});

test.each([
  [["a", "--against", "b", "--against", "c"], "Expected --against once"],
  [["a", "b", "c", "--against", "d"], "got --against, which is for a comparison of two runs"],
  [["a", "b", "--last", "2"], "got --last, which is for --name"],
  [["a", "b", "c", "--per", "version"], "got --per, which is for --name"],
  [["a", "--name", "b"], "got --name and runs"],
  [["a", "b", "--base", "c"], "got --base c, want one of a and b"],
  [["a", "--against", "b", "--base", "a"], "got --base a and --against b, want one of them"],
  [["a", "b", "c", "--base", "@baseline"], "got --base @baseline, want an id"],
])("compare %j is refused instead of guessed", async (words, message) => {
  const { exitCode, error } = await createFakeProgram().run(["compare", ...words]);
  expect(exitCode).toBe(2);
  expect(error).toContain(message);
});

test("--html-file also writes a report of several runs, or of two", async () => {
  const program = await programWithRuns();
  const folder = await mkdtemp(path.join(tmpdir(), "tachograph-compare-"));
  const file = path.join(folder, "compare.html");
  for (const runs of [
    ["base", "later"],
    ["later", "--against", "base"],
  ]) {
    const { error, out } = await program.run(["compare", ...runs, "--html-file", file]);
    expect(error).toMatch(/compare\.html: a report of [\d.]+ kB\n$/);
    expect(out).toMatch(/^VERDICT /);
    expect(await readFile(file, "utf8")).toContain("<title>2 runs compared · Tachograph</title>");
  }
  const refused = await program.run([
    "compare",
    "base",
    "later",
    "--html-file",
    file,
    "--from",
    "5",
  ]);
  await rm(folder, { recursive: true });
  expect(refused).toMatchObject({ exitCode: 2 });
  expect(refused.error).toContain("got --from, which --html-file does not show");
});

test("several runs are columns, each compared with the base", async () => {
  const program = await programWithRuns();
  const third = HEADER + results("cart", 3) + results("a|b", 1);
  await program.run(["import", "-", "--id", "third", "--property", "version=9"], third);
  const several = ["compare", "later", "third", "base", "--base", "base"];
  const lines = (await program.run(several)).out.split("\n");
  expect(lines[0]).toMatch(/^RUN +VERDICT +REQUESTS .* ID$/);
  expect(lines[1]).toMatch(/^1 base +1200 .* base$/);
  expect(lines[2]).toMatch(/^2 +▲ slower +1200 .* later$/);
  // 20 to 29 ms, of which 29 is the 95th percentile, times 2 and 3.
  const rows = lines.filter((line) => / (cart|a\|b)$/.test(line));
  expect(rows[0]).toMatch(/^29 ms +▲ 58 ms \(\+100 % \*\) +▲ 87 ms \(\+200 % \*\) +cart$/);
  expect(rows[1]).toMatch(/^29 ms +29 ms \(=\) +29 ms \(=\) +a\|b$/);
  expect(lines.at(-2)).toContain("in 1 % of comparisons, and in any of these in at most 2 %");
  const json = JSON.parse((await program.run([...several, "--json"])).out);
  expect(json.loadTests.map(({ id }: { readonly id: string }) => id)).toEqual([
    "base",
    "later",
    "third",
  ]);
  const { out } = await program.run([...several, "--markdown", "--statistic", "p50"]);
  expect(out).toContain(String.raw`| 1 | 2 | 3 | P50 OF ENDPOINT |`);
  expect(out).toContain(String.raw`| ${"`"}a\|b${"`"} |`);
  for (const id of ["base", "later", "third"]) await program.run(["tests", "rename", id, "shop"]);
  await program.run(["tests", "set", "base", "--property", "version=8"]);
  const versions = await program.run(["compare", "--name", "shop", "--per", "version", "--json"]);
  expect(JSON.parse(versions.out)).toMatchObject({
    loadTests: [{ value: expect.any(String) }, { value: expect.any(String) }],
    leftOut: { loadTests: 1 },
  });
});
