import type { AccessKey, NewAccessKey, Scope } from "../../../model/access-key.ts";
import { type Keys, usedAtMinuteMs } from "../../store.ts";
import { keyNameTaken, unknownKeyName } from "../../refusals.ts";
import type { SqliteFile } from "../file.ts";
import { translated } from "../file/sql-error.ts";
import { WhileUnchanged } from "../file/while-unchanged.ts";

const KEYS_REMEMBERED = 1000;

export interface KeyRow {
  readonly name: string;
  readonly digest: string;
  readonly scopes: string;
  readonly created_at_ms: number;
  readonly last_used_at_ms: number | null;
  readonly expires_at_ms: number | null;
  readonly revoked_at_ms: number | null;
  /** JSON array of ids with times of creation. */
  readonly opened_load_tests: string | null;
  readonly opens_files: number;
  readonly project: string | null;
  readonly sign_in: number;
}

type Opened = readonly [id: string, createdAtMs: number];

const ALL_KEYS = "SELECT * FROM access_keys ORDER BY created_at_ms, name";

export function openKeys({ reader, writer, queue, room, isReadOnly }: SqliteFile): Keys {
  const byDigest = reader.prepare("SELECT * FROM access_keys WHERE digest = ?");
  const all = reader.prepare(ALL_KEYS);
  const known = new WhileUnchanged<AccessKey | undefined>(reader, KEYS_REMEMBERED);
  const reading = translated(reader, {
    find: (digest: string) =>
      known.get(digest, () => {
        const row = byDigest.get(digest) as unknown as KeyRow | undefined;
        return row && keyOf(row);
      }),
    list: () => all.all() as unknown as KeyRow[],
  });
  const byName = writer.prepare("SELECT 1 FROM access_keys WHERE name = ?");
  const allNow = writer.prepare(ALL_KEYS);
  const insert = writer.prepare(
    `INSERT INTO access_keys
       (name, digest, scopes, created_at_ms, expires_at_ms, opened_load_tests, opens_files,
        project, sign_in)
     VALUES (:name, :digest, :scopes, :created_at_ms, :expires_at_ms, :opened_load_tests, :opens_files,
       :project, :sign_in)`,
  );
  const revoke = writer.prepare(
    "UPDATE access_keys SET revoked_at_ms = coalesce(revoked_at_ms, ?) WHERE name = ?",
  );
  const forget = writer.prepare("DELETE FROM access_keys WHERE sign_in = 1 AND expires_at_ms < ?");
  const touch = writer.prepare(
    `UPDATE access_keys SET last_used_at_ms = max(coalesce(last_used_at_ms, 0), ?)
     WHERE digest = ?`,
  );
  return {
    add: (key) =>
      queue.write(() => {
        if (byName.get(key.name) !== undefined) throw keyNameTaken(key.name);
        insert.run(rowOfKey(key));
      }),
    async find(digest) {
      return reading.find(digest);
    },
    async list() {
      return reading.list().map((row) => keyOf(row));
    },
    revoke: (name, atMs, check) =>
      queue.write(() => {
        check?.((allNow.all() as unknown as KeyRow[]).map(keyOf));
        if (Number(revoke.run(atMs, name).changes) === 0) throw unknownKeyName(name);
      }),
    forgetExpired: (atMs) => queue.write(() => void forget.run(atMs)),
    async touch(digest, atMs) {
      const key = reading.find(digest);
      // Most uses write nothing, because a key is used far more often than once a minute.
      if (key === undefined || (key.lastUsedAtMs ?? 0) >= usedAtMinuteMs(atMs)) return;
      if (isReadOnly || room.isReserveGone()) return;
      await queue.write(() => touch.run(usedAtMinuteMs(atMs), digest));
    },
  };
}

/** What is known of a new key. */
export function rowOfKey({ name, digest, scopes, createdAtMs, ...key }: NewAccessKey) {
  const { expiresAtMs, loadTestIds, loadTestTimesMs = [], opensFiles, project, isSignIn } = key;
  const pairs = loadTestIds?.map((id, at) => [id, loadTestTimesMs[at]]);
  return {
    name,
    digest,
    scopes: scopes.join(","),
    created_at_ms: createdAtMs,
    expires_at_ms: expiresAtMs ?? null,
    opened_load_tests: pairs === undefined ? null : JSON.stringify(pairs),
    opens_files: opensFiles === true ? 1 : 0,
    project: project ?? null,
    sign_in: isSignIn === true ? 1 : 0,
  };
}

export function keyOf(row: KeyRow): AccessKey {
  const opens =
    row.opened_load_tests === null ? undefined : (JSON.parse(row.opened_load_tests) as Opened[]);
  return {
    name: row.name,
    digest: row.digest,
    scopes: row.scopes.split(",") as Scope[],
    createdAtMs: row.created_at_ms,
    lastUsedAtMs: row.last_used_at_ms ?? undefined,
    expiresAtMs: row.expires_at_ms ?? undefined,
    revokedAtMs: row.revoked_at_ms ?? undefined,
    loadTestIds: opens?.map(([id]) => id),
    loadTestTimesMs: opens?.map(([, createdAtMs]) => createdAtMs),
    project: row.project ?? undefined,
    ...(row.opens_files === 1 ? { opensFiles: true } : {}),
    ...(row.sign_in === 1 ? { isSignIn: true } : {}),
  };
}
