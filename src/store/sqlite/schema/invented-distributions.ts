/**
 * Removes distributions that earlier versions invented for sources that record only averages: Locust's
 * history, Artillery 2, and JMeter's listener that merges samples before it sends.
 */

import type { DatabaseSync } from "node:sqlite";
import type { DataPoints } from "../../../model/data-points.ts";
import { BOUNDS } from "../../../model/histogram.ts";
import { decodeBlock, encodeBlock } from "../../block/block.ts";
import { checksumOf } from "../../block/envelope.ts";
import { type CheckedRow, isIntact, rowChecksum } from "../blocks/block-rows.ts";

/** Minimum, six percentiles, maximum, and the average for requests without a time. */
const ARTILLERY_2_BUCKETS_MAX = 9;

/** Rewrites the affected blocks; called once during an upgrade. */
export function removeInventedDistributions(database: DatabaseSync): void {
  const sources = database.prepare(
    `SELECT number, load_test, format FROM sources
     WHERE format IN ('locust-history', 'artillery-json') OR format LIKE '%line-protocol'`,
  );
  for (const { number, load_test: loadTest, format } of sources.all()) {
    removeFrom(database, {
      number: Number(number),
      loadTest: Number(loadTest),
      format: String(format),
    });
  }
}

interface Source {
  readonly number: number;
  readonly loadTest: number;
  readonly format: string;
}

interface StoredBlock extends CheckedRow {
  readonly plain: Uint8Array;
  readonly distribution: Uint8Array;
}

function removeFrom(database: DatabaseSync, source: Source): void {
  const numbers = database
    .prepare(
      `SELECT number FROM blocks
       WHERE load_test = ? AND source = ? AND kind = 'points' AND died IS NULL`,
    )
    .all(source.loadTest, source.number)
    .map((row) => Number(row["number"]));
  if (source.format === "artillery-json" && numbers.some(isMeasuredBlock)) return;
  for (const number of numbers) {
    const block = blockOf(database, number);
    const known = pointsOf(block);
    if (block === undefined || known === undefined) continue;
    const kept = withoutInvented(known, source.format);
    if (kept !== known) rewrite(database, block, kept);
  }

  function isMeasuredBlock(number: number): boolean {
    const points = pointsOf(blockOf(database, number));
    return points !== undefined && isMeasured(points);
  }
}

/** `undefined` for a damaged block: it stays, so that reading and `verify` report it. */
function pointsOf(block: StoredBlock | undefined): DataPoints | undefined {
  if (block === undefined) return undefined;
  const { plain, distribution, ...row } = block;
  try {
    const isWhole =
      isIntact(row) &&
      checksumOf(plain) === row.plain_crc &&
      checksumOf(distribution) === row.distribution_crc;
    return isWhole ? decodeBlock({ plain, distribution }) : undefined;
  } catch {
    return undefined;
  }
}

/** `undefined` if one of its segments is missing. */
function blockOf(database: DatabaseSync, number: number): StoredBlock | undefined {
  const found = database
    .prepare(
      `SELECT number, load_test, source, kind, endpoint_group, endpoints, roles, points,
         first_second, last_second, plain_crc, distribution_crc, blocks.crc,
         plain_segments.bytes AS plain, distribution_segments.bytes AS distribution
       FROM blocks JOIN plain_segments ON plain_segments.block = number
         JOIN distribution_segments ON distribution_segments.block = number
       WHERE number = ?`,
    )
    .get(number);
  return found as unknown as StoredBlock | undefined;
}

/** Artillery 1 recorded every response time: its distributions are real and have more values. */
function isMeasured({ bucketsFrom }: DataPoints): boolean {
  return bucketsFrom.some(
    (from, point) => (bucketsFrom[point + 1] ?? from) - from > ARTILLERY_2_BUCKETS_MAX,
  );
}

function withoutInvented(points: DataPoints, format: string): DataPoints {
  if (format === "locust-history") return { ...points, ...boundless(points), ...noBuckets(points) };
  if (format === "artillery-json") return { ...points, ...untimed(points), ...noBuckets(points) };
  const { windowSeconds } = points;
  return windowSeconds === undefined ? points : withoutWindows(points, windowSeconds);
}

function noBuckets({ second }: DataPoints) {
  return {
    bucketsFrom: new Uint32Array(second.length + 1),
    bucket: new Uint16Array(0),
    bucketCount: new Float64Array(0),
  };
}

function boundless({ second }: DataPoints) {
  return {
    minMicros: new Float64Array(second.length).fill(BOUNDS.unknown.min),
    maxMicros: new Float64Array(second.length).fill(BOUNDS.unknown.max),
  };
}

/** Windows without any response count as failed requests of 0 ms. */
function untimed(points: DataPoints): Partial<DataPoints> {
  const { requests, failedRequests, maxMicros, minMicros } = points;
  const isUntimed = requests.map((count, point) =>
    Number(count === failedRequests[point] && maxMicros[point] === 0),
  );
  if (!isUntimed.includes(1)) return {};
  const untimedRequests = requests.map((count, point) => count * (isUntimed[point] as number));
  return {
    untimedRequests,
    untimedFailedRequests: untimedRequests.slice(),
    minMicros: minMicros.map((min, point) => (isUntimed[point] === 1 ? BOUNDS.none.min : min)),
    maxMicros: maxMicros.map((max, point) => (isUntimed[point] === 1 ? BOUNDS.none.max : max)),
  };
}

/** Points of more than one second were merged by JMeter; others are its single samples or k6's. */
function withoutWindows(points: DataPoints, windowSeconds: Uint16Array): DataPoints {
  const bucketsFrom = new Uint32Array(points.bucketsFrom.length);
  const kept: number[] = [];
  for (const [point, seconds] of windowSeconds.entries()) {
    const until = points.bucketsFrom[point + 1] as number;
    const from = seconds === 1 ? (points.bucketsFrom[point] as number) : until;
    for (let entry = from; entry < until; entry++) kept.push(entry);
    bucketsFrom[point + 1] = kept.length;
  }
  return {
    ...points,
    bucketsFrom,
    bucket: Uint16Array.from(kept, (entry) => points.bucket[entry] as number),
    bucketCount: Float64Array.from(kept, (entry) => points.bucketCount[entry] as number),
  };
}

function rewrite(database: DatabaseSync, row: StoredBlock, points: DataPoints): void {
  const { plain, distribution } = encodeBlock(points);
  const rewritten = {
    ...row,
    plain_crc: checksumOf(plain),
    distribution_crc: checksumOf(distribution),
  };
  database
    .prepare("UPDATE blocks SET plain_crc = ?, distribution_crc = ?, crc = ? WHERE number = ?")
    .run(rewritten.plain_crc, rewritten.distribution_crc, rowChecksum(rewritten), row.number);
  const segments = { plain_segments: plain, distribution_segments: distribution };
  for (const [table, bytes] of Object.entries(segments)) {
    database.prepare(`UPDATE ${table} SET bytes = ? WHERE block = ?`).run(bytes, row.number);
  }
}
