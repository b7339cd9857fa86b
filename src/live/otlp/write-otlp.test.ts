import { describe, expect, test } from "vitest";
import { requestsByLabel } from "../../../test/support/batches.ts";
import { measuresIn } from "../../../test/support/measures.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { UserError } from "../../model/errors.ts";
import { summarise } from "../../query/open-summary.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { Store } from "../../store/store.ts";
import { OtlpMemories } from "./memories.ts";
import { createOtlpWriter, type OtlpWrite } from "./write-otlp.ts";
import { recording } from "../../../test/support/recording.ts";

/** What a tool has sent. */
function captured(name: string): readonly OtlpWrite[] {
  const lines = recording(`otlp/${name}.capture.ndjson.gz`);
  return lines
    .toString()
    .trim()
    .split("\n")
    .map((line) => {
      const { path: to, contentType, body } = JSON.parse(line) as Record<string, string>;
      return {
        target: { loadTestId: "run" },
        signal: to === "/v1/traces" ? "traces" : "metrics",
        form: contentType === "application/json" ? "json" : "protobuf",
        body: Buffer.from(body ?? "", "base64"),
      };
    });
}

/** What the tool itself reported. */
function reportedBy(name: string): Record<string, never> {
  const text = recording(`otlp/${name}.expected.json`).toString();
  return (JSON.parse(text) as { reportedByTool: Record<string, never> }).reportedByTool;
}

const LOCUST = captured("gen-locust-2.47.0");
const OF_LOCUST: Readonly<Record<string, { requests: number; averageMs: number }>> =
  reportedBy("gen-locust-2.47.0");

/** As another process would: everything but the store is forgotten. */
async function writeAll(store: Store, writes: readonly OtlpWrite[]) {
  const memories = new OtlpMemories();
  const write = createOtlpWriter({
    store,
    memories,
    project: undefined,
    now: () => 1_795_690_000_000,
  });
  const reports = [];
  for (const each of writes) reports.push(await write(each));
  return reports;
}

async function formats(store: Store): Promise<readonly (string | undefined)[]> {
  const live = await store.points.liveSources("run");
  return live.map(({ sourceId }) => sourceId).toSorted();
}

/** An export of Locust after this many jobs, and as many requests. */
function exported(second: number, count: number): OtlpWrite {
  const times = {
    startTimeUnixNano: "1000000000000",
    timeUnixNano: String(1000 + second) + "0".repeat(9),
  };
  const attributes = [{ key: "name", value: { stringValue: "GET /" } }];
  const histogram = {
    ...times,
    attributes,
    count,
    sum: count,
    bucketCounts: [count],
    explicitBounds: [],
  };
  const metrics = [
    {
      name: "jobs",
      sum: {
        isMonotonic: true,
        aggregationTemporality: 2,
        dataPoints: [{ ...times, asInt: count }],
      },
    },
    {
      name: "locust.client.duration",
      unit: "ms",
      histogram: { aggregationTemporality: 2, dataPoints: [histogram] },
    },
  ];
  const resource = { attributes: [{ key: "service.name", value: { stringValue: "locust" } }] };
  const body = Buffer.from(
    JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] }),
  );
  return { target: { loadTestId: "run" }, signal: "metrics", form: "json", body };
}

const refuse = (): Promise<never> => Promise.reject(new UserError("storage-full", "full"));

const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]) =>
  left < right ? -1 : 1;

describe("Locust", () => {
  const counts = Object.entries(OF_LOCUST)
    .map(([name, { requests }]) => [name, requests] as const)
    .toSorted(byName);
  // Its own histogram knows names, not methods.
  const withoutMethods = counts
    .map(([name, requests]) => [name.replace(/^\w+ /, ""), requests] as const)
    .toSorted(byName);

  test("spans are requests, as many as Locust counted", async () => {
    const store = openMemoryStore();
    const reports = await writeAll(
      store,
      LOCUST.filter(({ signal }) => signal === "traces"),
    );
    expect((await requestsByLabel(store)).toSorted(byName)).toEqual(counts);
    expect(reports).toEqual([1, 2].map(() => ({ rejected: 0, remarks: [] })));
  });

  test("its histogram counts the same requests, if there are no spans", async () => {
    const store = openMemoryStore();
    await writeAll(
      store,
      LOCUST.filter(({ signal }) => signal === "metrics"),
    );
    expect((await requestsByLabel(store)).toSorted(byName)).toEqual(withoutMethods);
    expect(await formats(store)).toContain("otlp-tool-histogram.locust");
  });

  test("of spans and histograms, the spans stay, in whatever order they come", async () => {
    for (const writes of [LOCUST, LOCUST.toReversed()]) {
      const store = openMemoryStore();
      await writeAll(store, writes);
      expect((await requestsByLabel(store)).toSorted(byName)).toEqual(counts);
    }
  });

  test("spans that cannot be read count once in the quality of their source", async () => {
    const span = {
      traceId: "0af7651916cd43dd8448eb211c80319c",
      spanId: "b7ad6b7169203331",
      kind: 3,
    };
    const attributes = [{ key: "service.name", value: { stringValue: "locust" } }];
    const spans = [{ ...span, name: "GET /", startTimeUnixNano: "0", endTimeUnixNano: "1" }];
    const resourceSpans = [{ resource: { attributes }, scopeSpans: [{ spans }] }];
    const body = Buffer.from(JSON.stringify({ resourceSpans }));
    const write = { target: { loadTestId: "run" }, signal: "traces", form: "json", body } as const;
    const store = openMemoryStore();
    const [report] = await writeAll(store, [write, write]);
    await writeAll(store, [write]);
    expect(report).toMatchObject({ rejected: 1 });
    expect(await store.points.liveSources("run")).toMatchObject([
      { sourceId: "otlp-spans.locust", quality: { rejectedRows: 1 } },
    ]);
  });

  test("the same bodies twice count once, also after a restart", async () => {
    const store = openMemoryStore();
    await writeAll(store, [...LOCUST, ...LOCUST]);
    await writeAll(store, LOCUST);
    expect((await requestsByLabel(store)).toSorted(byName)).toEqual(counts);
  });

  const metrics = LOCUST.filter(({ signal }) => signal === "metrics");

  test("totals go on after any number of restarts", async () => {
    const store = openMemoryStore();
    for (const each of metrics) await writeAll(store, [each]);
    expect((await requestsByLabel(store)).toSorted(byName)).toEqual(withoutMethods);
  });

  test("a body whose totals could not be stored counts once, when it is sent again", async () => {
    const store = openMemoryStore();
    const senderState: Store["senderState"] = (id) => ({
      ...store.senderState(id),
      replace: refuse,
    });
    for (const each of metrics) {
      await expect(writeAll({ ...store, senderState }, [each])).rejects.toThrow("full");
      await writeAll(store, [each]);
    }
    expect((await requestsByLabel(store)).toSorted(byName)).toEqual(withoutMethods);
  });

  test("a body of which a part could not be stored counts once, when it is sent again", async () => {
    const store = openMemoryStore();
    let room = 1;
    const append: Store["points"]["append"] = (batch) =>
      room-- > 0 ? store.points.append(batch) : refuse();
    const full = { ...store, points: { ...store.points, append } };
    const given = {
      memories: new OtlpMemories(),
      project: undefined,
      now: () => 1_795_690_000_000,
    };
    const write = createOtlpWriter({ store: full, ...given });
    const [first] = metrics;
    if (first === undefined) throw new Error("nothing is captured");
    await expect(write(first)).rejects.toThrow("full");
    room = Infinity;
    for (const each of metrics) await write(each);
    expect((await requestsByLabel(store)).toSorted(byName)).toEqual(withoutMethods);
  });

  test.each([false, true])(
    "increases count once though only those of measures could be stored (sent again: %s)",
    async (isSentAgain) => {
      const store = openMemoryStore();
      let isFull = false;
      const append: Store["points"]["append"] = (batch) =>
        isFull && batch.format !== "otlp-metrics" ? refuse() : store.points.append(batch);
      const write = createOtlpWriter({
        store: { ...store, points: { ...store.points, append } },
        memories: new OtlpMemories(),
        project: undefined,
        now: () => 1_795_690_000_000,
      });
      await write(exported(1, 10));
      isFull = true;
      await expect(write(exported(2, 20))).rejects.toThrow("full");
      isFull = false;
      if (isSentAgain) await write(exported(2, 20));
      await write(exported(3, 30));
      expect(await requestsByLabel(store)).toEqual([["GET /", 30]]);
      const snapshot = await store.points.snapshot("run");
      const { sums } = await measuresIn(snapshot as NonNullable<typeof snapshot>);
      expect(sums.sumNanos.reduce((sum, nanos) => sum + nanos, 0) / 1e9).toBe(30);
    },
  );

  test("totals of a deleted load test are forgotten", async () => {
    const store = openMemoryStore();
    for (let time = 0; time < 2; time++) {
      await writeAll(store, metrics);
      await store.loadTests.delete("run");
      expect(await store.senderState("run").find()).toBeUndefined();
    }
    await writeAll(store, metrics);
    expect((await requestsByLabel(store)).toSorted(byName)).toEqual(withoutMethods);
  });
});

test("k6's own output gives the requests, failures and averages of its summary", async () => {
  const store = openMemoryStore();
  await writeAll(store, captured("gen-k6-1.8.1"));
  const reported: Readonly<Record<string, Readonly<Record<string, number>>>> =
    reportedBy("gen-k6-1.8.1");
  const { endpoints } = await summarise(store.points, {
    loadTestId: "run",
    selection: ALL_ENDPOINTS,
    range: undefined,
    apdexMicros: undefined,
  });
  const got = endpoints.map(({ label, count, errCount, avgLoadTime }) => [
    label,
    [count, errCount, avgLoadTime],
  ]);
  expect(Object.fromEntries(got)).toEqual(
    Object.fromEntries(
      Object.entries(reported).map(([name, { requests, failed, averageMs = 0 }]) => [
        name,
        // k6 does not check a request without a callback, which got 404.
        [requests, name === "unchecked" ? 80 : failed, expect.closeTo(averageMs / 1000, 5)],
      ]),
    ),
  );
  expect(await formats(store)).toEqual(["otlp-metrics", "otlp-tool-histogram.k6"]);
});

test("Artillery's spans are requests; a followed redirect is one", async () => {
  const store = openMemoryStore();
  const writes = captured("gen-artillery-2.0.34");
  await writeAll(store, writes);
  const counters: Readonly<Record<string, number>> = reportedBy("gen-artillery-2.0.34");
  const redirects = counters["http.codes.302"] ?? 0;
  const stored = new Map(await requestsByLabel(store));
  expect([...stored.values()].reduce((sum, requests) => sum + requests)).toBe(
    (counters["http.requests"] ?? 0) - redirects,
  );
  expect(stored.get("GET /reset")).toBe(counters["errors.ECONNRESET"]);
  expect(stored.get("GET /missing")).toBe(counters["http.codes.404"]);
  expect(stored.get("GET /old")).toBe(redirects);
});
