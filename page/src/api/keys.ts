import { type Answer, ask } from "./client.ts";

/** See docs/api.md, "Keys". */
export type MadeKey = Answer<"createKey">;
export type AccessKey = Answer<"getCurrentKey">;
export type Scope = AccessKey["scopes"][number];

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** `undefined`: never expires. */
  readonly expiresDays: number | undefined;
}

export function askCurrentKey(signal?: AbortSignal): Promise<AccessKey> {
  return ask("getCurrentKey", {}, signal === undefined ? {} : { signal });
}

/** By creation time, including revoked and expired keys; administrators only. */
export async function listKeys(signal: AbortSignal): Promise<readonly AccessKey[]> {
  const { keys } = await ask("listKeys", {}, { signal });
  return keys;
}

export function createKey(request: KeyRequest): Promise<MadeKey> {
  const { name, scopes, expiresDays } = request;
  const body = { name, scopes, ...(expiresDays === undefined ? {} : { expiresDays }) };
  return ask("createKey", {}, { body });
}

export function revokeKey(name: string): Promise<AccessKey> {
  return ask("revokeKey", { name });
}
