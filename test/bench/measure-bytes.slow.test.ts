import { expect, test } from "vitest";
import { importCost } from "../../bench/bytes/import-cost.ts";
import { jtl, k6 } from "../../bench/measured-files.ts";
import { jmeterCsv } from "../../src/decode/jmeter/jmeter-csv.ts";
import { k6Csv } from "../../src/decode/k6/k6-csv.ts";

/** 100 endpoints with about four requests a second each, as in `npm run task bench`. */
const FILE = { requests: 125_000, seconds: 300 };

test("latency and connect time of a JTL take at most 0.3 of the bytes of its requests", async () => {
  const without = await importCost(jmeterCsv, jtl(FILE, []));
  const measured = await importCost(jmeterCsv, jtl(FILE, ["Latency", "Connect"]));
  expect(measured.bytes).toBeGreaterThan(without.bytes);
  expect(measured.bytes / without.bytes).toBeLessThan(1.3);
});

test("six phases and ten custom metrics of k6 take at most 0.6 of the bytes of its requests", async () => {
  const requests = await importCost(k6Csv, k6(FILE, "requests"));
  const phases = await importCost(k6Csv, k6(FILE, "phases"));
  const all = await importCost(k6Csv, k6(FILE, "all"));
  expect(phases.bytes).toBeGreaterThan(requests.bytes);
  expect(all.bytes).toBeGreaterThan(phases.bytes);
  expect(all.bytes / requests.bytes).toBeLessThan(1.6);
});
