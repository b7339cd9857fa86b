import type { AccessKey, NewAccessKey } from "../model/access-key.ts";

const MINUTE_MS = 60_000;

/** Access keys, stored as the SHA-256 of their text. */
export interface Keys {
  /** Adds a key. Throws `key-name-taken`. */
  add(key: NewAccessKey): Promise<void>;
  /** Returns the key with this digest (64 hex digits), even if revoked or expired. */
  find(digest: string): Promise<AccessKey | undefined>;
  /** Returns all keys by time of creation. */
  list(): Promise<readonly AccessKey[]>;
  /** Revokes at `atMs`. Idempotent. Throws `unknown-key-name`. */
  revoke(name: string, atMs: number): Promise<void>;
  /** Deletes keys of sign-ins that expired before `atMs`. */
  forgetExpired(atMs: number): Promise<void>;
  /** Records that a key was used at `atMs`. */
  touch(digest: string, atMs: number): Promise<void>;
}

/** Returns the time of use to store: the full minute, so that using a key rarely writes. */
export function usedAtMinuteMs(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
}
