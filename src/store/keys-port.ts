import type { AccessKey, NewAccessKey } from "../model/access-key.ts";

const MINUTE_MS = 60_000;

/** Keys, kept as the SHA-256 of their text. */
export interface Keys {
  /** Adds a key. Throws `key-name-taken`. */
  add(key: NewAccessKey): Promise<void>;
  /** The key of this digest (64 hex digits), revoked and expired ones included. */
  find(digest: string): Promise<AccessKey | undefined>;
  /** All of them by time of creation. */
  list(): Promise<readonly AccessKey[]>;
  /** Revokes at `atMs`; revoking twice changes nothing. Throws `unknown-key-name`. */
  revoke(name: string, atMs: number): Promise<void>;
  /** Notes that a key was used at `atMs`. */
  touch(digest: string, atMs: number): Promise<void>;
}

/** The instant at which a key's use is kept: its full minute, so that using a key rarely writes. */
export function usedAtMinuteMs(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
}
