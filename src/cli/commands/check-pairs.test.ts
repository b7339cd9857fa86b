import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { testFolder } from "../../../test/support/test-folder.ts";

const HEADER = "timeStamp,elapsed,label,success,bytes\n";

/** Requests of `cart` and `pay`: 1,000 ms times `factor`, and of `pay` 1,000 ms; a failure in every `failing` ones. */
function results(minute: number, factor: number, failing = Infinity): string {
  const lines = Array.from({ length: 200 }, (_, index) => {
    const [label, elapsed] = index % 2 === 0 ? ["cart", Math.round(1000 * factor)] : ["pay", 1000];
    const passed = (index + 1) % failing !== 0;
    return `${1_700_000_000_000 + minute * 60_000 + index * 100},${elapsed},${label},${passed},10\n`;
  });
  return HEADER + lines.join("");
}

/** Eight pairs of a machine that gets slower: each head is 10 % slower than its base, but for the last one. */
const program = createFakeProgram();
const folder = testFolder();
beforeAll(async () => {
  for (const at of Array.from({ length: 9 }).keys()) {
    const drift = 1 + at / 10;
    const head = drift * (at === 8 ? 0.99 : 1.1);
    await program.run(["import", "-", "--id", `base-${at}`], results(2 * at, drift));
    await program.run(["import", "-", "--id", `head-${at}`], results(2 * at + 1, head, 4));
    for (const side of ["base", "head"]) await program.run(["tests", "tag", `${side}-${at}`, side]);
  }
});
function pairsTo(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `base-${at}:head-${at}`);
}

function check(pairs: readonly string[], limit: string, ...more: readonly string[]) {
  return program.run(["check", "--pairs", ...pairs, "--fail-if", limit, ...more]);
}

test.each([
  // All of 256 choices of signs but one have a smaller sum.
  [8, "cart: p95 grows > 5%", 4, "broken", { count: 8, grown: 8, chance: 1 / 256, fewest: 7 }],
  [8, "cart: p95 grows > 15%", 0, "kept", { count: 8, grown: 8 }],
  [6, "cart: p95 grows > 5%", 0, "inconclusive", { count: 6, chance: 1 / 64, fewest: 7 }],
  // The smallest difference is the negative one: two sums are as large.
  [9, "cart: p95 grows > 5%", 4, "broken", { count: 9, grown: 8, chance: 2 / 512 }],
  [8, "pay: p95 grows > 0%", 0, "kept", { grown: 0 }],
  [8, "cart: errors grows > 1%", 0, "kept", { grown: 0 }],
  [8, "pay: errors grows > 1%", 4, "broken", { grown: 8, chance: 1 / 256 }],
])("of %d pairs, %s: exit code %d, %s", async (...[count, limit, code, outcome, pairs]) => {
  const { exitCode, out } = await check(pairsTo(count), limit, "--json");
  expect({ exitCode, checked: JSON.parse(out) }).toMatchObject({
    exitCode: code,
    checked: [{ outcome, pairs }],
  });
});

test("growth is the geometric mean of the pairs, and of errors the mean difference", async () => {
  const [growth] = JSON.parse((await check(pairsTo(8), "cart: avg grows > 5%", "--json")).out);
  expect(growth.measured).toBeCloseTo(0.1, 3);
  const [errors] = JSON.parse((await check(pairsTo(8), "pay: errors grows > 5%", "--json")).out);
  expect(errors.measured).toBeCloseTo(0.5, 9);
});

test("limits share the chance of an error: two of them take eight pairs", async () => {
  const limits = ["--fail-if", "cart: p50 grows > 5%"];
  const { out } = await check(pairsTo(7), "cart: p95 grows > 5%", ...limits);
  expect(out).toMatch(
    /^inconclusive +cart: p95 grows > 5% +\+10 % over 7 pairs, up in 7; 8 pairs needed$/m,
  );
  expect((await check(pairsTo(8), "cart: p95 grows > 5%", ...limits)).exitCode).toBe(4);
});

test("table, Markdown and JUnit describe pairs", async () => {
  const file = path.join(folder, "check.xml");
  const { out } = await check(pairsTo(8), "cart: p95 grows > 5%", "--junit", file);
  expect(out).toMatch(
    /^FAILED +cart: p95 grows > 5% +\+10 % over 8 pairs, up in 8, by noise in 0.0039$/m,
  );
  expect(await readFile(file, "utf8")).toContain('<testsuite name="tachograph check 8 pairs"');
  const markdown = (await check(pairsTo(8), "cart: p95 grows > 5%", "--markdown")).out;
  expect(markdown).toMatch(/^8 pairs: 1 of 1 threshold failed\n/);
});

test("pairs are found by two tags, in order of start", async () => {
  const words = [
    "check",
    "--pair-tags",
    "base:head",
    "--fail-if",
    "cart: p95 grows > 5%",
    "--json",
  ];
  const byIds = await check(pairsTo(9), "cart: p95 grows > 5%", "--json");
  expect(await program.run(words)).toEqual(byIds);
  const uneven = await program.run(["check", "--pair-tags", "base:none", ...words.slice(3)]);
  expect(uneven).toMatchObject({ exitCode: 2, error: expect.stringContaining("got 9 and 0") });
});

test("filters of a file of thresholds match endpoints of the last pair", async () => {
  const file = path.join(folder, "thresholds.json");
  const thresholds = [{ failIf: ["each *a*: p95 grows > 5%"] }];
  await writeFile(file, JSON.stringify({ thresholds }));
  const words = ["check", "--pairs", ...pairsTo(8), "--thresholds", file, "--json"];
  const { exitCode, out } = await program.run(words);
  expect(exitCode).toBe(4);
  expect(JSON.parse(out)).toMatchObject([
    { label: "cart", outcome: "broken" },
    { label: "pay", outcome: "kept" },
  ]);
});

test.each([
  [["base-0"], ["--fail-if", "p95 grows > 5%"], '--pairs: expected BASE:HEAD, got "base-0"'],
  [["base-0:head-0"], ["--fail-if", "p95 > 5s"], "is not about growth"],
  [
    ["base-0:head-0"],
    ["--fail-if", "p95 grows > 5%", "--against", "base-0"],
    "expected pairs alone",
  ],
  [["a:b"], ["--fail-if", "p95 grows > 5%", "--pair-tags", "a:b"], "got both"],
])("pairs %j with %j are a usage error", async (pairs, more, message) => {
  const { exitCode, error } = await program.run(["check", "--pairs", ...pairs, ...more]);
  expect(exitCode).toBe(2);
  expect(error).toContain(message);
});

test("a renamed endpoint fails, one without a base is not evaluated", async () => {
  const none = await check(pairsTo(8), "no such: p95 grows > 5%", "--json");
  expect([none.exitCode, JSON.parse(none.out)[0].outcome]).toEqual([4, "unmeasured"]);
  expect((await program.run(["check", "--fail-if", "p95 > 1s"])).exitCode).toBe(2);
});

test.each([
  [["--pairs", "base-0:head-0", "base-1:head-0"], 'each run in one pair, got "head-0" again'],
])("%j is a usage error", async (words, message) => {
  const given = ["check", "--fail-if", "p95 grows > 5%", ...words];
  expect(await program.run(given)).toMatchObject({
    exitCode: 2,
    error: expect.stringContaining(message),
  });
});

test("what the figures of several pairs do not record is stated once", async () => {
  const own = createFakeProgram();
  for (const id of ["b1", "h1", "b2", "h2"]) {
    await own.run(
      ["import", "-", "--id", id],
      `${HEADER}1700000000000,20,a,true,10\n1700000001000`,
    );
  }
  const words = ["check", "--pairs", "b1:h1", "b2:h2", "--fail-if", "p95 grows > 5%", "--json"];
  const [{ quality }] = JSON.parse((await own.run(words)).out);
  expect(quality).toMatchObject([{ code: "truncated" }]);
});
