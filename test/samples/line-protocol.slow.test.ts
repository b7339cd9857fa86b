import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readResults } from "../independent/read-results.mjs";
import { linesOf, readCapture } from "./captures.ts";
import { checkFile } from "./check-file.ts";
import { figuresOfEndpoint } from "./figures.ts";
import { FIXTURE_FOLDER, readFixture } from "./fixtures.ts";
import { importAndRead } from "./import-and-read.ts";
import { readJmeterSums, sentLabels } from "./jmeter-sums.ts";
import { quantileOf } from "./quantile-of.ts";
import type { ToolFigures, ToolReport } from "./tool-report.ts";

const K6 = "k6-influx/gen-k6-1.8.1-main";
const RAW = "jmeter-influx/gen-jmeter-5.6.3-influxraw";

const expected = (stem: string): unknown =>
  JSON.parse(readFileSync(path.join(FIXTURE_FOLDER, `${stem}.expected.json`), "utf8"));

const bytesOf = (file: string): Uint8Array => new TextEncoder().encode(linesOf(readCapture(file)));

const whole = (recorded: number) =>
  ({ recorded, rejected: 0, ending: "whole", file: "", reason: "", refusal: undefined }) as const;

test("data sent by k6 equals its report and its CSV of the same run", async () => {
  const toolReport = expected(K6) as ToolReport;
  const bytes = bytesOf(`${K6}.influx.ndjson`);
  expect(await checkFile({ expectation: whole(980), bytes, toolReport })).toEqual([]);
  const csv = readResults(readFixture("k6-json/gen-k6-1.8.1-main.json"));
  expect(readResults(bytes)?.samples).toEqual(csv?.samples);
});

test("single samples sent by JMeter equal the counts of another reader", async () => {
  const { influx } = expected(RAW) as { influx: { raw: Record<string, ToolFigures> } };
  const bytes = bytesOf(`${RAW}.ndjson`);
  // The other reader's averages are rounded to the microsecond.
  const toolReport = { endpoints: influx.raw };
  expect(await checkFile({ expectation: whole(727), bytes, toolReport })).toEqual([]);
});

describe.each(["gen-jmeter-5.6.3-influx-fixed", "gen-jmeter-5.6.3-influx-timed"])("%s", (name) => {
  const report = readJmeterSums(name);

  test("requests, failures and bytes equal those of the lines and of JMeter's own report", async () => {
    const { endpoints } = await importAndRead(bytesOf(`jmeter-influx/${name}.ndjson`));
    expect(endpoints.map(({ label }) => label).toSorted()).toEqual(sentLabels(report).toSorted());
    for (const endpoint of endpoints) {
      const { label } = endpoint;
      const [all, ko] = [report.influx.sums[`${label}|all`], report.influx.sums[`${label}|ko`]];
      const { count, errors, minMs, maxMs } = figuresOfEndpoint(endpoint);
      expect({ label, count, errors }).toEqual({
        label,
        count: all?.count,
        errors: ko?.count ?? 0,
      });
      const { overview } = endpoint.items.xy.data as { overview: Record<string, string> };
      const bytes = Number(overview["downloadSize"]) * count;
      expect(Math.abs(bytes - (all?.rb ?? 0))).toBeLessThan(0.001);
      const own = report.recount[label];
      // Interrupted transactions are missing or different in the listener's data.
      if (own?.count !== count) continue;
      // Extremes over the last 100 requests of a label are not those of the interval.
      const isKnown = name.endsWith("timed") || !Number.isNaN(minMs);
      expect({ label, errors, minMs, maxMs }).toEqual({
        label,
        errors: own.errors,
        minMs: isKnown ? own.minMs : Number.NaN,
        maxMs: isKnown ? own.maxMs : Number.NaN,
      });
    }
  });
});

test("requests aggregated by JMeter have no percentiles", async () => {
  const { endpoints } = await importAndRead(
    bytesOf("jmeter-influx/gen-jmeter-5.6.3-influx-timed.ndjson"),
  );
  const merged = endpoints.filter((endpoint) => figuresOfEndpoint(endpoint).count > 20);
  expect(merged.length).toBeGreaterThan(5);
  expect(merged.map((endpoint) => quantileOf(endpoint, 0.95))).toEqual(
    merged.map(() => Number.NaN),
  );
});

test("averages are exact if JMeter averaged over the interval", async () => {
  const name = "gen-jmeter-5.6.3-influx-timed";
  const report = readJmeterSums(name);
  const { endpoints } = await importAndRead(bytesOf(`jmeter-influx/${name}.ndjson`));
  let compared = 0;
  for (const endpoint of endpoints) {
    const own = report.recount[endpoint.label];
    const { count, avgMs } = figuresOfEndpoint(endpoint);
    if (own?.count !== count) continue;
    compared += 1;
    // The report and the product round to the microsecond.
    expect(Math.abs(avgMs - own.avgMs)).toBeLessThan(0.002);
  }
  expect(compared).toBeGreaterThanOrEqual(20);
});
