/** Keys, texts, the audit log and figures. */

import type { AccessKey } from "../../model/access-key.ts";
import { keyNameTaken, unknownKeyName } from "../refusals.ts";
import {
  AUDIT_ENTRIES_PER_KEY,
  type AuditEntry,
  type AuditLog,
  type Keys,
  type StoredFigures,
  type StoredText,
  type StoreScope,
  usedAtMinuteMs,
} from "../store.ts";
import type { Database, Row } from "./database.ts";
import { IN_SCOPE, IS_LOAD_TEST, keyOf, scopeKey } from "./load-test-table.ts";
import { textOf } from "./source-rows.ts";
import type { PostgresParts } from "./writes.ts";

const KEY_COLUMNS = `digest, name, created_at_ms, last_used_at_ms, expires_at_ms, revoked_at_ms,
  sign_in, about`;

type AboutKey = Pick<AccessKey, "scopes" | "loadTestIds" | "loadTestTimesMs" | "project">;

export function openKeys(database: Database): Keys {
  const find = async (digest: string): Promise<AccessKey | undefined> => {
    const sql = `SELECT ${KEY_COLUMNS} FROM access_keys WHERE digest = $1`;
    const [row] = await database.read(sql, [digest]);
    return row && accessKeyOf(row);
  };
  return {
    find,
    async add({ name, digest, createdAtMs, expiresAtMs, isSignIn, ...about }) {
      const added = await database.write(
        {
          sql: `INSERT INTO access_keys (${KEY_COLUMNS})
            VALUES ($1, $2, $3, NULL, $4, NULL, $5, $6) ON CONFLICT DO NOTHING RETURNING name`,
          values: [
            digest,
            name,
            createdAtMs,
            expiresAtMs ?? null,
            isSignIn === true,
            JSON.stringify(aboutKey(about)),
          ],
        },
        false,
      );
      if (added.length === 0) throw keyNameTaken(name);
    },
    async list() {
      const sql = `SELECT ${KEY_COLUMNS} FROM access_keys ORDER BY created_at_ms, name`;
      return (await database.read(sql)).map(accessKeyOf);
    },
    async revoke(name, atMs) {
      const revoked = await database.write({
        sql: `UPDATE access_keys SET revoked_at_ms = coalesce(revoked_at_ms, $1) WHERE name = $2
          RETURNING name`,
        values: [atMs, name],
      });
      if (revoked.length === 0) throw unknownKeyName(name);
    },
    async forgetExpired(atMs) {
      await database.write({
        sql: "DELETE FROM access_keys WHERE sign_in AND expires_at_ms < $1",
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

function aboutKey({ scopes, loadTestIds, loadTestTimesMs, project }: AboutKey): AboutKey {
  return { scopes, loadTestIds, loadTestTimesMs, project };
}

function accessKeyOf(row: Row): AccessKey {
  const { scopes, loadTestIds, loadTestTimesMs, project } = JSON.parse(
    String(row["about"]),
  ) as AboutKey;
  return {
    name: String(row["name"]),
    digest: String(row["digest"]),
    scopes,
    createdAtMs: Number(row["created_at_ms"]),
    lastUsedAtMs: optionalNumber(row["last_used_at_ms"]),
    expiresAtMs: optionalNumber(row["expires_at_ms"]),
    revokedAtMs: optionalNumber(row["revoked_at_ms"]),
    loadTestIds,
    loadTestTimesMs,
    project,
    ...(row["sign_in"] === true ? { isSignIn: true } : {}),
  };
}

function optionalNumber(value: unknown): number | undefined {
  return value === null ? undefined : Number(value);
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
  };
}

type AuditText = Pick<AuditEntry, "key" | "operation" | "target" | "outcome" | "details">;

export function openAudit(database: Database): AuditLog {
  return {
    async add({ atMs, project, ...rest }) {
      const { key, operation, target, outcome, details } = rest;
      const entry: AuditText = { key, operation, target, outcome, details };
      await database.write(
        {
          sql: `WITH added AS (
              INSERT INTO audit (at_ms, project, target, entry, key) VALUES ($1, $2, $3, $4, $5))
            DELETE FROM audit WHERE number = (
              SELECT number FROM audit
              WHERE key IS NOT DISTINCT FROM $5 AND project IS NOT DISTINCT FROM $2
              ORDER BY number DESC OFFSET ${AUDIT_ENTRIES_PER_KEY - 1} LIMIT 1)`,
          values: [
            atMs,
            project ?? null,
            target === undefined ? null : Buffer.from(target),
            JSON.stringify(entry),
            key ?? null,
          ],
        },
        false,
      );
    },
    async list({ project, target, after, limit }) {
      const rows = await database.read(
        `SELECT number, at_ms, project, entry FROM audit
         WHERE project IS NOT DISTINCT FROM $1 AND ($2::bytea IS NULL OR target = $2) AND number < $3
         ORDER BY number DESC LIMIT $4`,
        [
          project ?? null,
          target === undefined ? null : Buffer.from(target),
          after === undefined ? Number.MAX_SAFE_INTEGER : Number(after) || 0,
          limit,
        ],
      );
      return rows.map((row): AuditEntry => {
        const {
          key,
          operation,
          target: of,
          outcome,
          details,
        } = JSON.parse(String(row["entry"])) as AuditText;
        const whose = row["project"];
        return {
          id: String(row["number"]),
          atMs: Number(row["at_ms"]),
          project: typeof whose === "string" ? whose : undefined,
          key,
          operation,
          target: of,
          outcome,
          details,
        };
      });
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
      const key = keyOf({ scope, id: loadTestId });
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
                  WHERE ${IS_LOAD_TEST} ORDER BY figures.number DESC OFFSET ${PARTS_MAX})`,
              values: key,
            },
          ],
        }),
        true,
      );
    },
  };
}
