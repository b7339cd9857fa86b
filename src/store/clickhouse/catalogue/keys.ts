/** Access keys in ClickHouse: one row per field of a key, on every node. */

import { KeyedMutex } from "../../../concurrency/mutex.ts";
import { RequestCoalescer } from "../../../concurrency/request-coalescer.ts";
import type { AccessKey, NewAccessKey } from "../../../model/access-key.ts";
import { keyNameTaken, unknownKeyName } from "../../refusals.ts";
import { type Keys, usedAtMinuteMs } from "../../store.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { textLiteral } from "../cluster/literals.ts";
import { EverywhereTable } from "./everywhere-table.ts";
import { KEYS } from "./tables.ts";

/** The first key of a name wins, so its version decreases with time. */
const FIRST_VERSION_END = Number.MAX_SAFE_INTEGER;

export function openKeys(cluster: Cluster, nowMs: () => number): Keys {
  const changes = new KeyedMutex();
  const table = new EverywhereTable(cluster, KEYS);
  const keysIn = async (condition: string): Promise<readonly AccessKey[]> => {
    const byName = Map.groupBy(await table.read(condition), ({ name }) => name);
    return [...byName.values()].flatMap(keyOf);
  };
  const asked = new RequestCoalescer<string, AccessKey>(async (digests) => {
    const contains = digests.map((digest) => `position(value, ${textLiteral(digest)}) > 0`);
    const made = `field = 'made' AND (${contains.join(" OR ")})`;
    // All fields of the keys with these digests, and perhaps of others.
    const keys = await keysIn(`name IN (SELECT name FROM ${table.name} WHERE ${made})`);
    return new Map(keys.map((key) => [key.digest, key]));
  });
  const find = (digest: string): Promise<AccessKey | undefined> => asked.ask(digest);
  const named = async (name: string) => (await keysIn(`name = ${textLiteral(name)}`))[0];
  return {
    add: (key) =>
      changes.run(key.name, async () => {
        if ((await named(key.name)) !== undefined) throw keyNameTaken(key.name);
        const version = FIRST_VERSION_END - nowMs();
        await table.write([{ name: key.name, field: "made", version, value: JSON.stringify(key) }]);
        // Another process may have created one of this name concurrently.
        if ((await named(key.name))?.digest !== key.digest) throw keyNameTaken(key.name);
      }),
    find,
    async list() {
      const keys = await keysIn("1");
      return keys.toSorted(
        (left, right) => left.createdAtMs - right.createdAtMs || (left.name < right.name ? -1 : 1),
      );
    },
    revoke: (name, atMs) =>
      changes.run(name, async () => {
        const key = await named(name);
        if (key === undefined) throw unknownKeyName(name);
        if (key.revokedAtMs !== undefined) return;
        const version = FIRST_VERSION_END - atMs;
        await table.write([{ name, field: "revoked", version, value: String(atMs) }]);
      }),
    async forgetExpired(atMs) {
      const expired = (await keysIn("1")).filter(
        ({ isSignIn, expiresAtMs = Infinity }) => isSignIn === true && expiresAtMs < atMs,
      );
      if (expired.length === 0) return;
      await table.remove(`name IN (${expired.map(({ name }) => textLiteral(name)).join(",")})`);
    },
    async touch(digest, atMs) {
      const key = await find(digest);
      if (key === undefined) return;
      const version = usedAtMinuteMs(atMs);
      if (version <= (key.lastUsedAtMs ?? -1)) return;
      await table.write([{ name: key.name, field: "used", version, value: String(version) }]);
    },
  };
}

function keyOf(rows: readonly { readonly field: string; readonly value: string }[]): AccessKey[] {
  const fields = new Map(rows.map(({ field, value }) => [field, value]));
  const [made, used, revoked] = [fields.get("made"), fields.get("used"), fields.get("revoked")];
  if (made === undefined) return [];
  const { expiresAtMs, ...key } = JSON.parse(made) as NewAccessKey;
  return [
    {
      ...key,
      expiresAtMs,
      lastUsedAtMs: used === undefined ? undefined : Number(used),
      revokedAtMs: revoked === undefined ? undefined : Number(revoked),
    },
  ];
}
