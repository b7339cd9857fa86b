import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { seededRandom } from "../../bench/seeded-random.ts";
import { batchOf, sample } from "../../test/support/batches.ts";
import { createFakeProgram } from "../../test/support/fake-program.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { MeasureAccumulator } from "../aggregate/measure-accumulator.ts";
import { testFolder } from "../../test/support/test-folder.ts";

/** 18 nights that differ by up to 2 %; from the 11th on, values are half as large again, and hits fall from 90 to 60 %. */
const NIGHTS = 18;
const CHANGED = 10;
const DAY_SECONDS = 86_400;

const random = seededRandom(1);
const store = openMemoryStore();
for (let night = 0; night < NIGHTS; night++) {
  const start = 1_700_000_000 + night * DAY_SECONDS;
  const id = `n-${night}`;
  await store.loadTests.create({ ...loadTest(id), name: "nightly" });
  const measures = new MeasureAccumulator();
  const isChanged = night >= CHANGED;
  const factor = (1 + 0.02 * random()) * (isChanged ? 1.5 : 1);
  const whole = { label: undefined, unit: "", tags: [] } as const;
  for (let second = 0; second < 60; second++) {
    const atMs = (start + second) * 1000;
    for (const [host, usual] of Object.entries({ a: 40, b: 20 })) {
      const tags = [["host", host]] as const;
      const own = factor * usual * (host === "b" && isChanged ? 1 / 1.5 : 1);
      const cpu = { ...whole, name: "cpu", kind: "gauge", tags } as const;
      measures.add(measures.seriesOf(cpu), atMs, own);
      measures.add(measures.seriesOf({ ...cpu, name: "widgets" }), atMs, own);
    }
    const lock = { ...whole, name: "lock", unit: "s", kind: "gauge" } as const;
    measures.add(measures.seriesOf(lock), atMs, factor * 0.000_000_2);
    const ttft = { ...whole, name: "ttft", unit: "ms", kind: "distribution" } as const;
    for (let each = 0; each < 10; each++) {
      measures.add(measures.seriesOf(ttft), atMs, factor * (100 + 20 * random()));
    }
    const hits = { ...whole, name: "cache_hits", kind: "rate" } as const;
    for (let each = 0; each < 10; each++) {
      measures.add(measures.seriesOf(hits), atMs, Number(each < (isChanged ? 6 : 9)));
    }
  }
  const samples = [sample("GET /", start), sample("GET /", start + 59)];
  const taken = measures.take();
  await store.points.append(
    batchOf(samples, { loadTestId: id, ...(taken && { measures: taken }) }),
  );
}
const program = createFakeProgram({ ...store, close: async () => {} });

async function outcomesOf(id: string, limits: readonly string[], ...more: readonly string[]) {
  const given = limits.flatMap((limit) => ["--fail-if", limit]);
  const { out, error } = await program.run(["check", id, ...given, "--json", ...more]);
  expect(error).toBe("");
  return JSON.parse(out).map((each: Record<string, unknown>) => [each["failIf"], each["outcome"]]);
}

test("growth of measures is judged by the noise between earlier runs", async () => {
  const limits = [
    "measure cpu: avg grows > 10%",
    "measure cpu: avg grows > 40%",
    "measure cpu by host: avg grows > 10%",
    "measure ttft: p95 grows > 10%",
    "measure cache_hits: rate falls > 5%",
    "measure cache_hits: rate grows > 5%",
    "measure ttft: p75 grows > 10%",
    "measure ttft: p75 grows > 60%",
    "measure ttft: count grows > 0%",
    "measure cache_hits: count grows > 0%",
    "measure no: avg grows > 5%",
  ];
  expect(await outcomesOf("n-10", limits, "--against", "n-9")).toEqual([
    // 60 became 80: 33 %.
    ["measure cpu: avg grows > 10%", "broken"],
    ["measure cpu: avg grows > 40%", "kept"],
    ["measure cpu{host=a}: avg grows > 10%", "broken"],
    ["measure cpu{host=b}: avg grows > 10%", "kept"],
    ["measure ttft: p95 grows > 10%", "broken"],
    ["measure cache_hits: rate falls > 5%", "broken"],
    ["measure cache_hits: rate grows > 5%", "kept"],
    ["measure ttft: p75 grows > 10%", "broken"],
    ["measure ttft: p75 grows > 60%", "kept"],
    ["measure ttft: count grows > 0%", "kept"],
    ["measure cache_hits: count grows > 0%", "kept"],
    ["measure no: avg grows > 5%", "unmeasured"],
  ]);
  const unchanged = ["measure cpu: avg grows > 0%", "measure ttft: p95 grows > 0%"];
  const found = await outcomesOf(
    "n-9",
    [...unchanged, "measure ttft: p75 grows > 0%"],
    "--against",
    "n-8",
  );
  for (const [, outcome] of found) expect(["kept", "inconclusive"]).toContain(outcome);
});

test("growth of measures over pairs", async () => {
  const pairs = Array.from({ length: 8 }, (_, at) => `n-${at}:n-${at + CHANGED}`);
  const checked = await program.run([
    "check",
    "--pairs",
    ...pairs,
    "--fail-if",
    "measure ttft: p95 grows > 10%",
    "--fail-if",
    "measure cache_hits: rate falls > 10%",
  ]);
  expect([checked.exitCode, checked.out]).toEqual([
    4,
    expect.stringMatching(
      /FAILED .*p95.*\+5\d(\.\d)? % over 8 pairs, up in 8.*\n.*FAILED .*-30 % over 8 pairs, down in 8/,
    ),
  ]);
});

test("a change of a measure against the history counts if it is for the worse, or if that is not known", async () => {
  const limits = [
    "measure cpu: avg changed",
    "measure lock: avg changed",
    "measure widgets: avg changed",
    "measure cpu{host=b}: avg changed",
    "measure ttft: p75 changed > 10%",
    "measure cache_hits: rate changed",
  ];
  const history = ["--against-history", "nightly"];
  expect(await outcomesOf("n-12", limits, ...history)).toEqual([
    [limits[0], "broken"],
    [limits[1], "broken"],
    [limits[2], "broken"],
    [limits[3], "kept"],
    [limits[4], "broken"],
    [limits[5], "broken"],
  ]);
  expect(await outcomesOf("n-9", limits, ...history)).toEqual(limits.map((each) => [each, "kept"]));
});

const folder = testFolder();

test.each([
  ["higher", "kept"],
  ["lower", "broken"],
])("`better: %s` tells which changes of a measure fail", async (better, outcome) => {
  const file = path.join(folder, "thresholds.yaml");
  const text = `thresholds: [{ failIf: ["measure widgets: avg changed"], better: ${better} }]`;
  await writeFile(file, text);
  const { out } = await program.run([
    "check",
    "n-12",
    "--thresholds",
    file,
    "--against-history",
    "nightly",
    "--json",
  ]);
  expect(JSON.parse(out)).toMatchObject([{ outcome }]);
});
