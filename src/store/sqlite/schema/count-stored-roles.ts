/** Adds counts that files before version 10 lack: rows of endpoints that are not requests. */

import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../../model/errors.ts";
import { openSums } from "../../block/block.ts";
import type { Roles } from "../../stored-roles.ts";
import {
  type BlockRow,
  type BlockRows,
  type CheckedRow,
  isIntact,
  openBlockRows,
} from "../blocks/block-rows.ts";
import { encodeEndpointSet, numbersIn, rolesOf, uniteSets } from "../endpoints/endpoint-set.ts";
import { openLoadTestRows } from "../catalogue/load-test-rows.ts";
import { readSegment } from "../blocks/segment-cache.ts";
import { addRoleCounts, NO_ROLE_COUNTS, type RoleCounts } from "../catalogue/role-counts.ts";
import { openSourceRows } from "../catalogue/source-rows.ts";
import { addTallies, EMPTY_TALLY, repeatedRows, type Tally } from "../catalogue/tally.ts";

/**
 * Counts the rows by role of all sources with roles, and of their load tests, within a write transaction.
 * Damaged parts stay as they are, for `verify` to report: their rows count as requests.
 */
export function countStoredRoles(database: DatabaseSync): void {
  const sources = openSourceRows(database);
  const blocks = database.prepare(
    "SELECT * FROM blocks WHERE load_test = ? AND source = ? AND died IS NULL",
  );
  const rows = openBlockRows(database);
  const counted = new Set<number>();
  const statement = database.prepare(
    "SELECT DISTINCT source FROM blocks WHERE roles IS NOT NULL AND died IS NULL",
  );
  for (const { source: number } of statement.all()) {
    const source = sources.get(Number(number));
    if (source === undefined) continue;
    const own = blocks.all(source.loadTest, source.number) as unknown as CheckedRow[];
    const parts = own.filter(isIntact).map((row) => countBlock(rows, row));
    const tally = {
      ...source.tally,
      requestEndpoints: uniteSets(parts.map(({ requestEndpoints }) => requestEndpoints)),
      roleCounts: addRoleCounts(parts.map(({ roleCounts }) => roleCounts)),
    };
    sources.saveTally(source, tally, source.touchedAtMs);
    counted.add(source.loadTest);
  }
  for (const loadTest of counted) unlessDamaged(() => countLoadTest(database, loadTest));
}

function countBlock(
  rows: BlockRows,
  row: BlockRow,
): Pick<Tally, "requestEndpoints" | "roleCounts"> {
  const roles = rolesOf([row]);
  const others = numbersIn(row.endpoints).filter((endpoint) => !roles.has(endpoint));
  return {
    requestEndpoints: encodeEndpointSet(others),
    roleCounts: unlessDamaged(() => countRows(rows, row, roles)) ?? NO_ROLE_COUNTS,
  };
}

function countRows(rows: BlockRows, row: BlockRow, roles: Roles): RoleCounts {
  const counts = new Map(
    [...roles].map(([endpoint, role]) => [endpoint, { role, requests: 0, failedRequests: 0 }]),
  );
  if (row.kind !== "points" || counts.size === 0) return counts;
  for (const points of openSums(readSegment(rows, row, "plain")).points(0, Infinity)) {
    for (const [point, endpoint] of points.endpoint.entries()) {
      const count = counts.get(endpoint);
      if (count === undefined) continue;
      count.requests += points.requests[point] as number;
      count.failedRequests += points.failedRequests[point] as number;
    }
  }
  return counts;
}

function countLoadTest(database: DatabaseSync, number: number): void {
  const loadTests = openLoadTestRows(database);
  const row = loadTests.get(number);
  if (row === undefined) return;
  const visible = openSourceRows(database).visible(number);
  const repeated = repeatedRows(addTallies([EMPTY_TALLY, ...visible.map(({ tally }) => tally)]));
  loadTests.save({
    ...row,
    repeated_requests: repeated.requests,
    repeated_failed_requests: repeated.failedRequests,
  });
}

function unlessDamaged<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UserError && error.code === "damaged-store") return undefined;
    throw error;
  }
}
