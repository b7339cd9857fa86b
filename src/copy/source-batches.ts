import { type UserTable, mergeUsers } from "../model/active-users.ts";
import type { DataPoints } from "../model/data-points.ts";
import { type FailureTable, mergeFailures } from "../model/failures.ts";
import type { LoadTestSummary } from "../model/load-test.ts";
import { mergePoints } from "../model/merge-points.ts";
import { columnsOf, renumberReported, rowsOf } from "../model/reported-percentiles.ts";
import { ALL_SECONDS } from "../model/second-range.ts";
import type { PointBatch } from "../store/store.ts";
import { endpointChunks, type EndpointPart, endpointParts } from "./endpoint-parts.ts";
import type { SourceReading } from "../store/snapshot.ts";

export type BatchContents = Pick<
  PointBatch,
  "labels" | "roles" | "points" | "failures" | "users" | "reported"
>;

/** Rows at which a batch is closed: some megabytes. */
export const BATCH_ROWS = 32_768;

/**
 * Yields the contents of a source in batches that depend on the contents alone, so that batches of an
 * interrupted copy are recognised. `seconds` are those of its load test.
 */
export async function* sourceBatches(
  source: SourceReading,
  seconds: Pick<LoadTestSummary, "from" | "until">,
  batchRows: number,
): AsyncGenerator<BatchContents> {
  let parts: EndpointPart[] = [];
  let rows = 0;
  for (const chunk of endpointChunks(await source.endpoints(), seconds)) {
    for await (const part of endpointParts(source, chunk, batchRows)) {
      parts.push(part);
      rows += rowsIn(part);
      if (rows < batchRows) continue;
      yield batchWith(parts);
      [parts, rows] = [[], 0];
    }
  }
  if (parts.length > 0) yield batchWith(parts);
  yield* userBatches(source, batchRows);
  yield* reportedBatches(source, batchRows);
}

function rowsIn({ points, failures }: EndpointPart): number {
  return points.second.length + failures.second.length;
}

function batchWith(parts: readonly EndpointPart[]): BatchContents {
  return {
    labels: parts.map(({ endpoint }) => endpoint.label),
    roles: parts.map(({ role }) => role),
    points: mergePoints(
      parts.map(({ points }, index) => ({ ...points, endpoint: allAre(index, points.second) })),
    ),
    failures: mergeFailures(
      parts.map(({ failures: { kinds, kind, second, requests } }, index) => ({
        kinds,
        counts: { endpoint: allAre(index, second), kind, second, requests },
      })),
    ),
  };
}

function allAre(index: number, { length }: Uint32Array): Uint32Array {
  return new Uint32Array(length).fill(index);
}

async function* userBatches(
  source: SourceReading,
  batchRows: number,
): AsyncGenerator<BatchContents> {
  let tables: UserTable[] = [];
  let rows = 0;
  for await (const { generator, second, active, started, ended } of source.users(ALL_SECONDS)) {
    const counts = { generator: allAre(0, second), second, active, started, ended };
    tables.push({ generators: [generator], counts });
    rows += second.length;
    if (rows < batchRows) continue;
    yield { labels: [], points: NO_POINTS, users: mergeUsers(tables) };
    [tables, rows] = [[], 0];
  }
  if (tables.length > 0) yield { labels: [], points: NO_POINTS, users: mergeUsers(tables) };
}

async function* reportedBatches(
  source: SourceReading,
  batchRows: number,
): AsyncGenerator<BatchContents> {
  const endpoints = await source.endpoints();
  const indexes = new Map(endpoints.map(({ endpoint }, index) => [endpoint.number, index]));
  const reported = renumberReported(await source.reported(), (number) => indexes.get(number));
  const rows = rowsOf(reported);
  const labels = endpoints.map(({ endpoint }) => endpoint.label);
  const roles = endpoints.map(({ role }) => role);
  for (let from = 0; from < rows.length; from += batchRows) {
    const part = columnsOf(rows.slice(from, from + batchRows));
    yield { labels, roles, points: NO_POINTS, reported: part };
  }
}

const NO_POINTS: DataPoints = mergePoints([]);

export function columnBytes({ points, failures, users, reported }: BatchContents): number {
  return [points, failures?.counts ?? NO_COUNTS, users?.counts ?? NO_COUNTS, reported ?? NO_COUNTS]
    .flatMap((columns): readonly unknown[] => Object.values(columns))
    .reduce((sum: number, column) => sum + (ArrayBuffer.isView(column) ? column.byteLength : 0), 0);
}

const NO_COUNTS: Partial<FailureTable["counts"]> = {};
