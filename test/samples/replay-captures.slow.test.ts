/** Replays the requests that k6 and JMeter sent to a fake InfluxDB. */

import { readFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTestServer, type TestServer } from "../support/test-server.ts";
import { type CapturedRequest, linesOf, readCapture } from "./captures.ts";
import { figuresOfEndpoint } from "./figures.ts";
import { FIXTURE_FOLDER } from "./fixtures.ts";
import { importAndRead, LOAD_TEST_ID, readBack } from "./import-and-read.ts";
import { readJmeterSums, sentLabels } from "./jmeter-sums.ts";
import { reportDifferences, type ToolReport } from "./tool-report.ts";

const K6 = readCapture("k6-influx/gen-k6-1.8.1-main.influx.ndjson");
const RAW = readCapture("jmeter-influx/gen-jmeter-5.6.3-influxraw.ndjson");

const encoder = new TextEncoder();

async function replay(requests: readonly CapturedRequest[]): Promise<TestServer> {
  const world = await createTestServer();
  const key = await world.makeKey("write");
  for (const { method, path: target, query, headers, body } of requests) {
    const url = `${target}?${query.replace(/\bdb=\w+/, `db=${LOAD_TEST_ID}`)}`;
    const answer = await world.server.inject({
      method: method as "POST",
      url,
      headers: { ...headers, host: "127.0.0.1", authorization: `Token ${key}` },
      payload: body,
    });
    expect([200, 204]).toContain(answer.statusCode);
  }
  await world.server.close();
  return world;
}

test("k6's requests give the same data as k6's report and as a file of its lines", async () => {
  const world = await replay(K6);
  const { endpoints: found } = await readBack(world.store.points);
  const report = JSON.parse(
    readFileSync(path.join(FIXTURE_FOLDER, "k6-influx/gen-k6-1.8.1-main.expected.json"), "utf8"),
  ) as ToolReport;
  const figures = found.map((endpoint) => [endpoint.label, figuresOfEndpoint(endpoint)] as const);
  expect(reportDifferences(report, new Map(figures))).toEqual([]);
  const file = await importAndRead(encoder.encode(linesOf(K6)));
  expect(found).toEqual(file.endpoints);
});

test("JMeter's single samples give the same data as a file of its lines", async () => {
  const world = await replay(RAW);
  const file = await importAndRead(encoder.encode(linesOf(RAW)));
  expect((await readBack(world.store.points)).endpoints).toEqual(file.endpoints);
});

describe.each(["gen-jmeter-5.6.3-influx-fixed", "gen-jmeter-5.6.3-influx-timed"])("%s", (name) => {
  test("has the requests, failures and extremes of its lines", async () => {
    const report = readJmeterSums(name);
    const world = await replay(readCapture(`jmeter-influx/${name}.ndjson`));
    const { endpoints: found } = await readBack(world.store.points);
    const want = sentLabels(report).map((label) => [
      label,
      report.influx.sums[`${label}|all`]?.count,
      report.influx.sums[`${label}|ko`]?.count ?? 0,
    ]);
    const got = found.map((endpoint) => {
      const { count, errors } = figuresOfEndpoint(endpoint);
      return [endpoint.label, count, errors];
    });
    expect(Object.fromEntries(got.map((row) => [row[0], row]))).toEqual(
      Object.fromEntries(want.map((row) => [row[0], row])),
    );
  });
});

test("repeated requests, in any order, change nothing", async () => {
  const few = K6.slice(1, 9);
  const once = (await readBack((await replay(few)).store.points)).endpoints;
  const again = fc.array(fc.constantFrom(...few), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      again,
      fc.shuffledSubarray([...few], { minLength: few.length }),
      async (more, all) => {
        const world = await replay([...more, ...all, ...more]);
        expect((await readBack(world.store.points)).endpoints).toEqual(once);
      },
    ),
    { numRuns: 4 },
  );
});
