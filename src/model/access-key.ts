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
  /** Of a link: all that it opens, a load test and, for a comparison, its base. @default every load test */
  readonly loadTestIds?: readonly string[] | undefined;
  /** When these were created, in their order: a later load test with one of the ids is another one. */
  readonly loadTestTimesMs?: readonly number[] | undefined;
  /** Of a link: whether it opens their files, too. @default false */
  readonly opensFiles?: boolean | undefined;
  /** The only project whose load tests, keys and thresholds it sees. @default what belongs to none */
  readonly project?: string | undefined;
  /** Whether a sign-in made it: such keys are deleted when they have expired. @default false */
  readonly isSignIn?: boolean | undefined;
}

export type KeyInfo = Omit<AccessKey, "digest">;

/** A key that opens one load test or one comparison to read, as shown. */
export interface LinkInfo extends Omit<
  KeyInfo,
  "scopes" | "loadTestIds" | "loadTestTimesMs" | "opensFiles" | "project"
> {
  readonly loadTestId: string;
  /** What it is compared with; `undefined`: it opens the load test alone. */
  readonly base: string | undefined;
  /** Whether it opens their files, too. */
  readonly files: boolean;
}

export const EXPIRY_DAYS_MAX = 36_500;

export type NewAccessKey = Omit<AccessKey, "lastUsedAtMs" | "revokedAtMs">;
