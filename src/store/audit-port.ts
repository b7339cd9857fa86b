/** Changes that the log has at most; in ClickHouse, those of `AUDIT_DAYS`. */
export const AUDIT_ENTRIES_MAX = 100_000;

export const AUDIT_DAYS = 400;

/** Who changed what. Entries cannot be changed, and the oldest are deleted. */
export interface AuditLog {
  add(entry: NewAuditEntry): Promise<void>;
  /** Those of one project, latest first. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
}

export interface NewAuditEntry {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** See `AccessKey.project`. */
  readonly project: string | undefined;
  /** Name of the key; `undefined`: the server itself, or a person who got none. */
  readonly key: string | undefined;
  readonly operation: string;
  /** What was changed: an id or a name. */
  readonly target: string | undefined;
  /** `done`, or the code of the error. */
  readonly outcome: string;
  /** JSON; never a key. */
  readonly details: string | undefined;
}

export interface AuditEntry extends NewAuditEntry {
  /** Unique in the store; opaque. */
  readonly id: string;
}

export interface AuditQuery {
  readonly project: string | undefined;
  /** Exact. @default any */
  readonly target?: string | undefined;
  /** Id of the last entry of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}
