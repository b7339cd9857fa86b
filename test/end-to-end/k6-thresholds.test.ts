import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFakeProgram } from "../support/fake-program.ts";

const FIXTURES = path.join(import.meta.dirname, "../fixtures/k6-thresholds");

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-k6-thresholds-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

interface Summary {
  readonly metrics: Readonly<Record<string, { readonly thresholds?: Record<string, boolean> }>>;
}

/** k6 ended with 0, 99 and 99 twice: in the last ones, thresholds name metrics, or values of tags, that never had a sample. */
test.each([
  ["green", 0],
  ["red", 4],
  ["missing", 4],
  ["facets-green", 0],
  ["facets-red", 4],
  ["facets-missing", 4],
])("the thresholds of a recorded run have the verdicts of k6: %s", async (name, exitCode) => {
  const summary = path.join(FIXTURES, `gen-k6-1.8.1-${name}-summary-export.json`);
  const program = createFakeProgram();
  const recorded = path.join(FIXTURES, `gen-k6-1.8.1-${name}.json.gz`);
  await program.run(["import", recorded, "--id", name, "--facet", "method"]);
  const { metrics } = JSON.parse(await readFile(summary, "utf8")) as Summary;
  for (const [metric, { thresholds = {} }] of Object.entries(metrics)) {
    for (const [text, isBroken] of Object.entries(thresholds)) {
      const one = path.join(folder, "one.json");
      const about = { ...metrics[metric], thresholds: { [text]: isBroken } };
      await writeFile(one, JSON.stringify({ metrics: { [metric]: about } }));
      expect([metric, text, await exitOf(program, name, one)]).toEqual([
        metric,
        text,
        isBroken ? 4 : 0,
      ]);
    }
  }
  expect(await exitOf(program, name, summary)).toBe(exitCode);
});

async function exitOf(
  program: ReturnType<typeof createFakeProgram>,
  id: string,
  summary: string,
): Promise<number> {
  const { exitCode, out } = await program.run(["thresholds", "from-k6", summary]);
  expect(exitCode).toBe(0);
  const thresholds = path.join(folder, "thresholds.yaml");
  await writeFile(thresholds, out);
  return (await program.run(["check", id, "--thresholds", thresholds])).exitCode;
}
