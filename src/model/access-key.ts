/** What a key may do. `admin` includes the other two. */
export const SCOPES = ["read", "write", "admin"] as const;

export type Scope = (typeof SCOPES)[number];

/** An access key as it is kept: never the key itself, only its digest. */
export interface AccessKey {
  /** Unique among all keys, revoked ones included. */
  readonly name: string;
  /** SHA-256 of the key's text, 64 hex digits. */
  readonly digest: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds since the epoch, like the other times. */
  readonly createdAtMs: number;
  /** `undefined`: never used. Kept to the minute. */
  readonly lastUsedAtMs: number | undefined;
  /** `undefined`: does not expire. */
  readonly expiresAtMs: number | undefined;
  /** `undefined`: not revoked. */
  readonly revokedAtMs: number | undefined;
}

/** A key as administrators are told of it. */
export type ToldKey = Omit<AccessKey, "digest">;

/** Of a key that expires. */
export const EXPIRY_DAYS_MAX = 36_500;

export type NewAccessKey = Omit<AccessKey, "lastUsedAtMs" | "revokedAtMs">;
