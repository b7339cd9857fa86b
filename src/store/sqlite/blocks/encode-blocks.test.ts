import { expect, test } from "vitest";
import { densePoints } from "../../../../test/support/dense-points.ts";
import { type FailureTable, mergeFailures, NO_FAILURES } from "../../../model/failures.ts";
import { type UserTable, mergeUsers } from "../../../model/active-users.ts";
import { mergeMeasures } from "../../../model/measures/merge-measures.ts";
import { type MeasureTable, NO_MEASURES } from "../../../model/measures/measure-table.ts";
import { mergePoints } from "../../../model/merge-points.ts";
import { type Block, decodeBlock } from "../../block/block.ts";
import { decodeFailures, decodeUsers } from "../../block/detail-segments.ts";
import { decodeMeasures } from "../../block/measures-segment.ts";
import { NO_USERS } from "../../stored-details.ts";
import type { EncodedBlock } from "./block-rows.ts";
import {
  encodeBatch,
  encodeFailureBlocks,
  encodeMeasureBlocks,
  encodePoints,
  encodeUserBlocks,
} from "./encode-blocks.ts";
import { inOrder } from "../../numbered-points.ts";

const shape = { endpoints: 40, seconds: 3, requestsPerPoint: 2, firstSecond: 1_790_000_000 };

test.each([
  ["grouped", shape, [48, 48, 24]],
  ["mixed", shape, [120]],
  ["grouped", { ...shape, endpoints: 2, seconds: 10_000 }, [16_384, 3_616]],
  ["mixed", { ...shape, endpoints: 20_000, seconds: 1 }, [16_384, 3_616]],
  ["grouped", { ...shape, endpoints: 0 }, []],
] as const)("%s points are split into blocks: %o", (arrangement, about, sizes) => {
  const points = densePoints(about);
  const blocks = [...encodePoints(inOrder(points), arrangement)];
  expect(blocks.map((block) => block.points)).toEqual(sizes);
  const decoded = blocks.map(({ segments: { plain, distribution } }) => {
    if (distribution === undefined) throw new Error("points have a distribution");
    return decodeBlock({ plain, distribution });
  });
  expect(mergePoints(decoded)).toEqual(points);
});

/** 100 rows with 12,000 used buckets each, of which 87 fit into a block. */
const WIDE = {
  bucketsFrom: Uint32Array.from({ length: 101 }, (_, row) => row * 12_000),
  bucket: Uint16Array.from({ length: 1_200_000 }, (_, entry) => entry % 12_000),
  bucketCount: new Float64Array(1_200_000).fill(1),
};
const TIMES = Uint32Array.from({ length: 100 }, (_, row) => 1_790_000_040 + row * 60);

test("points are split by their used buckets, too", () => {
  const [zeros, wide] = [new Float64Array(100), new Float64Array(100).fill(12_000)];
  const points = {
    endpoint: Uint32Array.from({ length: 100 }, (_, row) => Math.floor(row / 50)),
    second: TIMES,
    requests: wide,
    elapsedMicros: wide,
    receivedBytes: zeros,
    failedRequests: zeros,
    failedElapsedMicros: zeros,
    failedReceivedBytes: zeros,
    minMicros: zeros,
    maxMicros: new Float64Array(100).fill(11_999),
    ...WIDE,
  };
  const blocks = [...encodePoints(inOrder(points), "grouped")];
  expect(blocks.map((block) => block.points)).toEqual([87, 13]);
  const decoded = blocks.map(({ segments }) => decodeBlock(segments as Block));
  expect(mergePoints(decoded)).toEqual(points);
});

test("measures are split by their used buckets, too", () => {
  const series = new Uint32Array(100);
  const [sumMillions, sumNanos] = [new Float64Array(100), new Float64Array(100)];
  const count = new Float64Array(100).fill(12_000);
  const table: MeasureTable = {
    ...NO_MEASURES,
    series: [{ label: undefined, name: "wait", unit: "ms", kind: "distribution", tags: [] }],
    sums: { series, second: TIMES, count, sumMillions, sumNanos },
    histograms: { series, minute: TIMES, min: sumNanos, max: count, ...WIDE },
  };
  const blocks = [...encodeMeasureBlocks(table)];
  expect(blocks.map(({ points }) => points)).toEqual([64, 36]);
  const decoded = blocks.map(({ segments }) => decodeMeasures(segments.plain));
  expect(mergeMeasures(decoded)).toEqual(table);
});

test("many failures are split into blocks, each with its own kinds", () => {
  const rows = 40_000;
  const table: FailureTable = {
    kinds: ["a", "b", "c", "d"].map((message) => ({ code: "", message })),
    counts: {
      endpoint: Uint32Array.from({ length: rows }, (_, row) => Math.floor(row / 20_000)),
      kind: Uint32Array.from({ length: rows }, (_, row) => Math.floor(row / 10_000)),
      second: Uint32Array.from({ length: rows }, (_, row) => 1 + (row % 10_000)),
      requests: new Float64Array(rows).fill(2),
    },
  };
  const blocks = [...encodeFailureBlocks(table)];
  expect(blocks.map(({ points }) => points)).toEqual([16_384, 16_384, 7_232]);
  const decoded = blocks.map(({ segments }) => decodeFailures(segments.plain));
  expect(decoded.map(({ kinds }) => kinds.length)).toEqual([2, 3, 1]);
  expect(mergeFailures(decoded)).toEqual(table);
});

test("users of many sources are split into blocks of limited rows", () => {
  const sources = ["one", "two", "three"].map((sourceId) => ({ sourceId, users: usersOf(20_000) }));
  const blocks = [...encodeUserBlocks(sources)];
  expect(blocks.every(({ points }) => points > 0 && points <= 16_384)).toBe(true);
  const decoded = blocks.flatMap(({ segments }) => decodeUsers(segments.plain));
  for (const { sourceId, users } of sources) {
    const own = decoded.filter((part) => part.sourceId === sourceId).map((part) => part.users);
    expect(mergeUsers(own)).toEqual(users);
  }
});

/** Requests only. */
const roles = new Map();

test("encoding yields before each block and after the last one", async () => {
  let turns = 0;
  const takeTurn = () => {
    turns += 1;
    next = setImmediate(takeTurn);
  };
  let next = setImmediate(takeTurn);
  const contents = {
    points: inOrder(densePoints(shape)),
    failures: NO_FAILURES,
    users: usersOf(9),
    roles,
  };
  const blocks = await encodeBatch(contents, { sourceId: "sender", arrangement: "grouped" });
  clearImmediate(next);
  expect(blocks.map(({ kind }) => kind)).toEqual(["points", "points", "points", "users"]);
  expect(turns).toBe(blocks.length + 1);
});

test("a batch without rows has no blocks", async () => {
  const contents = {
    points: inOrder(densePoints({ ...shape, endpoints: 0 })),
    failures: NO_FAILURES,
    users: NO_USERS,
    roles,
  };
  const blocks: readonly EncodedBlock[] = await encodeBatch(contents, {
    sourceId: "sender",
    arrangement: "mixed",
  });
  expect(blocks).toEqual([]);
});

/** Returns one generator with one user in each of `rows` seconds. */
function usersOf(rows: number): UserTable {
  return {
    generators: ["host"],
    counts: {
      generator: new Uint32Array(rows),
      second: Uint32Array.from({ length: rows }, (_, row) => 1 + row),
      active: new Float64Array(rows).fill(1),
      started: new Float64Array(rows),
      ended: new Float64Array(rows),
    },
  };
}
