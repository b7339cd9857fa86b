import {
  LOAD_TEST_COLUMNS,
  type LoadTestRow,
  scopeOf,
  type ScopeRow,
  scopeValues,
  type SourceFormats,
} from "../sqlite/catalogue/load-test-rows.ts";
import type { StoreScope } from "../store.ts";
import type { Database, Row, Statement, Value } from "./database.ts";
import { ENVIRONMENT_OF_HOUR } from "./schema.ts";
import { IS_VISIBLE, textOf } from "./source-rows.ts";

export interface StoredLoadTest {
  readonly row: LoadTestRow;
  /** Revision of the last change, even of one that readers do not see. */
  readonly latestRevision: number;
}

export interface LoadTestKey {
  readonly scope: StoreScope;
  readonly id: string;
}

/** Whether a row is in a scope: `scopeKey` are the first parameters. */
export const IN_SCOPE = `load_tests.project = $1 AND ${ENVIRONMENT_OF_HOUR} = $2`;

export function scopeKey(scope: StoreScope): readonly [project: string, environment: string] {
  const { project, environment } = scopeValues(scope);
  return [project, environment];
}

/** Whether a row is a load test: `keyOf` are the first parameters. */
export const IS_LOAD_TEST = `${IN_SCOPE} AND load_tests.id = $3`;

export function keyOf({ scope, id }: LoadTestKey): readonly [...Value[]] {
  return [...scopeKey(scope), id];
}

/** Names that no column of another table has. */
const NAMES = LOAD_TEST_COLUMNS.map((column) => [column, `load_test_${column}`] as const);
const LATEST = "load_test_latest_revision";

/** What `loadTestIn` reads. */
export const LOAD_TEST = [
  ...NAMES.map(([column, name]) => `load_tests.${column} AS ${name}`),
  `latest_revision AS ${LATEST}`,
].join();

/** A list reads thousands: each takes some microseconds. */
export function loadTestIn(found: Row): StoredLoadTest {
  const row: Record<string, unknown> = {};
  for (const [column, name] of NAMES) row[column] = found[name];
  row["name"] = textOf(row["name"]);
  return { row: row as unknown as LoadTestRow, latestRevision: Number(found[LATEST]) };
}

export function addLoadTest(row: LoadTestRow, latestRevision: number): Statement {
  const values = [...valuesOf(row), latestRevision];
  return {
    sql: `INSERT INTO load_tests (${LOAD_TEST_COLUMNS.join()}, latest_revision)
      VALUES (${values.map((_, at) => `$${at + 1}`).join()}) ON CONFLICT DO NOTHING RETURNING number`,
    values,
  };
}

export function saveLoadTest(row: LoadTestRow, latestRevision: number): Statement {
  const values = [...valuesOf(row), latestRevision];
  return {
    sql: `UPDATE load_tests SET (${LOAD_TEST_COLUMNS.join()}, latest_revision) =
      (${values.map((_, at) => `$${at + 1}`).join()}) WHERE number = $1`,
    values,
  };
}

function valuesOf(row: LoadTestRow): Value[] {
  return LOAD_TEST_COLUMNS.map((column) =>
    column === "name" ? Buffer.from(row.name) : row[column],
  );
}

/** Load tests with what a list shows of their sources. */
export const SUMMARIES = `SELECT ${LOAD_TEST}, formats, source_requests
  FROM load_tests CROSS JOIN LATERAL (
    SELECT array_agg(DISTINCT format COLLATE "C") FILTER (WHERE format IS NOT NULL) AS formats,
      coalesce(sum(requests), 0)::bigint AS source_requests
    FROM sources WHERE load_test = load_tests.number AND ${IS_VISIBLE} AND NOT withdrawn
  ) AS shown`;

export async function readScopes(database: Database): Promise<readonly StoreScope[]> {
  const rows = await database.read(
    `SELECT DISTINCT project, ${ENVIRONMENT_OF_HOUR} AS environment FROM load_tests
     ORDER BY project, environment`,
  );
  return rows.map((row) => scopeOf(row as unknown as ScopeRow));
}

export function formatsIn(found: Row): SourceFormats {
  return {
    formats: (found["formats"] ?? []) as readonly string[],
    requests: Number(found["source_requests"]),
  };
}
