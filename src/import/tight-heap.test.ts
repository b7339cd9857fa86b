import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import type { MeasurementBatch } from "../model/data-points.ts";
import type { DecodePoints, DecodeSummary, TakeBatch } from "./decode-points.ts";
import { inTightHeap, LABELS_MANY, SERVER_FLAG, TIGHT_FLAG } from "./heap-limits.ts";

const SUMMARY: DecodeSummary = {
  recorded: 1,
  rejected: 0,
  rejections: [],
  repairs: [],
  truncatedAt: undefined,
  notes: [],
  events: [],
  quality: {
    unrecorded: [],
    untimedRequests: 0,
    averagedRequests: 0,
    windowSeconds: 1,
    rejectedRows: 0,
  },
};

test.each([
  { labels: [1, LABELS_MANY - 1], flags: [] },
  { labels: [1, LABELS_MANY, LABELS_MANY + 1], flags: [TIGHT_FLAG] },
])("a source that reaches $labels labels sets $flags", async ({ labels, flags }) => {
  const stretches = labels.map(
    (length) => ({ labels: Array.from({ length }) }) as unknown as MeasurementBatch,
  );
  const taken: MeasurementBatch[] = [];
  const set: string[] = [];
  const take = async (measured: MeasurementBatch) => void taken.push(measured);
  const give = async (to: TakeBatch): Promise<DecodeSummary> => {
    for (const stretch of stretches) await to(stretch);
    return SUMMARY;
  };
  const decodePoints: DecodePoints = (...[, , to]) => give(to);
  const digests = { sizeBytes: 0, digest: "", marks: "", lastMarkAt: 0 };
  const end = {
    ...digests,
    beginnings: new Map<never, never>(),
    truncatedAt: undefined,
    markBytes: 0,
  };
  const decoding = inTightHeap(
    { decodePoints, decodeFile: async (...[, , to]) => ({ ...(await give(to)), end }) },
    (flag) => set.push(flag),
  );
  const [bytes, file, job] = [[], {}, {}] as unknown as [never, never, never];
  expect(await decoding.decodePoints(bytes, job, take)).toBe(SUMMARY);
  expect([taken, set]).toEqual([stretches, flags]);
  expect(await decoding.decodeFile(file, job, take)).toEqual({ ...SUMMARY, end });
  expect([taken, set]).toEqual([
    [...stretches, ...stretches],
    [...flags, ...flags],
  ]);
});

test.each([TIGHT_FLAG, SERVER_FLAG])("this Node knows %s", (flag) => {
  expect(() => execFileSync(process.execPath, [flag, "--eval", ""])).not.toThrow();
});
