import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { answersOf } from "../independent/answers.mjs";
import type { IndependentSample } from "../independent/read-results.mjs";
import { METRICS_FORMATS } from "../../src/render/renderer.ts";
import { importAndRead, isRead, readItems } from "../samples/import-and-read.ts";
import { HOSTILE_LABELS, TOO_LONG_LABEL } from "./labels.ts";
import { PLANNED_REQUESTS } from "./plan.ts";
import { type PlannedRequest, type Writer, WRITERS } from "./writers.ts";

describe.each(WRITERS.filter(({ format }) => isRead(`${format}/`)))(
  "hostile labels in $format",
  (writer) => {
    const bytes = Buffer.from(writer.write(PLANNED_REQUESTS));

    test("every label survives in every format", async () => {
      const imported = await importAndRead(bytes);
      expect(imported.outcome).toEqual({
        recorded: PLANNED_REQUESTS.length,
        rejected: 0,
        ending: "whole",
        refusal: undefined,
      });
      const answers = answersOf(planned(writer));
      expect(answers).toHaveLength(HOSTILE_LABELS.length);
      for (const format of METRICS_FORMATS) {
        expect(imported.endpoints.map(({ items }) => items[format])).toEqual(
          answers.map(({ hash, label, ...data }) => ({ hash, label, data: data[format] })),
        );
      }
    });

    test("a hash finds exactly its label, and a filter every label that contains it", async () => {
      const { points } = await importAndRead(bytes);
      for (const label of HOSTILE_LABELS) {
        const hash = createHash("sha1").update(label).digest("hex");
        const byHash = await readItems(points, { by: "hash", hash }, "csv");
        expect(byHash.map((item) => item.label)).toEqual([label]);
        const byFilter = await readItems(points, { by: "filter", filter: label }, "csv");
        expect(byFilter.map((item) => item.label)).toEqual(
          sortedByBytes(HOSTILE_LABELS.filter((other) => other.includes(label))),
        );
      }
    });

    test("a label of 1,025 bytes is rejected and reported, and nothing else is", async () => {
      const [first, ...rest] = PLANNED_REQUESTS as [PlannedRequest, ...PlannedRequest[]];
      const tooLong = { ...first, label: TOO_LONG_LABEL };
      const text = writer.write([first, tooLong, ...rest]);
      const { report } = await importAndRead(Buffer.from(text));
      expect(report?.samples).toEqual({
        read: PLANNED_REQUESTS.length + 1,
        recorded: PLANNED_REQUESTS.length,
        rejected: 1,
      });
      expect(report?.rejections).toEqual([
        {
          line: lineOf(text, "长"),
          byte: expect.any(Number),
          reason: expect.stringMatching(/1,?024/),
        },
      ]);
    });
  },
);

/** The requests as an importer should understand them. */
function planned({ recordsBytes }: Writer): IndependentSample[] {
  return PLANNED_REQUESTS.map(({ label, startMs, elapsedMs, receivedBytes, failed }) => ({
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

function sortedByBytes(labels: readonly string[]): string[] {
  return labels.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
}
