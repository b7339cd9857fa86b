import { ask } from "./client.ts";

export type Scope = "read" | "write" | "admin";

/** See docs/api.md, "Keys". */
export interface AccessKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  /** To the minute; `null`: never. */
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** Whether it is the key of this tab. */
  readonly current: boolean;
}

export interface MadeKey extends AccessKey {
  /** The key itself, which is not to be had again. */
  readonly key: string;
}

export interface KeyWish {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** `undefined`: does not expire. */
  readonly expiresDays: number | undefined;
}

export function askCurrentKey(signal?: AbortSignal): Promise<AccessKey> {
  return ask("getCurrentKey", {}, signal === undefined ? {} : { signal });
}

/** By time of creation, revoked and expired ones included; for administrators. */
export async function listKeys(signal: AbortSignal): Promise<readonly AccessKey[]> {
  const { keys } = await ask("listKeys", {}, { signal });
  return keys;
}

export function createKey(wish: KeyWish): Promise<MadeKey> {
  const { name, scopes, expiresDays } = wish;
  const body = { name, scopes, ...(expiresDays === undefined ? {} : { expiresDays }) };
  return ask("createKey", {}, { body });
}

export function revokeKey(name: string): Promise<AccessKey> {
  return ask("revokeKey", { name });
}
