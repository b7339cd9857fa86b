/** Runs the script of all pipelines against a real server. */

import { writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runTachograph } from "../support/run-tachograph.ts";
import type { Job, StepOutcome } from "./hosting.ts";
import { openPipelinePlace, type PipelinePlace, resultsOf } from "./pipeline-place.ts";

let place: PipelinePlace;
beforeAll(async () => {
  place = await openPipelinePlace();
});
afterAll(() => place.close());

const LIMITS = "GET /cart: p95 > 500ms";

/** Runs the script that all pipelines share. */
function runPipeline(job: Job, given: Readonly<Record<string, string>>): Promise<StepOutcome> {
  return job.run("tachograph-pipeline", {
    ...place.settings,
    LOAD_TEST_FILES: "*.jtl",
    LOAD_TEST_TAG: "own",
    ...given,
  });
}

test("a repeated job is compared with the baseline before it", async () => {
  const limits = { LOAD_TEST_LIMITS: "p95 grows > 10%", LOAD_TEST_IS_BASE: "true" };
  const tag = { LOAD_TEST_TAG: "again", ...limits };
  await runPipeline(place.jobWith("again-1", 1), { ...tag, LOAD_TEST_ID: "again-1" });
  const job = place.jobWith("again-2", 1);
  await runPipeline(job, { ...tag, LOAD_TEST_ID: "again-2" });
  const first = job.file("tachograph/comment.md");
  expect(first).toContain("`again-2` against `again-1`: 0 of 1 threshold failed");
  expect(await runPipeline(job, { ...tag, LOAD_TEST_ID: "again-2" })).toMatchObject({
    exitCode: 0,
  });
  expect(job.file("tachograph/comment.md")).toBe(first);
});

test("without thresholds of its own, those kept for the name are checked, if there are any", async () => {
  const job = place.jobWith("kept", 1);
  const settings = {
    LOAD_TEST_NAME: "kept thresholds",
    LOAD_TEST_IS_BASE: "true",
    LOAD_TEST_TAG: "kept",
  };
  const before = await runPipeline(job, { ...settings, LOAD_TEST_ID: "kept-1" });
  expect(before.exitCode).toBe(0);
  const file = path.join(job.folder, "thresholds.yaml");
  writeFileSync(file, 'thresholds: [{ failIf: ["p95 > 1us"] }]');
  const { TACHOGRAPH_URL: url, TACHOGRAPH_KEY: key } = place.settings;
  await runTachograph(["thresholds", "set", "kept thresholds", file, "--url", url, "--key", key]);
  const outcome = await runPipeline(job, { ...settings, LOAD_TEST_ID: "kept-2" });
  expect(outcome.exitCode).toBe(4);
  expect(await place.idsTagged("kept")).toEqual(["kept-1"]);
});

test("without a baseline, no kind of growth is evaluated, and the run becomes one", async () => {
  const job = place.jobWith("falls-1", 1);
  const id = { LOAD_TEST_ID: "falls-1", LOAD_TEST_TAG: "falls", LOAD_TEST_IS_BASE: "true" };
  const limits = ["p95 > 5s", "measure jobs: rate falls > 5%"];
  const outcome = await runPipeline(job, { ...id, LOAD_TEST_LIMITS: limits.join("\n") });
  expect(outcome).toMatchObject({ exitCode: 0 });
  expect(job.file("tachograph/comment.md")).toContain(`Not evaluated: \`${limits[1]}\`.`);
  expect(await place.idsTagged("falls")).toEqual(["falls-1"]);
});

test("GitHub takes the comment of a run with many endpoints", async () => {
  const many = { LOAD_TEST_TAG: "many", LOAD_TEST_IS_BASE: "true" };
  const rows = Array.from({ length: 1500 }, (_, at) => {
    return `${1_700_000_000_000 + at},20,GET /products/${"long/".repeat(20)}${at},200,,true\n`;
  });
  for (const id of ["many-1", "many-2"]) {
    const job = place.jobWith(id, 1);
    writeFileSync(path.join(job.folder, "results.jtl"), resultsOf(1) + rows.join(""));
    const limits = { LOAD_TEST_LIMITS: "each: p95 > 5s" };
    expect(await runPipeline(job, { LOAD_TEST_ID: id, ...many, ...limits })).toMatchObject({
      exitCode: 0,
    });
    // More: "Body is too long (maximum is 65536 characters)".
    expect(job.file("tachograph/comment.md").length).toBeLessThanOrEqual(65_536);
  }
});

test("results of an earlier run are not reported as those of this one", async () => {
  const job = place.jobWith("stale", 1);
  const limits = { LOAD_TEST_LIMITS: "p95 > 5s" };
  await runPipeline(job, { LOAD_TEST_ID: "stale", ...limits });
  expect(job.file("tachograph/comment.md")).toContain("0 of 1 threshold failed");
  await runPipeline(job, { LOAD_TEST_ID: "stale" });
  expect(job.file("tachograph/comment.md")).not.toContain("limit");
  await runPipeline(job, { LOAD_TEST_ID: "" });
  expect(job.file("tachograph/comment.md")).toBe("");
});

test("a file or an id that begins with a dash is not read as a flag", async () => {
  const job = place.jobWith("dashes", 1, "--data=elsewhere.jtl");
  const outcome = await runPipeline(job, { LOAD_TEST_ID: "-31-2", LOAD_TEST_LIMITS: "p95 > 5s" });
  expect(outcome).toMatchObject({ exitCode: 0 });
  expect(outcome.printed).toContain("--data=elsewhere.jtl: 1,200 requests");
});

test("a run from a truncated file does not become the baseline", async () => {
  const job = place.jobWith("cut", 1);
  writeFileSync(path.join(job.folder, "results.jtl.gz"), gzipSync(resultsOf(1)).subarray(0, 2000));
  const given = { LOAD_TEST_FILES: "results.jtl.gz", LOAD_TEST_IS_BASE: "true" };
  const outcome = await runPipeline(job, {
    ...given,
    LOAD_TEST_ID: "cut",
    LOAD_TEST_LIMITS: "p95 > 5s",
  });
  // What is missing may have been slow.
  expect(outcome).toMatchObject({ exitCode: 4 });
  expect(job.file("tachograph/comment.md")).toContain("A file was truncated");
  expect(await place.idsTagged("own")).toEqual([]);
});

/** A message with commas that are not quoted moves the fields behind it. */
const COMMAS = "1700000000100,5,GET /cart,503,upstream a, b, c,false\n";

test.each([
  ["0%", [3, 4], []],
  ["1%", [0], ["commas-1-"]],
])(
  "rows that are not read as written fail a run beyond %s, which is no base then",
  async (...row) => {
    const [allowed, codes, tagged] = row;
    const id = `commas-${Number.parseInt(allowed, 10)}-`;
    const job = place.jobWith(id, 1);
    writeFileSync(path.join(job.folder, "results.jtl"), resultsOf(1) + COMMAS.repeat(6));
    const { exitCode } = await runPipeline(job, {
      LOAD_TEST_ID: id,
      LOAD_TEST_IS_BASE: "true",
      LOAD_TEST_TAG: id,
      LOAD_TEST_LIMITS: "errors > 5%\np50 > 5s",
      TACHOGRAPH_ALLOW_REJECTED: allowed,
    });
    expect(codes).toContain(exitCode);
    expect(await place.idsTagged(id)).toEqual(tagged);
  },
);

test("thresholds are one per line, with any line end, and a label may contain `grows`", async () => {
  const job = place.jobWith("lines", 1);
  const lines = "  GET /cart: p95 > 5s\r\nit grows > 1: p95 > 5s\r\n";
  const given = { LOAD_TEST_ID: "lines", LOAD_TEST_LIMITS: lines };
  expect(await runPipeline(job, given)).toMatchObject({ exitCode: 4 });
  const rows = job.file("tachograph/comment.md").split("\n");
  expect(rows).toContain("| ok | `GET /cart: p95 > 5s` | 29 ms |");
  expect(rows.filter((row) => row.startsWith("| FAILED"))).toHaveLength(1);
});

test.each([
  ["a file that is not there", { LOAD_TEST_FILES: "no.jtl" }, 2],
  ["a limit that is no limit", { LOAD_TEST_LIMITS: "p95 is high" }, 2],
  ["no files", { LOAD_TEST_FILES: "" }, 1],
  ["a key that is none", { TACHOGRAPH_KEY: "tgk_none" }, 1],
])("%s ends the step before it reports anything as stored", async (name, wrong, exitCode) => {
  const job = place.jobWith(name, 1);
  const right = { LOAD_TEST_FILES: "results.jtl", LOAD_TEST_ID: "wrong", LOAD_TEST_LIMITS: LIMITS };
  const outcome = await job.run("tachograph-pipeline", { ...place.settings, ...right, ...wrong });
  expect(outcome).toMatchObject({ exitCode });
  expect(outcome.printed).not.toContain("SyntaxError");
  expect(job.file("tachograph/comment.md")).toBe("");
});
