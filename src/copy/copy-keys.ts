import type { AccessKey } from "../model/access-key.ts";
import { UserError } from "../model/errors.ts";
import type { Keys } from "../store/keys-port.ts";

export interface CopiedKeys {
  /** Those that are on the other side now. */
  readonly keys: number;
  /** Why some are not, or not as they are here: as sentences. */
  readonly differences: readonly string[];
}

/**
 * Copies all keys with their digests, so that who has one of them uses it on the other side as well;
 * those that are there already are brought up to date.
 */
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
    // Another key of this name is left as it is, and told of as a difference.
    if ((await to.find(key.digest))?.name !== key.name) return;
  }
  if (lastUsedAtMs !== undefined) await to.touch(key.digest, lastUsedAtMs);
  if (revokedAtMs !== undefined) await to.revoke(key.name, revokedAtMs);
}

function differencesOf(key: AccessKey, copy: AccessKey | undefined): readonly string[] {
  if (copy === undefined) return [`key "${key.name}" is missing in the copy`];
  if (copy.digest !== key.digest) return [`key "${key.name}" is another one in the copy`];
  // It may have been used, or revoked, on the other side already.
  const isRight =
    copy.scopes.join() === key.scopes.join() &&
    copy.createdAtMs === key.createdAtMs &&
    copy.expiresAtMs === key.expiresAtMs &&
    (key.revokedAtMs === undefined || copy.revokedAtMs !== undefined);
  return isRight ? [] : [`key "${key.name}" has other rights or times in the copy`];
}
