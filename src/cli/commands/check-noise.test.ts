import { expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";

const HEADER = "timeStamp,elapsed,label,success,bytes\n";
const NIGHT_MS = 86_400_000;

/** Two requests a second for five minutes, 200 to 209 ms each, times `factor`. */
function results(night: number, factor: number): string {
  const rows = Array.from({ length: 600 }, (_, index) => {
    const elapsed = Math.round((200 + ((index * 7) % 10)) * factor);
    return `${1_700_000_000_000 + night * NIGHT_MS + index * 500},${elapsed},GET /,true,10\n`;
  });
  return HEADER + rows.join("");
}

/** Nights that differ by up to 6 %, and one after them that is slower than the last of them by `growth`. */
async function nights(count: number, growth: number) {
  const program = createFakeProgram();
  const factors = [1, 1.05, 0.97, 1.04, 0.99, 1.06, 0.98, 0.97].slice(-count);
  for (const [night, factor] of [...factors, 0.97 * growth].entries()) {
    const words = ["import", "-", "--id", `night-${night}`, "--name", "nightly"];
    await program.run(words, results(night, factor));
  }
  return (flags: readonly string[]) =>
    program.run(["check", `night-${count}`, "--against", `night-${count - 1}`, ...flags]);
}

const GROWTH = ["--fail-if", "p95 grows > 5%"];

test("growth that earlier runs of the same name explain is inconclusive", async () => {
  const check = await nights(8, 1.08);
  const { exitCode, out } = await check(GROWTH);
  expect(exitCode).toBe(0);
  expect(out).toMatch(
    /^inconclusive +p95 grows > 5% +203 ms → 219 ms \(\+7\.9 %\), within the noise between 8 runs around 21\d ms; would find \+\d+ %$/m,
  );
  expect(out).toContain("0 of 1 threshold failed, 1 inconclusive\n");
  expect(out).toMatch(/^noise between runs is measured over 8 earlier runs of "nightly"$/m);
  const [checked] = JSON.parse((await check([...GROWTH, "--json"])).out);
  expect(checked).toMatchObject({
    outcome: "inconclusive",
    noise: { kind: "between", earlierRuns: { name: "nightly", loadTests: 8 } },
  });
  expect((await check([...GROWTH, "--fail-inconclusive"])).exitCode).toBe(4);
});

test("growth that earlier runs do not explain fails", async () => {
  const check = await nights(8, 1.4);
  expect(await check(GROWTH)).toMatchObject({ exitCode: 4 });
});

test("with three earlier runs the noise within the two runs decides", async () => {
  const check = await nights(3, 1.08);
  const { exitCode, out } = await check(GROWTH);
  expect(exitCode).toBe(4);
  expect(out).toContain(
    'noise between runs is unknown: there are 3 earlier runs named "nightly", and 4 are needed\n',
  );
});

/** Forty endpoints, a request a second to each for five minutes, 2,000 to 2,090 ms, those of `/7` times `slower`. */
function shopResults(night: number, factor: number, slower: number): string {
  const rows = Array.from({ length: 300 }, (_, second) =>
    Array.from({ length: 40 }, (__, endpoint) => {
      const own = endpoint === 7 ? factor * slower : factor;
      const elapsed = Math.round((2000 + ((second * 7 + endpoint) % 10) * 10) * own);
      const at = 1_700_000_000_000 + night * NIGHT_MS + second * 1000 + endpoint;
      return `${at},${elapsed},GET /${endpoint},true,10\n`;
    }).join(""),
  );
  return HEADER + rows.join("");
}

test("one slower endpoint of forty fails a threshold on each, but not one on all together", async () => {
  const program = createFakeProgram();
  const factors = [1, 1.004, 0.997, 1.002, 0.999, 1.003, 1];
  for (const [night, factor] of factors.entries()) {
    const words = ["import", "-", "--id", `night-${night}`, "--name", "nightly"];
    await program.run(words, shopResults(night, factor, night === 6 ? 1.12 : 1));
  }
  const check = (...limits: readonly string[]) =>
    program.run([
      "check",
      "night-6",
      "--against",
      "night-5",
      ...limits.flatMap((limit) => ["--fail-if", limit]),
    ]);
  expect(await check("avg grows > 10%")).toMatchObject({ exitCode: 0 });
  const { exitCode, out } = await check("each: avg grows > 10%");
  expect(exitCode).toBe(4);
  // By hand: 2,045 ms x 1.003, and 2,045 ms x 1.12.
  expect(out.split("\n").filter((line) => line.startsWith("FAILED"))).toEqual([
    expect.stringMatching(/^FAILED {2}GET \/7: avg grows > 10% +2051 ms → 2290 ms \(\+12 %\)$/),
  ]);
  expect(out).toContain("1 of 40 thresholds failed\n");
  expect(out).toContain(
    "noise alone fails any of these 40 thresholds on growth in about 1 % of checks\n",
  );
  expect((await check("each GET /1*: avg grows > 10%")).out).toContain("0 of 11 thresholds failed");
});

function rowsOf(label: string, count: number, night: number): string {
  return Array.from({ length: count }, (_, second) => {
    return `${1_700_000_000_000 + night * NIGHT_MS + second * 1000},20,${label},true,10\n`;
  }).join("");
}

test("an endpoint that only the base has fails growth on each, unless it is rare", async () => {
  const program = createFakeProgram();
  const base = rowsOf("GET /", 60, 0) + rowsOf("GET /pay", 50, 0) + rowsOf("GET /rare", 49, 0);
  await program.run(["import", "-", "--id", "base"], HEADER + base);
  await program.run(["import", "-", "--id", "later"], HEADER + rowsOf("GET /", 60, 1));
  const check = (limit: string) =>
    program.run(["check", "later", "--against", "base", "--fail-if", limit]);
  const { exitCode, out } = await check("each: p95 grows > 10%");
  expect(exitCode).toBe(4);
  expect(out.split("\n").filter((line) => line.startsWith("FAILED"))).toEqual([
    expect.stringMatching(/^FAILED +GET \/pay: p95 grows > 10% +no endpoint with this label has a/),
  ]);
  expect(out).toContain("1 of 2 thresholds failed");
  expect((await check("each GET /pay*: p95 grows > 10%")).out).toContain("1 of 1 threshold");
  expect((await check("each: p95 > 1s")).out).toContain("0 of 1 threshold");
});

test("runs that were not read completely do not count as noise between runs", async () => {
  const program = createFakeProgram();
  const factors = [1, 1.01, 0.99, 1.005, 0.995, 1, 1.3];
  for (const [night, factor] of factors.entries()) {
    const words = ["import", "-", "--id", `night-${night}`, "--name", "nightly"];
    await program.run(words, results(night + 1, factor));
  }
  const check = async () => {
    const flags = ["--against", "night-5", "--fail-if", "p95 grows > 5%"];
    return (await program.run(["check", "night-6", ...flags])).out;
  };
  expect(await check()).toMatch(/^FAILED/m);
  // Its first half, of the warm-up, ends within a row.
  const half = results(0, 3).slice(0, 8000);
  await program.run(["import", "-", "--id", "cut", "--name", "nightly"], half);
  expect(await check()).toMatch(/^FAILED/m);
});
