/** One run of each tool, as the tool wrote it and as it sent it: the same figures, but for what `quality` says. */

import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import type { MeasuresJson } from "../../src/api/measures.ts";
import { summarise } from "../../src/query/open-summary.ts";
import { readMeasures } from "../../src/query/read-measures.ts";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import type { Points } from "../../src/store/store.ts";
import { createTestServer } from "../support/test-server.ts";
import { readResults } from "../independent/read-results.mjs";
import { readingDifferences } from "./check-file.ts";
import { figuresOfEndpoint } from "./figures.ts";
import { readFixture } from "./fixtures.ts";
import { type Imported, importAndRead, LOAD_TEST_ID, readBack } from "./import-and-read.ts";

interface Post {
  readonly path: string;
  readonly query: string;
  readonly loadTest: string;
  readonly contentType: string | undefined;
  readonly text?: string;
  /** In base64, of what is not text. */
  readonly body?: string;
}

type Door = Pick<Imported, "endpoints" | "users"> & {
  readonly measures: MeasuresJson["measures"];
  readonly quality: readonly string[];
  /** Sentences by code. */
  readonly remarks: Readonly<Record<string, string>>;
};

const fixture = (name: string): Uint8Array => readFixture(`replays/${name}`);

async function fileDoor(name: string): Promise<Door> {
  const imported = await importAndRead(fixture(name));
  return { ...imported, ...(await factsOf(imported.points, LOAD_TEST_ID)) };
}

/** What a tool has sent to a load test of this id, in its order. */
async function liveDoor(tool: string, id: string, { signal = "", query = "" } = {}): Promise<Door> {
  const posts = Buffer.from(fixture(`${tool}-posts.ndjson`))
    .toString()
    .trim()
    .split("\n");
  const world = await createTestServer();
  const key = await world.makeKey("write");
  for (const post of posts.map((line) => JSON.parse(line) as Post)) {
    if (post.loadTest !== id || !post.path.endsWith(signal)) continue;
    const url = [post.query, query].filter(Boolean).join("&");
    const answer = await world.server.inject({
      method: "POST",
      url: `${post.path}${url && `?${url}`}`,
      headers: {
        host: "127.0.0.1",
        "x-service-auth": key,
        "x-load-test": id,
        ...(post.contentType !== undefined && { "content-type": post.contentType }),
      },
      payload: post.text ?? Buffer.from(post.body ?? "", "base64"),
    });
    expect([200, 204]).toContain(answer.statusCode);
  }
  await world.server.close();
  const { points } = world.store;
  return { ...(await readBack(points, id)), ...(await factsOf(points, id)) };
}

async function factsOf(
  points: Points,
  id: string,
): Promise<Pick<Door, "measures" | "quality" | "remarks">> {
  const run = { loadTestId: id, range: undefined };
  const { quality } = await summarise(points, {
    ...run,
    selection: ALL_ENDPOINTS,
    apdexMicros: undefined,
  });
  const { measures, unstored } = await readMeasures(points, run);
  expect(Object.values(unstored).every((values) => values === 0)).toBe(true);
  return {
    measures,
    quality: quality.map(({ code }) => code),
    remarks: Object.fromEntries(quality.map(({ code, message }) => [code, message])),
  };
}

/** What is compared where a door has less than the other. */
function timesOf({ endpoints }: Door): Record<string, object> {
  return Object.fromEntries(
    endpoints.map((endpoint) => {
      const { histogram } = endpoint;
      return [endpoint.label, { ...figuresOfEndpoint(endpoint), histogram }];
    }),
  );
}

function countsOf({ endpoints }: Pick<Door, "endpoints">): Record<string, readonly number[]> {
  return Object.fromEntries(
    endpoints.map((endpoint) => {
      const { count, errors } = figuresOfEndpoint(endpoint);
      return [endpoint.label, [count, errors]];
    }),
  );
}

const TRANSACTION = "Checkout, flow";

function withoutGenerator({ users }: Door): readonly object[] {
  return users.map((own) => ({ ...own, generator: "" }));
}

function isSubresult(label: string): boolean {
  return /^Old-\d$/.test(label);
}

function ofWhole(measures: Door["measures"]): Door["measures"] {
  return measures.filter(({ endpoint }) => endpoint === undefined);
}

function figuresOf({ endpoints }: Door): readonly (readonly [string, object])[] {
  return endpoints.map((endpoint) => [endpoint.label, figuresOfEndpoint(endpoint)]);
}

function averageOf({ endpoints }: Door, wanted: string): number {
  const endpoint = endpoints.find(({ label }) => label === wanted);
  return endpoint === undefined ? Number.NaN : figuresOfEndpoint(endpoint).avgMs;
}

function countersOf({ measures }: Door): Readonly<Record<string, number>> {
  const counters = measures.filter(({ kind }) => kind === "counter");
  return Object.fromEntries(counters.map(({ name, sum }) => [name, sum]));
}

function kindsOf({ measures }: Door): Readonly<Record<string, string>> {
  return Object.fromEntries(measures.map(({ name, kind }) => [name, kind]));
}

describe("JMeter", async () => {
  const file = await fileDoor("jmeter-samples.jtl");
  const main = { ...file, endpoints: file.endpoints.filter(({ label }) => !isSubresult(label)) };

  test("the file is read as by an independent reader", async () => {
    const bytes = fixture("jmeter-samples.jtl");
    expect(readingDifferences(await importAndRead(bytes), readResults(bytes))).toEqual([]);
    const requests = main.endpoints.filter(({ label }) => label !== TRANSACTION);
    const counts = requests.map((endpoint) => figuresOfEndpoint(endpoint));
    // As JMeter's summary on the console.
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(295);
    expect(counts.reduce((sum, { errors }) => sum + errors, 0)).toBe(122);
    expect(file.quality).toEqual([]);
  });

  test("our listener sends all that is in the file", async () => {
    const own = await liveDoor("jmeter", "own");
    expect(own.endpoints).toEqual(file.endpoints);
    expect(own.measures).toEqual(file.measures);
    expect(withoutGenerator(own)).toEqual(withoutGenerator(file));
    expect(own.quality).toEqual([]);
  });

  test("JMeter's raw listener sends the same times, and the quality says what it leaves out", async () => {
    const raw = await liveDoor("jmeter", "raw", { query: "transactions=Checkout*" });
    const stripped = Object.entries(timesOf(main)).map(([label, times]) => {
      return [label.replace(/"$/, ""), times] as const;
    });
    expect(timesOf(raw)).toEqual(Object.fromEntries(stripped));
    const phases = new Set(["latency", "connect"]);
    const wanted = file.measures.filter(
      ({ name, endpoint }) => phases.has(name) && !isSubresult(endpoint?.label ?? ""),
    );
    expect(ofWhole(raw.measures)).toEqual(ofWhole(wanted));
    expect(raw.measures).toHaveLength(wanted.length);
    expect(raw.quality).toEqual([
      "sizes-not-recorded",
      "failure-reasons-not-recorded",
      "users-not-recorded",
      "tool-sends-less",
    ]);
  });

  test("JMeter's merging listener sends the same sums, and the quality says what it leaves out", async () => {
    const merged = await liveDoor("jmeter", "merged");
    expect(figuresOf(merged)).toEqual(figuresOf(main));
    expect(merged.measures).toEqual([]);
    expect(merged.quality).toEqual(["no-distribution", "tool-sends-less", "percentiles-reported"]);
    expect(merged.remarks["tool-sends-less"]).toContain(
      "sums per interval (5 s by default), so that what happened within one is unknown",
    );
  });
});

describe("Locust", async () => {
  const log = await fileDoor("locust-requests.csv");
  const rows = parse<Record<string, string>>(Buffer.from(fixture("locust-run_stats.csv")), {
    columns: true,
  });
  const reported = rows
    .filter(({ Name }) => Name !== "Aggregated")
    .map((row) => ({
      label: `${row["Type"]} ${row["Name"]}`,
      name: row["Name"] ?? "",
      counts: [Number(row["Request Count"]), Number(row["Failure Count"])],
      averageMs: Number(row["Average Response Time"]),
    }));
  const counts = Object.fromEntries(reported.map(({ label, counts: own }) => [label, own]));

  test("our plugin sends all that is in the log of requests, and users", async () => {
    const own = await liveDoor("locust", "own");
    expect(own.endpoints).toEqual(log.endpoints);
    expect(own.measures).toEqual(log.measures);
    expect(log.quality).toEqual(["users-not-recorded"]);
    expect(own.quality).toEqual([]);
    expect(Math.max(...own.users.map(({ active }) => active))).toBe(6);
  });

  test("log and history have what Locust reports, and the quality says what the history leaves out", async () => {
    const history = await fileDoor("locust-run_stats_history.csv");
    expect(countsOf(log)).toEqual(counts);
    expect(countsOf(history)).toEqual(counts);
    for (const { label, averageMs } of reported) {
      // The log has two decimals.
      expect(averageOf(log, label)).toBeCloseTo(averageMs, 1);
      expect(averageOf(history, label)).toBeCloseTo(averageMs, 2);
    }
    expect(history.quality).toEqual([
      "no-distribution",
      "failure-reasons-not-recorded",
      "percentiles-reported",
    ]);
  });

  test("its spans are the same requests, but for the judgement of the script", async () => {
    const spans = await liveDoor("locust", "otel", { signal: "traces" });
    const judged = { "GET 404 is fine": true, "GET wrong body": false };
    const wanted = Object.entries(counts).map(([label, [count = 0, failed = 0]]) => {
      const isPassed = judged[label as keyof typeof judged];
      return [label, [count, isPassed === undefined ? failed : isPassed ? count : 0]];
    });
    expect(countsOf(spans)).toEqual(Object.fromEntries(wanted));
    for (const { label, averageMs } of reported) {
      // A span begins and ends at other moments than Locust's own clock.
      expect(Math.abs(averageOf(spans, label) - averageMs)).toBeLessThan(5);
    }
    expect(spans.quality).toEqual(["sizes-not-recorded", "users-not-recorded", "telemetry"]);
  });

  test("its histogram has the same requests by name", async () => {
    const histogram = await liveDoor("locust", "otel", { signal: "metrics" });
    expect(countsOf(histogram)).toEqual(
      Object.fromEntries(reported.map(({ name, counts: own }) => [name, own])),
    );
    for (const { name, averageMs } of reported) {
      expect(averageOf(histogram, name)).toBeCloseTo(averageMs, 2);
    }
    expect(histogram.remarks["telemetry"]).toContain("Locust's names have no method");
    expect(histogram.quality).toEqual([
      "no-distribution",
      "sizes-not-recorded",
      "users-not-recorded",
      "telemetry",
    ]);
  });
});

describe("Artillery", async () => {
  const file = await fileDoor("artillery-report.json");
  const live = await liveDoor("artillery", "otel");

  const labels = {
    "GET /": "/",
    "GET /missing": "/missing",
    "GET /reset": "/reset",
    "POST /cart": "/cart",
    list: "/products (list)",
  };

  test("its spans are the requests of the report", () => {
    const of = countsOf(file);
    expect(countsOf(live)).toEqual(
      Object.fromEntries(Object.entries(labels).map(([label, own]) => [label, of[own]])),
    );
    expect(live.quality).toEqual(["sizes-not-recorded", "users-not-recorded", "telemetry"]);
  });

  test("the quality says how labels, times and distributions differ from the report's", () => {
    for (const [label, own] of Object.entries(labels)) {
      expect(averageOf(live, label)).toBeGreaterThan(averageOf(file, own));
    }
    const name = "http.response_time.2xx";
    expect(kindsOf(file)[name]).toBe("distribution");
    expect(kindsOf(live)[`${name}.p95`]).toBe("gauge");
    expect(live.remarks["telemetry"]).toContain(
      "Artillery's report has other labels, times to the first byte, and distributions that arrive here as gauges",
    );
  });

  test("its counters are those of the report", () => {
    const wanted = countersOf(file);
    expect(Object.keys(wanted)).toContain("http.downloaded_bytes");
    expect(countersOf(live)).toMatchObject(wanted);
  });
});
