import type { LoadTestRow, SourceFormats } from "../sqlite/catalogue/load-test-rows.ts";
import type { Row, Statement } from "./database.ts";
import { IS_VISIBLE } from "./source-rows.ts";

export interface StoredLoadTest {
  readonly row: LoadTestRow;
  readonly state: number;
}

export function loadTestIn(found: Row): StoredLoadTest {
  return { row: JSON.parse(String(found["row"])) as LoadTestRow, state: Number(found["state"]) };
}

export function addLoadTest(row: LoadTestRow, state: number): Statement {
  return {
    sql: "INSERT INTO load_tests VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING number",
    values: [row.number, row.id, startedAtMs(row), state, JSON.stringify(row)],
  };
}

export function saveLoadTest(row: LoadTestRow, state: number): Statement {
  return {
    sql: "UPDATE load_tests SET started_at_ms = $2, state = $3, row = $4 WHERE number = $1",
    values: [row.number, startedAtMs(row), state, JSON.stringify(row)],
  };
}

export function startedAtMs({ first_second, created_at_ms }: LoadTestRow): number {
  return first_second === null ? created_at_ms : first_second * 1000;
}

/** Load tests with what a list shows of their sources. */
export const SUMMARIES = `SELECT load_tests.number, row, state, formats, source_requests
  FROM load_tests CROSS JOIN LATERAL (
    SELECT array_agg(DISTINCT format COLLATE "C") FILTER (WHERE format IS NOT NULL) AS formats,
      coalesce(sum(requests), 0)::bigint AS source_requests
    FROM sources WHERE load_test = load_tests.number AND ${IS_VISIBLE} AND NOT withdrawn
  ) AS shown`;

export function formatsIn(found: Row): SourceFormats {
  return {
    formats: (found["formats"] ?? []) as readonly string[],
    requests: Number(found["source_requests"]),
  };
}
