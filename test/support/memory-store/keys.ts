import type { AccessKey } from "../../../src/model/access-key.ts";
import { keyNameTaken, unknownKeyName } from "../../../src/store/refusals.ts";
import { type Keys, usedAtMinuteMs } from "../../../src/store/store.ts";

/** `changed` is called after every change. */
export function openMemoryKeys(changed: () => void): Keys {
  const byName = new Map<string, AccessKey>();
  const put = (key: AccessKey): void => {
    byName.set(key.name, key);
    changed();
  };
  const withDigest = (digest: string) => [...byName.values()].find((key) => key.digest === digest);
  const list = (): readonly AccessKey[] =>
    [...byName.values()].toSorted(
      (left, right) => left.createdAtMs - right.createdAtMs || (left.name < right.name ? -1 : 1),
    );
  return {
    async add(key) {
      if (byName.has(key.name)) throw keyNameTaken(key.name);
      put({ ...key, lastUsedAtMs: undefined, revokedAtMs: undefined });
    },
    async find(digest) {
      return withDigest(digest);
    },
    async list() {
      return list();
    },
    async revoke(name, atMs, check) {
      check?.(list());
      const key = byName.get(name);
      if (key === undefined) throw unknownKeyName(name);
      put({ ...key, revokedAtMs: key.revokedAtMs ?? atMs });
    },
    async forgetExpired(atMs) {
      for (const { name, isSignIn, expiresAtMs = Infinity } of byName.values())
        if (isSignIn === true && expiresAtMs < atMs) byName.delete(name);
      changed();
    },
    async touch(digest, atMs) {
      const key = withDigest(digest);
      if (key === undefined) return;
      const lastUsedAtMs = Math.max(usedAtMinuteMs(atMs), key.lastUsedAtMs ?? 0);
      put({ ...key, lastUsedAtMs });
    },
  };
}
