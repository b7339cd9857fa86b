/** Merges the measures of each source into minutes: the first of its batches gets all of them. */

import { NO_FAILURES } from "../../../model/failures.ts";
import { downsampleMeasures } from "../../../model/measures/downsample-measures.ts";
import { mergeMeasures } from "../../../model/measures/merge-measures.ts";
import { type MeasureTable, NO_MEASURES } from "../../../model/measures/measure-table.ts";
import { mergePoints } from "../../../model/merge-points.ts";
import { encodeMeasures } from "../../block/measures-segment.ts";
import type { Downsampling } from "../../downsample.ts";
import { measuresIn } from "../batch-details.ts";
import { preferenceOf, type ShardKey } from "../catalogue/attributes.ts";
import type { BatchNote } from "../catalogue/sources.ts";
import { shardAt } from "../cluster/cluster.ts";
import { asBigint, asFlag, asJson, asNumber, rowsIn, asText } from "../native/rows-in.ts";
import type { NativeBlock } from "../native/native-block.ts";
import type { ClickHouseParts } from "../parts.ts";
import { inBatches, ofShardKey } from "../read/visible.ts";
import type { UsersJson } from "../write/contents.ts";
import { type BatchRows, encodeBatches } from "../write/rows.ts";
import type { Contents } from "./compactor.ts";

/**
 * Rows of batches are replaced by themselves with other measures, those of a source in one block. Doing it again changes
 * nothing. Throws `damaged-store`, `sum-too-large`.
 */
export async function mergeMeasuresOf(
  { cluster }: ClickHouseParts,
  contents: Contents,
  downsampling: Downsampling,
): Promise<void> {
  const { shardKey, node } = contents;
  const replicas = shardAt(cluster, shardKey);
  const blocks = await replicas.readOn(node, measuredBatchesQuery(contents));
  const measured = measuredBatchesIn(blocks, shardKey);
  for (const own of Map.groupBy(measured, ({ row }) => row.source).values()) {
    const rows = replacedRows(own, downsampling);
    if (rows.length === 0) continue;
    await replicas.insert("measurements", encodeBatches(rows), {
      preference: preferenceOf(shardKey),
    });
  }
}

function measuredBatchesQuery({ database, shardKey, rows }: Contents): string {
  return `SELECT source, sequence, follows, text, users, digest, requests, failed_requests,
  from_second, until_second, stored_at_ms, writer, is_claimed
FROM ${database}.measurements FINAL
WHERE ${ofShardKey(shardKey)} AND kind = 'batch' AND position(users, '"measures":') > 0
  AND ${inBatches(rows)} ORDER BY source, sequence`;
}

const NO_POINTS = mergePoints([]);

interface MeasuredBatch {
  readonly row: BatchRows;
  readonly users: UsersJson;
  readonly measures: NonNullable<UsersJson["measures"]>;
}

function measuredBatchesIn(
  blocks: readonly NativeBlock[],
  shardKey: ShardKey,
): readonly MeasuredBatch[] {
  const rows = rowsIn(blocks, {
    source: asBigint("source"),
    sequence: asNumber("sequence"),
    follows: asNumber("follows"),
    note: asJson<BatchNote>("text"),
    users: asText("users"),
    digest: asBigint("digest"),
    requests: asNumber("requests"),
    failedRequests: asNumber("failed_requests"),
    fromSecond: asNumber("from_second"),
    untilSecond: asNumber("until_second"),
    storedAtMs: asNumber("stored_at_ms"),
    writer: asBigint("writer"),
    isClaimed: asFlag("is_claimed"),
  });
  return rows.flatMap(({ source, sequence, follows, note, storedAtMs, writer, ...others }) => {
    const { isClaimed, ...totals } = others;
    const users = JSON.parse(totals.users) as UsersJson;
    if (users.measures === undefined) return [];
    const contents = { labels: [], points: NO_POINTS, failures: NO_FAILURES, ...totals };
    const batch = { shardKey, source, sequence, follows, note, contents, newLabels: [] };
    const row: BatchRows = { ...batch, storedAtMs, writer, isClaimed };
    return { row, users, measures: users.measures };
  });
}

function replacedRows(
  batches: readonly MeasuredBatch[],
  downsampling: Downsampling,
): readonly BatchRows[] {
  const hashes = [...new Set(batches.flatMap(({ measures }) => measures.hashes))].toSorted();
  const places = new Map(hashes.map((hash, place) => [hash, place]));
  const tables = batches.map(({ row }) =>
    downsampleMeasures(
      tableOf(row, (hash) => places.get(hash)),
      downsampling,
    ),
  );
  const segment = Buffer.from(encodeMeasures(mergeMeasures(tables))).toString("base64");
  const replaced = batches.map(({ row, users }, at): BatchRows => {
    const measures = at === 0 ? { hashes, segment } : undefined;
    const hasOthers = users.generators.length > 0 || users.percentiles !== undefined;
    const text = measures || hasOthers ? JSON.stringify({ ...users, measures }) : "";
    return { ...row, contents: { ...row.contents, users: text } };
  });
  return replaced.filter(({ contents }, at) => contents.users !== batches[at]?.row.contents.users);
}

function tableOf(
  { shardKey, note, sequence, contents: { users } }: BatchRows,
  placeOf: (hash: string) => number | undefined,
): MeasureTable {
  const details = { loadTestId: shardKey.loadTestId, sourceId: note.sourceId, sequence, users };
  const part = measuresIn(details, placeOf);
  const tables = part?.series.map((_, number) => part.table(number)) ?? [];
  return mergeMeasures([
    ...tables,
    { ...NO_MEASURES, unstored: part?.unstored ?? NO_MEASURES.unstored },
  ]);
}
