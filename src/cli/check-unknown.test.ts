import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createFakeProgram } from "../../test/support/fake-program.ts";
import { testFolder } from "../../test/support/test-folder.ts";

const folder = testFolder();

/** An Artillery report in which every request timed out, so there are no response times. */
const TIMEOUTS = JSON.stringify({
  aggregate: { counters: { "http.requests": 30, "errors.ETIMEDOUT": 30 } },
  intermediate: [
    {
      period: "1790000000000",
      counters: {
        "http.requests": 30,
        "vusers.created": 30,
        "vusers.failed": 30,
        "errors.ETIMEDOUT": 30,
      },
      summaries: {},
      rates: {},
    },
  ],
});

const HEADER = "timeStamp,elapsed,label,success,bytes\n";

const ROWS = Array.from(
  { length: 600 },
  (_, index) => `${1_790_000_000_000 + index * 500},${20 + (index % 10)},GET /,true,10\n`,
).join("");

async function programWithTimeouts() {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "dead"], TIMEOUTS);
  await program.run(["import", "-", "--id", "alive"], HEADER + ROWS);
  return program;
}

test.each([
  ["p95 > 1ms", 4, "notEvaluated", 0],
  ["p95 < 1ms", 4, "notEvaluated", 0],
  ["avg > 1ms", 4, "notEvaluated", 0],
  ["max > 1ms", 4, "notEvaluated", 0],
  ["p95 grows > 10%", 4, "notEvaluated", 0],
  ["errors > 99%", 4, "broken", 4],
  ["requests > 30", 0, "kept", 0],
  ["no such: p95 > 1ms", 4, "unmeasured", 4],
  ["no such: p95 grows > 1%", 4, "unmeasured", 4],
])("with only timeouts, %s exits %d: %s; allowed %d", async (limit, code, outcome, allowed) => {
  const program = await programWithTimeouts();
  const words = ["check", "dead", "--against", "alive", "--json", "--fail-if", limit];
  const { exitCode, out, error } = await program.run(words);
  expect({ exitCode, error }).toEqual({ exitCode: code, error: "" });
  expect(JSON.parse(out)).toMatchObject([{ failIf: limit, outcome }]);
  expect((await program.run([...words, "--allow-unknown"])).exitCode).toBe(allowed);
});

test("growth from an unknown figure is not evaluated", async () => {
  const program = await programWithTimeouts();
  const words = ["check", "alive", "--against", "dead", "--fail-if", "p95 grows > 10%"];
  const { exitCode, out } = await program.run(words);
  expect(exitCode).toBe(4);
  expect(out).toContain("p95 is unknown in the run of --against");
});

test("table, Markdown and JUnit say that a limit was not evaluated", async () => {
  const program = await programWithTimeouts();
  const file = path.join(folder, "check.xml");
  const words = ["check", "dead", "--junit", file, "--fail-if", "p95 > 1ms"];
  expect((await program.run(words)).out.split("\n")).toEqual([
    "RESULT         FAIL IF    MEASURED",
    "not evaluated  p95 > 1ms  p95 is unknown",
    "0 of 1 threshold failed, 1 not evaluated",
    UNTIMED,
    "",
  ]);
  expect(await readFile(file, "utf8")).toContain(
    '<failure message="not evaluated: p95 is unknown">',
  );
  const markdown = await program.run([...words, "--markdown", "--allow-unknown"]);
  expect(markdown.out).toContain("`dead`: 0 of 1 threshold failed, 1 not evaluated\n");
  expect(markdown.out).toContain("| not evaluated | `p95 > 1ms` | p95 is unknown |");
  expect(await readFile(file, "utf8")).toContain(
    '<skipped message="not evaluated: p95 is unknown">',
  );
});

const UNTIMED =
  "30 requests without a response time: averages leave them out, percentiles rank them last";

test("check states what its figures do not record, and the JSON per limit", async () => {
  const program = await programWithTimeouts();
  const file = path.join(folder, "quality.xml");
  const words = ["check", "dead", "--against", "alive", "--junit", file];
  const limits = ["errors > 100%", "p95 grows > 10%"].flatMap((limit) => ["--fail-if", limit]);
  const { out } = await program.run([...words, ...limits, "--json"]);
  const quality = [{ code: "untimed-requests", message: UNTIMED }];
  const [errors, growth] = JSON.parse(out);
  expect(errors).not.toHaveProperty("quality");
  expect(growth).toMatchObject({ quality });
  expect(growth).not.toHaveProperty("againstQuality");
  expect(await readFile(file, "utf8")).toContain(`</testcase>\n    <system-out>${UNTIMED}\n`);
  const markdown = (await program.run([...words, ...limits, "--markdown"])).out;
  expect(markdown).toContain(`|\n\n\`${UNTIMED}\`\n`);
  const other = ["check", "alive", "--against", "dead", ...limits];
  expect((await program.run(other)).out).toContain(`\n${UNTIMED} (dead)\n`);
  expect(JSON.parse((await program.run([...other, "--json"])).out)[1]).toMatchObject({
    againstQuality: quality,
  });
  const counts = await program.run(["check", "dead", "--junit", file, ...limits.slice(0, 2)]);
  expect(counts.out).not.toContain("response time");
  expect(await readFile(file, "utf8")).not.toContain("system-out");
});

test.each([
  ["alive", "dead", " (not the base)"],
  ["dead", "alive", " (base only)"],
  ["dead", "dead", ""],
])("compare states what the figures of %s and %s do not record", async (base, id, side) => {
  const program = await programWithTimeouts();
  const { out } = await program.run(["compare", base, id]);
  expect(out).toContain(`\n${UNTIMED}${side}\n`);
  const markdown = (await program.run(["compare", base, id, "--markdown"])).out;
  expect(markdown).toContain(`\n\n\`${UNTIMED}\`${side}\n`);
  const { quality } = JSON.parse((await program.run(["compare", base, id, "--json"])).out);
  const told = [{ code: "untimed-requests", message: UNTIMED }];
  expect(quality).toEqual({
    base: base === "dead" ? told : [],
    value: id === "dead" ? told : [],
  });
});

test.each([
  [[6], " (run-6)"],
  [[1, 2, 4], " (run-4, 2 others alike)"],
])("trend states once what the figures of runs %j do not record", async (dead, of) => {
  const program = await programWithHistory(dead);
  expect((await program.run(["trend", "nightly"])).out).toContain(`\n${UNTIMED}${of}\n`);
  const markdown = (await program.run(["trend", "nightly", "--markdown"])).out;
  expect(markdown).toContain(`\`${UNTIMED}\`${of.replace(/run-\d/, "`$&`")}\n`);
  const { loadTests } = JSON.parse((await program.run(["trend", "nightly", "--json"])).out);
  const told = loadTests.map(({ quality }: { quality: unknown[] }) => quality.length);
  expect(told).toEqual(Array.from({ length: 7 }, (_, run) => (dead.includes(run) ? 1 : 0)));
});

/** Seven runs of a history; those in `dead` have timeouts alone. */
async function programWithHistory(dead: readonly number[]) {
  const program = createFakeProgram();
  for (let run = 0; run < 7; run++) {
    const shift = (text: string) => text.replaceAll("1790000", `179${run}000`);
    const rows = dead.includes(run) ? shift(TIMEOUTS) : shift(HEADER + ROWS);
    await program.run(["import", "-", "--id", `run-${run}`, "--name", "nightly"], rows);
  }
  return program;
}

test.each([
  [[], 0, "kept"],
  [[6], 4, "notEvaluated"],
  [[1, 2], 4, "notEvaluated"],
  [[1], 0, "kept"],
])("with unknown figures in runs %j, a change exits %d: %s", async (dead, code, outcome) => {
  const program = await programWithHistory(dead);
  const words = ["check", "run-6", "--against-history", "nightly", "--fail-if", "p95 changed"];
  const { exitCode, out } = await program.run([...words, "--json"]);
  expect(JSON.parse(out)).toMatchObject([{ outcome }]);
  expect(exitCode).toBe(code);
  expect((await program.run([...words, "--allow-unknown"])).exitCode).toBe(0);
});

test("throughput is unknown without timestamps", async () => {
  const program = createFakeProgram();
  const hey =
    "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n" +
    "0.0120,0.0010,0.0000,0.0000,0.0100,0.0000,200,0.0010\n";
  expect((await program.run(["import", "-", "--id", "hey"], hey)).exitCode).toBe(0);
  const words = ["check", "hey", "--fail-if", "throughput < 1/s", "--fail-if", "requests < 1"];
  const { exitCode, out } = await program.run(words);
  expect(exitCode).toBe(4);
  expect(out).toContain("throughput is unknown");
});
