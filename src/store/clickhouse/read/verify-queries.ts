/** Queries that compare the rows of a load test with each other. */

import type { NativeBlock } from "../native/native-block.ts";
import type { CopiedRows } from "../compaction/compaction-queries.ts";
import { inBatches, ofVisiblePoints, ofShardKey, pointRows } from "./visible.ts";

/** Combined rows of one source. */
export interface SourceTally {
  readonly inBatches: RequestTally;
  readonly inPoints: RequestTally;
  readonly batches: number;
  readonly lastSequence: number;
}

interface RequestTally {
  readonly requests: bigint;
  readonly failedRequests: bigint;
}

/** Reading lengths and digests detects unreadable bytes. */
export function sourceTalliesQuery({ database, shardKey, rows, minutes }: CopiedRows): string {
  return `SELECT source, sumIf(requests, kind = 'batch') AS a_batch_requests,
  sumIf(failed_requests, kind = 'batch') AS a_batch_failed,
  sumIf(requests, kind = 'point') AS a_point_requests,
  sumIf(failed_requests, kind = 'point') AS a_point_failed,
  countIf(kind = 'batch') AS a_batches, maxIf(sequence, kind = 'batch') AS a_last,
  sum(length(text) + length(users)) AS a_bytes, groupBitXor(digest) AS a_digests
FROM ${database}.measurements FINAL
WHERE ${ofShardKey(shardKey)} AND kind IN ('batch', 'point')
  AND if(kind = 'point', ${ofVisiblePoints(rows, minutes)}, ${inBatches(rows)}) GROUP BY source`;
}

/** By source number. */
export function sourceTalliesIn(blocks: readonly NativeBlock[]): ReadonlyMap<bigint, SourceTally> {
  const tallies = blocks.flatMap((block) => {
    const numbers = ["batch_requests", "batch_failed", "point_requests", "point_failed"].map(
      (name) => block.bigints(`a_${name}`),
    );
    const [batches, lasts] = [block.numbers("a_batches"), block.numbers("a_last")];
    return Array.from(block.bigints("source"), (source, row): [bigint, SourceTally] => {
      const [requests = 0n, failed = 0n, ofPoints = 0n, failedOfPoints = 0n] = numbers.map(
        (column) => column[row] as bigint,
      );
      const tally = {
        inBatches: { requests, failedRequests: failed },
        inPoints: { requests: ofPoints, failedRequests: failedOfPoints },
        batches: batches[row] as number,
        lastSequence: lasts[row] as number,
      };
      return [source, tally];
    });
  });
  return new Map(tallies);
}

/** Endpoints with points or failures. */
export function hashesQuery({ database, ...visible }: CopiedRows): string {
  return `SELECT endpoint_hash FROM ${database}.measurements
WHERE ${pointRows(visible)} GROUP BY endpoint_hash`;
}

export function hashesIn(blocks: readonly NativeBlock[]): readonly string[] {
  return blocks.flatMap((block) => block.fixedStrings("endpoint_hash"));
}
