/** Keys, texts, the audit log and figures. */

import type { AccessKey } from "../../model/access-key.ts";
import { type AuditRow, entryOf, numberOf } from "../sqlite/catalogue/audit.ts";
import { keyOf, type KeyRow, rowOfKey } from "../sqlite/catalogue/keys.ts";
import { keyNameTaken, unknownKeyName } from "../refusals.ts";
import {
  AUDIT_ENTRIES_PER_KEY,
  type AuditLog,
  OVERALL_FIGURES,
  type Keys,
  type StoredFigures,
  type StoredText,
  type StoreScope,
  usedAtMinuteMs,
} from "../store.ts";
import type { Database } from "./database.ts";
import { IN_SCOPE, IS_LOAD_TEST, keyOf as loadTestKey, scopeKey } from "./load-test-table.ts";
import { textOf } from "./source-rows.ts";
import type { PostgresParts } from "./writes.ts";

const KEY_COLUMNS = [
  "digest",
  "name",
  "scopes",
  "created_at_ms",
  "expires_at_ms",
  "opened_load_tests",
  "opens_files",
  "project",
  "sign_in",
] as const;

const ALL_KEYS = "SELECT * FROM access_keys ORDER BY created_at_ms, name";

export function openKeys(database: Database): Keys {
  const find = async (digest: string): Promise<AccessKey | undefined> => {
    const sql = `SELECT * FROM access_keys WHERE digest = $1`;
    const [row] = await database.read(sql, [digest]);
    return row && keyOf(row as unknown as KeyRow);
  };
  return {
    find,
    async add(key) {
      const row = rowOfKey(key);
      const added = await database.write(
        {
          sql: `INSERT INTO access_keys (${KEY_COLUMNS.join()})
            VALUES (${KEY_COLUMNS.map((_, at) => `$${at + 1}`).join()})
            ON CONFLICT DO NOTHING RETURNING name`,
          values: KEY_COLUMNS.map((column) => row[column]),
        },
        false,
      );
      if (added.length === 0) throw keyNameTaken(key.name);
    },
    async list() {
      return (await database.read(ALL_KEYS)).map((row) => keyOf(row as unknown as KeyRow));
    },
    revoke: (name, atMs, check) =>
      database.transaction(async (run) => {
        // Blocks other writers of keys, but not readers.
        await run("LOCK TABLE access_keys IN SHARE ROW EXCLUSIVE MODE");
        const keys = (await run(ALL_KEYS)).map((row) => keyOf(row as unknown as KeyRow));
        check?.(keys);
        if (!keys.some((key) => key.name === name)) throw unknownKeyName(name);
        const sql = `UPDATE access_keys SET revoked_at_ms = coalesce(revoked_at_ms, $1) WHERE name = $2`;
        return { result: undefined, statements: [{ sql, values: [atMs, name] }] };
      }, true),
    async forgetExpired(atMs) {
      await database.write({
        sql: "DELETE FROM access_keys WHERE sign_in = 1 AND expires_at_ms < $1",
        values: [atMs],
      });
    },
    async touch(digest, atMs) {
      const key = await find(digest);
      // Most uses write nothing, because a key is used far more often than once a minute.
      if (key === undefined || (key.lastUsedAtMs ?? 0) >= usedAtMinuteMs(atMs)) return;
      await database.write({
        sql: `UPDATE access_keys SET last_used_at_ms = greatest(last_used_at_ms, $1)
          WHERE digest = $2`,
        values: [usedAtMinuteMs(atMs), digest],
      });
    },
  };
}

const TEXT_KEYS = {
  thresholds: ["project", "name"],
  sender_states: ["project", "environment", "load_test_id"],
  judge_notes: ["project"],
} as const;

/** The text of a table with this key, which names what people choose in bytes. */
export function openText(
  database: Database,
  table: keyof typeof TEXT_KEYS,
  ...key: readonly (string | Uint8Array)[]
): StoredText {
  const columns = TEXT_KEYS[table];
  const isThis = columns.map((column, at) => `${column} = $${at + 1}`).join(" AND ");
  const places = [...columns, "text"].map((_, at) => `$${at + 1}`).join();
  return {
    async find() {
      const [row] = await database.read(`SELECT text FROM ${table} WHERE ${isThis}`, key);
      return row && textOf(row["text"]);
    },
    async keep(text) {
      await database.write(
        text === undefined
          ? { sql: `DELETE FROM ${table} WHERE ${isThis}`, values: key }
          : {
              sql: `INSERT INTO ${table} VALUES (${places})
                ON CONFLICT (${columns.join()}) DO UPDATE SET text = excluded.text`,
              values: [...key, Buffer.from(text)],
            },
      );
    },
    async replace(present, text) {
      const values = [...key, Buffer.from(text)];
      const rows = await database.write(
        present === undefined
          ? {
              sql: `INSERT INTO ${table} VALUES (${places}) ON CONFLICT DO NOTHING RETURNING true`,
              values,
            }
          : {
              sql: `UPDATE ${table} SET text = $${values.length}
                WHERE ${isThis} AND text = $${values.length + 1} RETURNING true`,
              values: [...values, Buffer.from(present)],
            },
      );
      return rows.length > 0;
    },
  };
}

export function openAudit(database: Database): AuditLog {
  return {
    async add({ atMs, project, key, operation, target, outcome, details }) {
      await database.write(
        {
          sql: `WITH added AS (
              INSERT INTO audit (at_ms, project, key_name, operation, target, outcome, details)
              VALUES ($3, $2, $1, $4, $5, $6, $7))
            DELETE FROM audit WHERE number = (
              SELECT number FROM audit
              WHERE key_name IS NOT DISTINCT FROM $1 AND project IS NOT DISTINCT FROM $2
              ORDER BY number DESC OFFSET ${AUDIT_ENTRIES_PER_KEY - 1} LIMIT 1)`,
          values: [
            key ?? null,
            project ?? null,
            atMs,
            operation,
            target === undefined ? null : Buffer.from(target),
            outcome,
            details ?? null,
          ],
        },
        false,
      );
    },
    async list({ project, target, after, limit }) {
      const rows = await database.read(
        `SELECT * FROM audit
         WHERE project IS NOT DISTINCT FROM $1 AND ($2::bytea IS NULL OR target = $2) AND number < $3
         ORDER BY number DESC LIMIT $4`,
        [
          project ?? null,
          target === undefined ? null : Buffer.from(target),
          numberOf(after),
          limit,
        ],
      );
      return rows.map(({ target: bytes, ...row }) =>
        entryOf({ ...row, target: bytes === null ? null : textOf(bytes) } as AuditRow),
      );
    },
  };
}

/** Parts of a load test whose figures are stored; the one written last replaces the oldest. */
const PARTS_MAX = 8;

/** Rows have the revision of their load test, so that they are never older than its data. */
export function openFigures(
  { database, storeId }: PostgresParts,
  scope: StoreScope,
): StoredFigures {
  return {
    async find(loadTestIds, part) {
      const rows = await database.read(
        `SELECT id, load_test, load_tests.revision, text FROM load_tests
         JOIN figures ON load_test = load_tests.number AND part = $3
           AND figures.revision = load_tests.revision
         WHERE ${IN_SCOPE} AND id = ANY($4::text[])`,
        [...scopeKey(scope), part, loadTestIds],
      );
      return new Map(
        rows.map(({ id, load_test, revision, text }) => [
          String(id),
          { revision: `${storeId}.${String(load_test)}-${String(revision)}`, text: String(text) },
        ]),
      );
    },
    async keep(loadTestId, part, { revision, text }) {
      // Of itself: what environments measured is joined to it, and is not in the figures.
      const [own = ""] = revision.split("+");
      const number = Number(own.slice(own.lastIndexOf("-") + 1));
      const key = loadTestKey({ scope, id: loadTestId });
      await database.transaction(
        async () => ({
          result: undefined,
          statements: [
            {
              sql: `DELETE FROM figures USING load_tests
                WHERE ${IS_LOAD_TEST} AND load_test = load_tests.number AND part = $4`,
              values: [...key, part],
            },
            {
              sql: `INSERT INTO figures (load_test, part, revision, text)
                SELECT number, $4, $5, $6 FROM load_tests
                WHERE ${IS_LOAD_TEST} AND revision = $5 ON CONFLICT DO NOTHING`,
              values: [...key, part, number, text],
            },
            {
              sql: `DELETE FROM figures WHERE (load_test, number) IN (
                  SELECT load_test, figures.number FROM figures
                  JOIN load_tests ON load_tests.number = load_test
                  WHERE ${IS_LOAD_TEST} AND part <> '${OVERALL_FIGURES}' ORDER BY figures.number DESC OFFSET ${PARTS_MAX})`,
              values: key,
            },
          ],
        }),
        true,
      );
    },
  };
}
