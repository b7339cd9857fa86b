import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-from-k6-"));
});

afterAll(() => rm(folder, { recursive: true }));

async function convert(options: unknown) {
  const file = path.join(folder, "options.json");
  await writeFile(file, JSON.stringify(options));
  return createFakeProgram().run(["thresholds", "from-k6", file]);
}

test("the thresholds of k6 become a file that a check reads", async () => {
  const { exitCode, out, error } = await convert({
    thresholds: {
      "http_req_duration{name:GET /}": ["p(95)<25", "max<1000"],
      http_req_failed: ["rate<0.01"],
      checks: ["rate>0.99"],
    },
  });
  expect(exitCode).toBe(3);
  expect(error.split("\n")).toEqual([
    "not converted: checks: rate>0.99: only http_req_duration, http_req_failed, http_reqs are stored",
    "3 thresholds converted, 1 not",
    "",
  ]);
  const file = path.join(folder, "thresholds.yaml");
  await writeFile(file, out);
  const program = createFakeProgram();
  const rows = "1700000000000,30,GET /,true,1\n1700000001000,30,GET /,true,1\n";
  const header = "timeStamp,elapsed,label,success,bytes\n";
  await program.run(["import", "-", "--id", "run"], header + rows);
  const checked = await program.run(["check", "run", "--thresholds", file, "--json"]);
  const outcomes = JSON.parse(checked.out).map((each: Record<string, unknown>) => [
    each["failIf"],
    each["outcome"],
  ]);
  expect([checked.exitCode, outcomes]).toEqual([
    4,
    [
      ["GET /: p95 >= 25ms", "broken"],
      ["GET /: max >= 1000ms", "kept"],
      ["errors >= 1%", "kept"],
    ],
  ]);
});

test("all converted exits 0", async () => {
  const { exitCode, out } = await convert({ thresholds: { http_reqs: ["count>10"] } });
  expect([exitCode, out]).toEqual([0, "thresholds:\n  - failIf:\n      - requests <= 10\n"]);
});

test("another file is refused", async () => {
  const { exitCode, out, error } = await convert({ results: {} });
  expect([exitCode, out]).toEqual([2, ""]);
  expect(error).toContain('expected JSON with "metrics"');
});
