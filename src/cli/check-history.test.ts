import { expect, test } from "vitest";
import { createFakeProgram } from "../../test/support/fake-program.ts";
import { storeNights } from "../../test/support/nightly-load-tests.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";

/** cart became half as slow again with nightly-14, of 30; pay did not. */
const store = openMemoryStore();
await storeNights(store, { nights: 30, slowerFrom: 14 });
const program = createFakeProgram({ ...store, close: async () => {} });

async function check(id: string, limit: string, ...more: readonly string[]) {
  const history = ["--against-history", "checkout", "--json"];
  const outcome = await program.run(["check", id, "--fail-if", limit, ...history, ...more]);
  return { ...outcome, checked: JSON.parse(outcome.out || "[{}]")[0] };
}

test.each<[id: string, limit: string, result: readonly [number, string], ...more: string[]]>([
  ["nightly-13", "p95 changed", [0, "kept"]],
  // A single load test may be an outlier.
  ["nightly-14", "p95 changed", [0, "kept"]],
  ["nightly-15", "p95 changed", [4, "broken"]],
  ["nightly-15", "cart: p95 changed > 40%", [4, "broken"]],
  ["nightly-15", "cart: p95 changed > 60%", [0, "kept"]],
  ["nightly-14", "pay: p95 changed", [0, "kept"]],
  ["nightly-14", "requests changed", [0, "kept"]],
  ["nightly-14", "errors changed", [0, "kept"]],
  ["nightly-23", "p95 changed", [4, "broken"]],
  // Ten load tests have the new level: it is the normal one.
  ["nightly-24", "p95 changed", [0, "kept"]],
  ["nightly-24", "p95 changed", [4, "broken"], "--since", "nightly-0"],
  ["nightly-24", "p95 changed", [0, "kept"], "--since", "nightly-14"],
  ["nightly-14", "p95 changed", [0, "unjudged"], "--since", "nightly-10"],
  ["nightly-14", "no such: p95 changed", [4, "unmeasured"]],
  // As fast as the first runs, but alone.
  ["other", "p95 changed", [0, "kept"]],
])("in %s, %j is evaluated as %j", async (id, limit, [expected, outcome], ...more) => {
  const { checked, error, exitCode } = await check(id, limit, ...more);
  expect({ exitCode, error }).toEqual({ exitCode: expected, error: "" });
  expect(checked).toMatchObject({ failIf: limit, outcome, isChange: true, isGrowth: false });
});

test("a change that was reverted since the baseline is not reported", async () => {
  const own = openMemoryStore();
  await storeNights(own, { nights: 30, slowerFrom: 10, slowerUntil: 20 });
  const words = [
    "check",
    "nightly-29",
    "--against-history",
    "checkout",
    "--fail-if",
    "p95 changed",
  ];
  const ownProgram = createFakeProgram({ ...own, close: async () => {} });
  expect((await ownProgram.run([...words, "--since", "nightly-0"])).exitCode).toBe(0);
  // The level of the baseline is the slow one.
  expect((await ownProgram.run([...words, "--since", "nightly-10"])).exitCode).toBe(4);
});

test("the baseline of the name is where the history begins", async () => {
  const own = openMemoryStore();
  await storeNights(own, { nights: 30, slowerFrom: 14 });
  const ownProgram = createFakeProgram({ ...own, close: async () => {} });
  const words = [
    "check",
    "nightly-26",
    "--fail-if",
    "p95 changed",
    "--against-history",
    "checkout",
  ];
  // Twelve runs have the new level, which is the normal one without a baseline.
  expect((await ownProgram.run(words)).exitCode).toBe(0);
  await ownProgram.run(["tests", "baseline", "nightly-2"]);
  expect((await ownProgram.run(words)).exitCode).toBe(4);
  expect((await ownProgram.run([...words, "--ignore-baseline"])).exitCode).toBe(0);
  await ownProgram.run(["tests", "baseline", "nightly-14"]);
  expect((await ownProgram.run(words)).exitCode).toBe(0);
});

test("the history can be limited to a tag", async () => {
  const words = ["check", "nightly-16", "--history-tag", "even", "--fail-if", "cart: p50 changed"];
  const { exitCode, out } = await program.run(words);
  expect(exitCode).toBe(4);
  expect(out).toMatch(
    /^FAILED +cart: p50 changed +1\d\d ms → 1\d\d ms \(\+\d+ %\) 1 run ago, with nightly-14/m,
  );
});

test("a change is reported with the run that introduced it", async () => {
  const words = [
    "check",
    "nightly-15",
    "--against-history",
    "checkout",
    "--fail-if",
    "p50 changed",
  ];
  expect((await program.run(words)).out).toMatch(
    / ms \(\+\d+ %\) 1 run ago, with nightly-14, by noise in < 0\.\d+/,
  );
});

test("a change needs a history", async () => {
  const { exitCode, error } = await program.run(["check", "nightly-3", "--fail-if", "p95 changed"]);
  expect(exitCode).toBe(2);
  expect(error).toContain('"p95 changed" needs --against-history');
});
