import { expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { storeNights } from "../../../test/support/nightly-load-tests.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";

const store = openMemoryStore();
await storeNights(store, { nights: 24, slowerFrom: 14 });
const program = createFakeProgram({ ...store, close: async () => {} });

test("trend prints the changes first, then the runs, with a star at each change", async () => {
  const { exitCode, out, error } = await program.run(["trend", "checkout", "--all"]);
  expect({ exitCode, error }).toEqual({ exitCode: 0, error: "" });
  const lines = out.split("\n");
  expect(lines[0]).toBe("checkout: 24 runs · 8 changes");
  expect(lines[2]).toMatch(/^CHANGED WITH +STATISTIC +LEVEL +RUNS +CHANCE +ENDPOINT$/);
  const ofCart = lines.find((line) => line.endsWith("cart") && line.includes("p95"));
  expect(ofCart).toMatch(
    /^nightly-14 +p95 +\d+ ms → \d+ ms \(\+\d+ %\) +14 → 10 +< 0\.000001 +cart$/,
  );
  expect(lines.find((line) => line.startsWith("nightly-14  2023-11-28"))).toMatch(
    /^nightly-14 +2023-11-28 22:13:20 UTC +60 +0 % +\d+ ms \* +\d+ ms \* +\d+ ms \* +\d+ ms \*$/,
  );
  expect(lines.find((line) => line.startsWith("nightly-13  2023"))).not.toContain("*");
  expect(out).toMatch(/\n\n\* level shift of all endpoints together\n$/);
});

test("changes introduced by the same run share a line", async () => {
  const { out } = await program.run(["trend", "checkout"]);
  const [, , head = "", group = "", end] = out.split("\n");
  expect(head).toMatch(/^CHANGED WITH +STATISTICS +CLEAREST +RUNS +ENDPOINTS$/);
  // 8 changes: 4 figures of all endpoints as one, and of cart.
  expect(group).toMatch(
    /^nightly-14 +avg, p50, p95, p99 +\w+ \d+ ms → \d+ ms \(\+\d+ %\) +14 → 10 +\(all\) and 1 endpoint$/,
  );
  expect(end).toBe("");
});

test("with very many changed runs, the latest are listed", async () => {
  const own = openMemoryStore();
  await storeNights(own, { nights: 24, slowerFrom: 8, slowerUntil: 16 });
  const ownProgram = createFakeProgram({ ...own, close: async () => {} });
  const { out } = await ownProgram.run(["trend", "checkout", "--limit", "1"]);
  expect(out).toMatch(/^nightly-16 +avg/m);
  expect(out).not.toMatch(/^nightly-8 +avg/m);
  expect(out).toContain("\n1 earlier run with changes: use --limit or --all to show them\n");
});

test("trend prints JSON", async () => {
  const { out } = await program.run(["trend", "checkout", "--json", "--hash", "0".repeat(40)]);
  const { loadTests, endpoints, overall, changes } = JSON.parse(out);
  expect(loadTests).toHaveLength(24);
  expect({ endpoints, changes }).toEqual({ endpoints: [], changes: [] });
  expect(overall.p95).toEqual(Array.from({ length: 24 }, () => null));
});

test("trend prints Markdown", async () => {
  const words = ["trend", "--tag", "even", "--markdown", "--last", "2"];
  const { out } = await program.run(words);
  expect(out).toMatch(/^`even`: 2 runs · 0 changes\n\n\| RUN \| STARTED \|/);
  expect(out).toMatch(/\| `nightly-22` \| 2023-12-06 22:13:20 UTC \| 60 \| 0 % \|/);
  expect(out.endsWith("\n10 runs before\n")).toBe(true);
});

test("says what is still undecided about the latest run", async () => {
  const { out } = await program.run(["trend", "checkout", "--up-to", "nightly-15"]);
  expect(out).toContain("14 → 2 ");
  expect(out).toContain("possible outliers");
});

test("the history begins at the baseline, and the output says so", async () => {
  const own = openMemoryStore();
  await storeNights(own, { nights: 12, slowerFrom: 99 });
  const ownProgram = createFakeProgram({ ...own, close: async () => {} });
  expect(await ownProgram.run(["tests", "baseline", "nightly-3"])).toMatchObject({ exitCode: 0 });
  await ownProgram.run(["tests", "baseline", "nightly-9"]);
  const { out } = await ownProgram.run(["trend", "checkout"]);
  expect(out).toMatch(/^checkout: 3 runs · 0 changes\n/);
  expect(
    out.endsWith(
      "begins at the baseline, nightly-9: use --ignore-baseline to include earlier runs\n",
    ),
  ).toBe(true);
  const all = await ownProgram.run(["trend", "checkout", "--ignore-baseline"]);
  expect(all.out).toMatch(/^checkout: 12 runs .*\nthe baseline is nightly-9\n$/s);
  await ownProgram.run(["tests", "baseline", "nightly-9", "--undo"]);
  expect((await ownProgram.run(["trend", "checkout"])).out).not.toContain("baseline");
});

test.each([
  [["trend"], 2, "expected a name"],
  [["trend", "no"], 1, 'there is no run named "no"'],
  [["trend", "checkout", "--last", "2001"], 2, "from 1 to 2000"],
  [["trend", "checkout", "--since", "no"], 1, 'there is no run "no"'],
])("%j ends with exit code %d", async (words, exitCode, error) => {
  const outcome = await program.run(words);
  expect(outcome).toMatchObject({ exitCode, out: "" });
  expect(outcome.error).toContain(error);
});

function longId(at: number): string {
  return `nightly-${at}-${"x".repeat(200)}`;
}

test("Markdown of many runs fits into a comment and keeps the latest", async () => {
  const own = openMemoryStore();
  for (const at of Array.from({ length: 400 }).keys()) {
    await own.loadTests.create({ ...loadTest(longId(at), at + 1), name: "checkout" });
  }
  const ownProgram = createFakeProgram({ ...own, close: async () => {} });
  const { out } = await ownProgram.run(["trend", "checkout", "--last", "400", "--markdown"]);
  expect(out.length).toBeLessThan(65_536);
  const shown = out.match(/^\| `nightly-/gm)?.length ?? 0;
  expect(out).toContain(`\n${400 - shown} rows not shown\n`);
  expect(out).toContain(longId(399));
  expect(out).toContain(longId(400 - shown));
  expect(out).not.toContain(longId(399 - shown));
});
