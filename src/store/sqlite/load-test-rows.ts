/** The table of load tests. Each row carries a checksum: SQLite itself notices no flipped bit. */

import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../model/errors.ts";
import type { LoadTest } from "../../model/load-test.ts";
import { checksum } from "../block/checksum.ts";
import type { LoadTestSummary } from "../store.ts";

/** A row as SQLite gives it. `blocks` and the counts after it are of what is visible. */
export interface LoadTestRow {
  /** Never used again, not even after the load test was deleted. */
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly created_at_ms: number;
  /** The store's revision at the last visible change. */
  readonly revision: number;
  readonly blocks: number;
  readonly endpoints: number;
  readonly requests: number;
  readonly failed_requests: number;
  readonly first_second: number | null;
  readonly last_second: number | null;
}

type CheckedRow = LoadTestRow & { readonly crc: number };

/** Opens the rows for one connection; `save`, `add` and `remove` only within a write. */
export function openLoadTestRows(database: DatabaseSync) {
  const byId = database.prepare("SELECT * FROM load_tests WHERE id = ?");
  const byNumber = database.prepare("SELECT * FROM load_tests WHERE number = ?");
  const all = database.prepare("SELECT * FROM load_tests ORDER BY created_at_ms DESC, id");
  const insert = database.prepare(
    "INSERT INTO load_tests (id, name, created_at_ms, revision) VALUES (?, ?, ?, ?)",
  );
  const update = database.prepare(
    `UPDATE load_tests SET name = :name, revision = :revision, blocks = :blocks,
       endpoints = :endpoints, requests = :requests, failed_requests = :failed_requests,
       first_second = :first_second, last_second = :last_second, crc = :crc
     WHERE number = :number`,
  );
  const remove = database.prepare("DELETE FROM load_tests WHERE number = ?");

  function save(row: LoadTestRow): void {
    const { id: _, created_at_ms: __, ...changing } = row;
    update.run({ ...changing, crc: checksumOf(row) });
  }
  return {
    find: (id: string) => checked(byId.get(id)),
    get: (number: number) => checked(byNumber.get(number)),
    list: () => all.all().map((row) => checked(row) as LoadTestRow),
    save,
    add({ id, name, createdAtMs }: LoadTest, revision: number): void {
      const { lastInsertRowid } = insert.run(id, name, createdAtMs, revision);
      save(byNumber.get(lastInsertRowid) as unknown as LoadTestRow);
    },
    remove(number: number): void {
      remove.run(number);
    },
  };
}

export type LoadTestRows = ReturnType<typeof openLoadTestRows>;

export function loadTestOf(row: LoadTestRow): LoadTest {
  return { id: row.id, name: row.name, createdAtMs: row.created_at_ms };
}

export function summaryOf(row: LoadTestRow): LoadTestSummary {
  return {
    ...loadTestOf(row),
    endpoints: row.endpoints,
    requests: row.requests,
    failedRequests: row.failed_requests,
    from: row.first_second ?? undefined,
    until: row.last_second ?? undefined,
  };
}

function checked(found: unknown): LoadTestRow | undefined {
  if (found === undefined) return undefined;
  const { crc, ...row } = found as CheckedRow;
  if (crc === checksumOf(row)) return row;
  throw new UserError(
    "damaged-store",
    `cannot read load test "${row.id}": its row does not fit its checksum`,
  );
}

function checksumOf(row: LoadTestRow): number {
  return checksum(
    JSON.stringify([
      row.number,
      row.id,
      row.name,
      row.created_at_ms,
      row.revision,
      row.blocks,
      row.endpoints,
      row.requests,
      row.failed_requests,
      row.first_second,
      row.last_second,
    ]),
  );
}
