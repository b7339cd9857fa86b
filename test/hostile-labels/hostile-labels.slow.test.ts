import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openMetrics } from "../../src/query/read-metrics.ts";
import { METRICS_FORMATS, type MetricsFormat } from "../../src/render/renderer.ts";
import { answersOf, type IndependentAnswer } from "../independent/answers.mjs";
import type { IndependentSample } from "../independent/read-results.mjs";
import { importAndRead, LOAD_TEST_ID } from "../samples/import-and-read.ts";
import { createTestServer } from "../support/test-server.ts";
import { HOSTILE_LABELS, TOO_LONG_LABEL } from "./labels.ts";
import { PLANNED_REQUESTS, planRequests } from "./plan.ts";
import { type PlannedRequest, type Writer, WRITERS } from "./writers.ts";

/** Without NUL: a file that contains it is damaged. */
const anyLabel = fc
  .string({ unit: "binary", maxLength: 40 })
  .map((label) => label.replaceAll("\0", ""));

describe.each(WRITERS)("hostile labels in $format", (writer) => {
  const bytes = Buffer.from(writer.write(PLANNED_REQUESTS));
  const answers = answersOf(understood(PLANNED_REQUESTS, writer));

  test("every label is imported under its own name", async () => {
    const { outcome, endpoints } = await importAndRead(bytes);
    expect(outcome).toMatchObject({ recorded: PLANNED_REQUESTS.length, rejected: 0 });
    expect(endpoints.map(({ label }) => label)).toEqual(answers.map(({ label }) => label));
    expect(endpoints).toHaveLength(HOSTILE_LABELS.length);
  });

  test("HTTP returns every label in every format, by hash and by filter", async () => {
    const get = await serve(bytes);
    for (const format of METRICS_FORMATS) {
      for (const { hash, label } of answers) {
        const byHash = answers.filter((other) => other.hash === hash);
        expect(await get({ hash, format })).toEqual(inFormat(byHash, format));
        if (label === "") continue;
        const byFilter = answers.filter((other) => other.label.includes(label));
        expect(await get({ filter: label, format })).toEqual(inFormat(byFilter, format));
      }
    }
  });

  test("any other label is imported as well", async () => {
    const labels = fc.uniqueArray(anyLabel, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(labels, async (some) => {
        const requests = planRequests(some);
        const { endpoints } = await importAndRead(Buffer.from(writer.write(requests)));
        const wanted = inFormat(answersOf(understood(requests, writer)), "csv");
        expect(endpoints.map(({ items }) => items.csv)).toEqual(wanted);
      }),
    );
  });

  test("only a label of 1,025 bytes is shortened and reported", async () => {
    const [first, ...rest] = PLANNED_REQUESTS as [PlannedRequest, ...PlannedRequest[]];
    const text = writer.write([first, { ...first, label: TOO_LONG_LABEL }, ...rest]);
    const { report } = await importAndRead(Buffer.from(text));
    const recorded = PLANNED_REQUESTS.length + 1;
    expect(report?.samples).toEqual({ read: recorded, recorded, rejected: 0 });
    const reason: unknown = expect.stringContaining("1024 bytes");
    const byte: unknown = expect.any(Number);
    const places = [{ line: lineOf(text, "长"), byte, reason }];
    expect(report?.repairs).toMatchObject([{ kind: "label-shortened", rows: 1, places }]);
  });
});

/** Imports a file and returns the response of GET /Api/Metrics. */
async function serve(
  bytes: Uint8Array,
): Promise<(query: Record<string, string>) => Promise<unknown>> {
  const { points } = await importAndRead(bytes);
  const { server, key } = await createTestServer({
    dependencies: { openMetrics: (query) => openMetrics(points, query) },
  });
  return async (query) => {
    const answer = await server.inject({
      url: "/Api/Metrics",
      query: { loadTestId: LOAD_TEST_ID, ...query },
      headers: { "x-service-auth": key },
    });
    return answer.json();
  };
}

function inFormat(answers: readonly IndependentAnswer[], format: MetricsFormat): unknown {
  return answers.map(({ hash, label, ...data }) => ({ hash, label, data: data[format] }));
}

/** The requests as an importer should read them. */
function understood(
  requests: readonly PlannedRequest[],
  { recordsBytes }: Writer,
): IndependentSample[] {
  return requests.map(({ label, startMs, elapsedMs, receivedBytes, failed }) => ({
    label,
    second: BigInt(Math.floor(startMs / 1000)),
    micros: BigInt(elapsedMs * 1000),
    bytes: BigInt(recordsBytes ? receivedBytes : 0),
    requests: 1n,
    failed: failed ? 1n : 0n,
  }));
}

function lineOf(text: string, marker: string): number {
  return text.slice(0, text.indexOf(marker)).split("\n").length;
}
