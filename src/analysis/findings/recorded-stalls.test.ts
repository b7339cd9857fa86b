import { beforeAll, expect, test } from "vitest";
import path from "node:path";
import { createFakeProgram } from "../../../test/support/fake-program.ts";

const program = createFakeProgram();
const FOLDER = path.join(import.meta.dirname, "../../../test/fixtures/stalls");

/** Runs of 45 s against a server that stood still for 6 s. */
const RUNS = {
  k6: "gen-k6-rate-stall-6s.csv.gz",
  jmeter: "gen-jmeter-closed-stall-6s.jtl.gz",
  gatling: "gen-gatling-open-stall-6s.log.gz",
};

beforeAll(async () => {
  for (const [id, file] of Object.entries(RUNS)) {
    await program.run(["import", path.join(FOLDER, file), "--id", id]);
  }
});

async function anomalies(id: string): Promise<string> {
  return (await program.run(["summary", id])).out;
}

test("k6 at a constant rate dropped what its own summary says", async () => {
  const out = await anomalies("k6");
  // `dropped_iterations` of its summary; of its requests, p99 is 5.7 s.
  expect(out).toContain("the load generator waited: about 111 requests were not sent");
  expect(out).toMatch(/p95 is 114 ms as recorded, at least 3\.\d+ s/);
  expect(out).toContain("at its limit; 111 of 901 iterations (12 %) dropped");
});

test("JMeter's closed users waited for 6 of 45 s", async () => {
  const out = await anomalies("jmeter");
  // 729 requests in the other 39 s: 19 a second.
  const [, count] = /the load generator waited: about (\d+) requests were not sent/.exec(out) ?? [];
  expect(Number(count)).toBeGreaterThan(95);
  expect(Number(count)).toBeLessThan(125);
});

test("Gatling's open users waited for nothing", async () => {
  expect(await anomalies("gatling")).not.toContain("load generator");
  expect(await anomalies("gatling")).toContain("(all)");
});
