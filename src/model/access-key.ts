/** What a key may do. `admin` includes the other two. */
export const SCOPES = ["read", "write", "admin"] as const;

export type Scope = (typeof SCOPES)[number];

/** An access key as stored: its digest only. */
export interface AccessKey {
  /** Unique among all keys, revoked ones included. */
  readonly name: string;
  /** SHA-256 of the key's text, 64 hex digits. */
  readonly digest: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since the epoch, like the other times. */
  readonly createdAtMs: number;
  /** `undefined`: never used. Precision: one minute. */
  readonly lastUsedAtMs: number | undefined;
  /** `undefined`: never. */
  readonly expiresAtMs: number | undefined;
  readonly revokedAtMs: number | undefined;
}

export type KeyInfo = Omit<AccessKey, "digest">;

export const EXPIRY_DAYS_MAX = 36_500;

export type NewAccessKey = Omit<AccessKey, "lastUsedAtMs" | "revokedAtMs">;
