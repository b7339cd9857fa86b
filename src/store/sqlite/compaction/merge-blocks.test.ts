import { expect, test } from "vitest";
import { type DenseShape, densePoints } from "../../../../test/support/dense-points.ts";
import { pointsOf as plainPoints } from "../../../../test/support/plain-points.ts";
import { failureTable, userTable } from "../../../../test/support/plain-details.ts";
import { MeasureAccumulator } from "../../../aggregate/measure-accumulator.ts";
import { NO_MEASURES } from "../../../model/measures/measure-table.ts";
import { mergeMeasures } from "../../../model/measures/merge-measures.ts";
import { mergeFailures } from "../../../model/failures.ts";
import { mergePoints } from "../../../model/merge-points.ts";
import { mergeUsers } from "../../../model/active-users.ts";
import { decodeBlock } from "../../block/block.ts";
import { decodeFailures, decodeUsers } from "../../block/detail-segments.ts";
import { decodeMeasures } from "../../block/measures-segment.ts";
import type { BlockRow, EncodedBlock } from "../blocks/block-rows.ts";
import {
  type Arrangement,
  encodeFailureBlocks,
  encodeMeasureBlocks,
  encodePoints,
  encodeUserBlocks,
} from "../blocks/encode-blocks.ts";
import { mergeBlocks } from "./merge-chunks.ts";
import { inOrder } from "../../numbered-points.ts";

const FIRST_SECOND = 1_790_000_000;

/** Merges blocks in memory. `steps` counts the yields. */
function merge(encoded: readonly EncodedBlock[], arrangement: Arrangement) {
  const crcs = { plain_crc: 0, distribution_crc: 0 };
  const rows = encoded.map((block, number): BlockRow => {
    const { segments: _, ...about } = block;
    return { ...about, ...crcs, number, load_test: 1, source: 1 };
  });
  const segmentsOf = ({ number }: BlockRow) => (encoded[number] as EncodedBlock).segments;
  const kind = rows[0]?.kind ?? "points";
  const yielded = [...mergeBlocks({ kind, blocks: rows, arrangement, segmentsOf, stepRows: 4096 })];
  const made = yielded.filter((block) => block !== undefined);
  return { made, steps: yielded.length };
}

function pointsOf({ segments: { plain, distribution } }: EncodedBlock) {
  if (distribution === undefined) throw new Error("points have a distribution");
  return decodeBlock({ plain, distribution });
}

const shape = { requestsPerPoint: 2, firstSecond: FIRST_SECOND };

test.each<[string, readonly DenseShape[], Arrangement, number[]]>([
  ["seconds of few endpoints", seconds(20, { endpoints: 40 }), "mixed", [800]],
  ["seconds of few endpoints", seconds(20, { endpoints: 40 }), "grouped", [320, 320, 160]],
  [
    "the same second several times",
    Array.from({ length: 5 }, () => ({ ...shape, endpoints: 40, seconds: 1 })),
    "mixed",
    [40],
  ],
  ["minutes", seconds(5, { endpoints: 20, seconds: 100 }), "grouped", [8000, 2000]],
  ["many endpoints", seconds(6, { endpoints: 5000 }), "mixed", [8184, 8184, 8184, 5448]],
  [
    "more of a group than a block takes",
    seconds(3, { endpoints: 2, seconds: 4000 }),
    "grouped",
    [12_000, 12_000],
  ],
  ["one block", seconds(1, { endpoints: 40 }), "grouped", [16, 16, 8]],
])("%s are merged: %#", (_, shapes, arrangement, sizes) => {
  const parts = shapes.map((each, seed) => densePoints(each, seed));
  const { made, steps } = merge(
    parts.flatMap((part) => [...encodePoints(inOrder(part), "mixed")]),
    arrangement,
  );
  expect(mergePoints(made.map(pointsOf))).toEqual(mergePoints(parts));
  expect(made.map(({ points }) => points)).toEqual(sizes);
  const isGrouped = made.map(({ endpoint_group }) => endpoint_group !== null);
  expect(isGrouped).toEqual(made.map(() => arrangement === "grouped"));
  expect(steps).toBeGreaterThan(made.length);
});

test("small groups are merged together, and stored apart", () => {
  const parts = seconds(6, { endpoints: 2000 }).map((each, seed) => densePoints(each, seed));
  const { made, steps } = merge(
    parts.flatMap((part) => [...encodePoints(inOrder(part), "mixed")]),
    "grouped",
  );
  expect(mergePoints(made.map(pointsOf))).toEqual(mergePoints(parts));
  expect(made.map(({ points }) => points)).toEqual(Array.from({ length: 125 }, () => 96));
  // 12,000 rows in three merges, and a block for each 16 endpoints.
  expect(steps).toBeLessThan(125 + 20);
});

/** Returns shapes of consecutive batches. */
function seconds(batches: number, about: { endpoints: number; seconds?: number }): DenseShape[] {
  const each = { seconds: 1, ...shape, ...about };
  return Array.from({ length: batches }, (_, batch) => ({
    ...each,
    firstSecond: FIRST_SECOND + batch * each.seconds,
  }));
}

test("endpoints in only some of the blocks are merged, and so are gaps between them", () => {
  const parts = [0, 1, 2].map((part) => {
    const points = densePoints({ ...shape, endpoints: 9, seconds: 2 }, part);
    return { ...points, endpoint: points.endpoint.map((endpoint) => part * 7 + 100 * endpoint) };
  });
  for (const arrangement of ["mixed", "grouped"] as const) {
    const { made } = merge(
      parts.flatMap((part) => [...encodePoints(inOrder(part), "grouped")]),
      arrangement,
    );
    expect(mergePoints(made.map(pointsOf))).toEqual(mergePoints(parts));
  }
});

test("merging windows keeps the longest", () => {
  const points = densePoints({ ...shape, endpoints: 3, seconds: 1 });
  const part = { ...points, windowSeconds: Uint16Array.of(1, 10, 60) };
  const { made } = merge(
    [part, points].flatMap((each) => [...encodePoints(inOrder(each), "mixed")]),
    "mixed",
  );
  expect(made.map((block) => [...(pointsOf(block).windowSeconds ?? [])])).toEqual([[1, 10, 60]]);
});

test("failures are merged", () => {
  const parts = [0, 1, 2].map((part) =>
    failureTable(
      Array.from({ length: 60 }, (_, index) => ({
        endpoint: (index * 7) % 30,
        code: String(500 + ((index + part) % 3)),
        message: "",
        second: FIRST_SECOND + (index % 2) + part,
        requests: 1 + index,
      })),
    ),
  );
  const { made } = merge(
    parts.flatMap((part) => [...encodeFailureBlocks(part)]),
    "grouped",
  );
  const decoded = made.map(({ segments }) => decodeFailures(segments.plain));
  expect(mergeFailures(decoded)).toEqual(mergeFailures(parts));
});

test("users are merged per source", () => {
  const parts = [0, 1, 2].map((second) => ({
    sourceId: `source ${second % 2}`,
    users: userTable([{ generator: "host", second: 1 + second, active: 5, started: 1, ended: 0 }]),
  }));
  const { made } = merge(
    parts.flatMap((part) => [...encodeUserBlocks([part])]),
    "mixed",
  );
  expect(made).toHaveLength(1);
  const decoded = made.flatMap(({ segments }) => decodeUsers(segments.plain));
  expect(decoded).toEqual([
    {
      sourceId: "source 0",
      users: mergeUsers([parts[0], parts[2]].map((part) => part?.users ?? userTable([]))),
    },
    { sourceId: "source 1", users: parts[1]?.users },
  ]);
});

test("measures of many blocks are merged as if all at once", () => {
  const tables = Array.from({ length: 50 }, (_, second) => {
    const measures = new MeasureAccumulator();
    for (const name of ["a", "b", `only ${second}`]) {
      const series = { label: undefined, name, unit: "", kind: "gauge", tags: [] } as const;
      measures.add(measures.seriesOf(series), 1000 * (FIRST_SECOND + second), second);
    }
    return measures.take() ?? NO_MEASURES;
  });
  const { made } = merge(
    tables.flatMap((table) => [...encodeMeasureBlocks(table)]),
    "mixed",
  );
  const decoded = made.map(({ segments }) => decodeMeasures(segments.plain));
  expect(mergeMeasures(decoded)).toEqual(mergeMeasures(tables));
});

test("passed and failed times stay apart, also where a second is mixed only once merged", () => {
  const samples = Array.from({ length: 3000 }, (_, at) => ({
    endpoint: (at * 7) % 20,
    second: FIRST_SECOND + (at % 97),
    elapsedMicros: (at * 7919) % 100_003,
    receivedBytes: 1,
    failed: at % 5 === 0,
  }));
  const parts = [samples.slice(0, 900), samples.slice(900, 2000), samples.slice(2000)];
  const { made } = merge(
    parts.flatMap((part) => [...encodePoints(inOrder(plainPoints(part)), "mixed")]),
    "grouped",
  );
  expect(mergePoints(made.map(pointsOf))).toEqual(plainPoints(samples));
});
