/** Table of load tests. Each row has a checksum because SQLite does not detect flipped bits. */

import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../../model/errors.ts";
import type { LoadTest, ListPosition, LoadTestSummary } from "../../../model/load-test.ts";
import { checksum } from "../../block/envelope.ts";
import type { StoreScope } from "../../store.ts";
import { ENVIRONMENT_OF_HOUR, STARTED_AT_MS } from "../schema.ts";

/** A row as SQLite returns it. `blocks` and the following counts cover visible data only. */
export interface LoadTestRow {
  /** Never reused, not even after the load test was deleted. */
  readonly number: number;
  /** Empty if there is none. */
  readonly project: string;
  /** See `LoadTest`. */
  readonly environment: string | null;
  /** First UNIX second of the hour that the row holds of an environment. */
  readonly hour: number | null;
  readonly id: string;
  readonly name: string;
  readonly created_at_ms: number;
  /** Revision of the last visible change. */
  readonly revision: number;
  readonly blocks: number;
  /** Including hidden ones. */
  readonly endpoints: number;
  readonly hidden_endpoints: number;
  /** Rows, including uncounted ones. */
  readonly requests: number;
  readonly failed_requests: number;
  /** Rows that do not count as requests: see `uncountedRows`. */
  readonly uncounted_requests: number;
  readonly uncounted_failed_requests: number;
  readonly first_second: number | null;
  readonly last_second: number | null;
  readonly finished_at_ms: number | null;
  readonly last_data_at_ms: number | null;
  /** JSON of all other members of a `LoadTest`. */
  readonly attributes: string;
}

/** In the order of their checksum. */
export const LOAD_TEST_COLUMNS = [
  "number",
  "project",
  "environment",
  "hour",
  "id",
  "name",
  "created_at_ms",
  "revision",
  "blocks",
  "endpoints",
  "hidden_endpoints",
  "requests",
  "failed_requests",
  "uncounted_requests",
  "uncounted_failed_requests",
  "first_second",
  "last_second",
  "finished_at_ms",
  "last_data_at_ms",
  "attributes",
] as const satisfies readonly (keyof LoadTestRow)[];

/** `moveStart` sets the other one that changes. */
const FIXED = ["number", "project", "hour", "id", "created_at_ms", "first_second"];
const SAVED = [...LOAD_TEST_COLUMNS.filter((column) => !FIXED.includes(column)), "crc"];

type CheckedRow = LoadTestRow & { readonly crc: number };

/** Of rows, by `scopeValues`. */
export const IN_SCOPE = `project = :project AND ${ENVIRONMENT_OF_HOUR} = :environment`;

export function scopeValues({ project = "", environment = "" }: StoreScope) {
  return { project, environment };
}

/** Opens the table on one connection; `save`, `add` and `remove` require a write transaction. */
export function openLoadTestRows(database: DatabaseSync) {
  const byId = database.prepare(`SELECT * FROM load_tests WHERE ${IN_SCOPE} AND id = :id`);
  const byNumber = database.prepare("SELECT * FROM load_tests WHERE number = ?");
  const unlisted = database.prepare(
    `SELECT 1 FROM load_tests NOT INDEXED WHERE ${IN_SCOPE} AND id = :id
       AND number NOT IN (SELECT number FROM load_tests WHERE ${IN_SCOPE} AND id = :id)`,
  );
  const indexed = ["load_tests_by_id", "load_tests_by_start"].map(
    (index) => `SELECT count(*), sum(number) FROM load_tests INDEXED BY ${index} WHERE ${IN_SCOPE}`,
  );
  const areAlike = database.prepare(`SELECT (${indexed.join(") IS (")}) AS alike`);
  const startOf = database.prepare(
    `SELECT 1 FROM load_tests INDEXED BY load_tests_by_start WHERE ${IN_SCOPE} AND number = :number`,
  );
  const compared = new Set<string>();
  const numbers = database.prepare(
    `SELECT number FROM load_tests
     WHERE ${IN_SCOPE} AND ${STARTED_AT_MS} <= :startedAtMs AND (${STARTED_AT_MS} < :startedAtMs OR id > :id)
     ORDER BY ${STARTED_AT_MS} DESC, id LIMIT :rows`,
  );
  const insert = database.prepare(
    `INSERT INTO load_tests (project, environment, hour, id, name, created_at_ms, revision)
     VALUES (:project, :environment, :hour, :id, :name, :createdAtMs, :revision)`,
  );
  const update = database.prepare(
    `UPDATE load_tests SET ${SAVED.map((column) => `${column} = :${column}`).join()}
     WHERE number = :number`,
  );
  // Separate, so that a batch that does not change the start writes no index page.
  const moveStart = database.prepare(
    `UPDATE load_tests SET first_second = :first_second
     WHERE number = :number AND first_second IS NOT :first_second`,
  );
  const remove = database.prepare("DELETE FROM load_tests WHERE number = ?");
  const scopes = database.prepare(
    `SELECT DISTINCT project, ${ENVIRONMENT_OF_HOUR} AS environment FROM load_tests
     ORDER BY project, environment`,
  );

  for (const statement of [update, moveStart]) statement.setAllowUnknownNamedParameters(true);

  function save(row: LoadTestRow): void {
    moveStart.run({ ...row });
    update.run({ ...row, crc: checksumOf(row) });
  }
  return {
    /** Throws `damaged-store`. */
    find(scope: StoreScope, id: string): LoadTestRow | undefined {
      const key = { ...scopeValues(scope), id };
      const row = checked(byId.get(key));
      if (row === undefined && unlisted.get(key) !== undefined) {
        throw unreadable(id, "the index of ids does not list it");
      }
      return row;
    },
    get: (number: number) => checked(byNumber.get(number)),
    /** As `get`, for one of `numbers`, which may have been deleted since. Throws `damaged-store`, also if the index still lists it. */
    getListed(scope: StoreScope, number: number): LoadTestRow | undefined {
      const row = checked(byNumber.get(number));
      if (row === undefined && startOf.get({ ...scopeValues(scope), number }) !== undefined) {
        const why = `the index of runs by their start lists number ${number}, which does not exist`;
        throw new UserError("damaged-store", why);
      }
      return row;
    },
    /** Compares both indexes, once per scope: lists from a damaged one would lack runs. Throws `damaged-store`. */
    compareIndexes(scope: StoreScope): void {
      const values = scopeValues(scope);
      const key = JSON.stringify(values);
      if (compared.has(key)) return;
      if (areAlike.get(values)?.["alike"] !== 1) {
        const why = "the index of runs by their start does not list the same ones as that of ids";
        throw new UserError("damaged-store", why);
      }
      compared.add(key);
    },
    /** Returns a page after a cursor: latest start first, then by id. */
    numbers(scope: StoreScope, after: ListPosition = FIRST_POSITION, rows = Infinity): number[] {
      const place = { ...scopeValues(scope), startedAtMs: after.startedAtMs, id: after.id };
      const found = numbers.all({ ...place, rows: rows === Infinity ? -1 : rows });
      return found.map(({ number }) => Number(number));
    },
    scopes: () => scopes.all().map((row) => scopeOf(row as unknown as ScopeRow)),
    save,
    add({ project = "" }: StoreScope, loadTest: LoadTest, revision: number): void {
      const { id, name, createdAtMs, environment = null, hour = null } = loadTest;
      const place = { project, environment, hour };
      const { lastInsertRowid } = insert.run({ ...place, id, name, createdAtMs, revision });
      const row = byNumber.get(lastInsertRowid) as unknown as LoadTestRow;
      save({ ...row, ...columnsOf(loadTest) });
    },
    remove(number: number): void {
      remove.run(number);
    },
  };
}

export function isIn(scope: StoreScope, { project, environment, hour }: LoadTestRow): boolean {
  const own = scopeValues(scope);
  return project === own.project && (hour === null ? "" : environment) === own.environment;
}

export interface ScopeRow {
  readonly project: string;
  readonly environment: string;
}

export function scopeOf({ project, environment }: ScopeRow): StoreScope {
  return { project: project || undefined, environment: environment || undefined };
}

/** Cursor before all load tests. */
export const FIRST_POSITION: ListPosition = { startedAtMs: Number.MAX_SAFE_INTEGER, id: "" };

export function loadTestOf(row: LoadTestRow): LoadTest {
  return {
    ...(JSON.parse(row.attributes) as OtherMembers),
    id: row.id,
    name: row.name,
    createdAtMs: row.created_at_ms,
    finishedAtMs: row.finished_at_ms ?? undefined,
    ...(row.environment !== null && { environment: row.environment }),
    ...(row.hour !== null && { hour: row.hour }),
  };
}

/** What a scope says of its load tests. */
export function environmentOf({ environment }: StoreScope): Pick<LoadTest, "environment"> {
  return environment === undefined ? {} : { environment };
}

/** Columns that a change of a load test can affect. */
export function columnsOf({ name, environment, finishedAtMs, ...others }: LoadTest) {
  // Members in columns of their own that do not change.
  const fixed = { id: undefined, createdAtMs: undefined, hour: undefined };
  return {
    name,
    environment: environment ?? null,
    finished_at_ms: finishedAtMs ?? null,
    attributes: JSON.stringify({ ...others, ...fixed }),
  } as const satisfies Partial<LoadTestRow>;
}

type OtherMembers = Omit<
  LoadTest,
  "id" | "createdAtMs" | "hour" | "name" | "environment" | "finishedAtMs"
>;

/** Of the visible sources of a load test. `requests` includes uncounted rows. */
export interface SourceFormats {
  readonly formats: readonly string[];
  readonly requests: number;
}

/** Throws `damaged-store` if the row and those of the sources are of different states: the disk has lost a write. */
export function summaryOf(row: LoadTestRow, { formats, requests }: SourceFormats): LoadTestSummary {
  if (requests !== row.requests)
    throw unreadable(row.id, "its counts are not those of its sources");
  return {
    ...loadTestOf(row),
    endpoints: row.endpoints - row.hidden_endpoints,
    requests: row.requests - row.uncounted_requests,
    failedRequests: row.failed_requests - row.uncounted_failed_requests,
    from: row.first_second ?? undefined,
    until: row.last_second ?? undefined,
    lastDataAtMs: row.last_data_at_ms ?? undefined,
    formats,
  };
}

function checked(found: unknown): LoadTestRow | undefined {
  if (found === undefined) return undefined;
  // Without its checksum, a copy would take longer than reading it.
  const row = found as CheckedRow;
  if (row.crc === checksumOf(row)) return row;
  throw unreadable(row.id, "its row does not match its checksum");
}

function unreadable(id: string, why: string): UserError {
  return new UserError("damaged-store", `cannot read load test "${id}": ${why}`);
}

function checksumOf(row: LoadTestRow): number {
  return checksum(JSON.stringify(LOAD_TEST_COLUMNS.map((column) => row[column])));
}
