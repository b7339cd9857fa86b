import type { AccessKey } from "../model/access-key.ts";
import { UserError } from "../model/errors.ts";
import type { Keys } from "../store/keys-port.ts";

export interface CopiedKeys {
  readonly keys: number;
  /** Why some keys were not copied, as sentences. */
  readonly differences: readonly string[];
}

/** Copies all keys with their digests, so that they work in the target; existing ones are updated. */
export async function copyKeys(from: Keys, to: Keys): Promise<CopiedKeys> {
  const originals = await from.list();
  for (const key of originals) await copyKey(key, to);
  const copies = new Map((await to.list()).map((key) => [key.name, key]));
  const differences = originals.flatMap((key) => differencesOf(key, copies.get(key.name)));
  return { keys: originals.length - differences.length, differences };
}

async function copyKey(key: AccessKey, to: Keys): Promise<void> {
  const { lastUsedAtMs, revokedAtMs, ...begun } = key;
  try {
    await to.add(begun);
  } catch (error) {
    if (!(error instanceof UserError && error.code === "key-name-taken")) throw error;
    // Another key of this name is left alone and reported as a difference.
    if ((await to.find(key.digest))?.name !== key.name) return;
  }
  if (lastUsedAtMs !== undefined) await to.touch(key.digest, lastUsedAtMs);
  if (revokedAtMs !== undefined) await to.revoke(key.name, revokedAtMs);
}

function differencesOf(key: AccessKey, copy: AccessKey | undefined): readonly string[] {
  if (copy === undefined) return [`key "${key.name}" is missing in the copy`];
  if (copy.digest !== key.digest) return [`key "${key.name}" is another one in the copy`];
  // The key may have been used or revoked in the target.
  const isRight =
    copy.scopes.join() === key.scopes.join() &&
    copy.createdAtMs === key.createdAtMs &&
    copy.expiresAtMs === key.expiresAtMs &&
    (key.revokedAtMs === undefined || copy.revokedAtMs !== undefined);
  return isRight ? [] : [`key "${key.name}" has other rights or times in the copy`];
}
