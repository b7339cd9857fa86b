const REASONS: Record<string, string> = {
  ENOENT: "there is no such file",
  EACCES: "permission is denied",
  ENXIO: "it is a socket",
};

/** The error catalogue. `http/` maps kinds to statuses, `cli/` to exit codes; docs/errors.md has cause and cure. */

/** Kinds of errors, by what the caller can do about them. */
export type ErrorKind =
  | "invalid"
  | "unauthorized"
  | "forbidden"
  | "not-found"
  | "conflict"
  | "too-large"
  | "unreadable"
  | "damaged"
  | "unavailable";

export const ERROR_CATALOGUE = {
  "bad-load-test-id": { kind: "invalid", title: "Not a load test id" },
  "bad-parameter": { kind: "invalid", title: "A parameter has a wrong value" },
  "bad-setting": { kind: "invalid", title: "A setting has a wrong value" },
  "sum-too-large": { kind: "too-large", title: "A sum is too large to be exact" },
  "label-too-long": { kind: "too-large", title: "A label is too long" },
  "too-many-labels": { kind: "too-large", title: "The load test has too many labels" },
  "too-many-events": { kind: "too-large", title: "The load test has too many events" },
  "too-many-endpoints": { kind: "too-large", title: "Too many endpoints for one response" },
  "unknown-facet": { kind: "not-found", title: "No request has this facet" },
  "file-too-large": { kind: "too-large", title: "A file to keep is too large" },
  "too-many-files": { kind: "too-large", title: "The load test has too many attachments" },
  "unknown-file": { kind: "not-found", title: "Unknown file" },
  "unknown-load-test": { kind: "not-found", title: "Unknown load test" },
  "load-test-exists": { kind: "conflict", title: "The load test exists already" },
  "load-test-growing": { kind: "conflict", title: "The load test is still growing" },
  "key-name-taken": { kind: "conflict", title: "A key of this name exists already" },
  "bad-key-name": { kind: "invalid", title: "Invalid key name" },
  "unknown-key-name": { kind: "not-found", title: "No key has this name" },
  "unknown-link": { kind: "not-found", title: "No link has this name or key" },
  "last-admin-key": { kind: "conflict", title: "The last admin key cannot be revoked" },
  "unreadable-source": { kind: "unreadable", title: "Unreadable result file" },
  "empty-source": { kind: "unreadable", title: "A result file without rows" },
  "source-too-large": { kind: "too-large", title: "A source decompresses to more than the limit" },
  "bad-batch": { kind: "invalid", title: "A malformed batch" },
  "sequence-reused": { kind: "conflict", title: "The batch number was used for other data" },
  "source-moved-on": { kind: "conflict", title: "The source has received other batches meanwhile" },
  "source-incomplete": { kind: "conflict", title: "Batches of the source are missing" },
  "source-replaced": { kind: "conflict", title: "The source was replaced meanwhile" },
  "damaged-store": { kind: "damaged", title: "Stored bytes are damaged" },
  "store-too-new": { kind: "unavailable", title: "The store was written by a newer version" },
  "store-unusable": { kind: "unavailable", title: "The store cannot be opened" },
  "store-read-only": { kind: "forbidden", title: "The store is read-only" },
  "file-exists": { kind: "conflict", title: "The file exists already" },
  "store-unreachable": { kind: "unavailable", title: "The store's servers do not respond" },
  "store-in-use": { kind: "unavailable", title: "Another server uses the data directory" },
  "server-unreachable": { kind: "unavailable", title: "The server cannot be reached" },
  "server-refused": { kind: "forbidden", title: "The server rejected a request" },
  "bad-answer": { kind: "unavailable", title: "The server sent an unexpected response" },
  "report-not-built": { kind: "unavailable", title: "The template of HTML reports is not built" },
  "address-in-use": { kind: "unavailable", title: "The listen address is in use" },
  "storage-full": { kind: "unavailable", title: "The disk is full" },
  busy: { kind: "unavailable", title: "Too much at once" },
} as const satisfies Record<string, { kind: ErrorKind; title: string }>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** An error that the user caused or can fix; a broken invariant is a plain `Error` with "BUG:". */
export class UserError extends Error {
  readonly code: ErrorCode;

  /** `message`: what could not be done, to what, where, got and want. */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UserError";
    this.code = code;
  }

  get kind(): ErrorKind {
    return ERROR_CATALOGUE[this.code].kind;
  }

  get title(): string {
    return ERROR_CATALOGUE[this.code].title;
  }
}

export function badParameter(message: string): UserError {
  return new UserError("bad-parameter", message);
}

/** Resolves as `work` does, or to `undefined` where it throws an error of this code. */
export async function unless<Result>(
  code: ErrorCode,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserError && error.code === code) return undefined;
    throw error;
  }
}

export function unreadableFile(path: string, cause: unknown): UserError {
  if (cause instanceof UserError) return cause;
  const reason = REASONS[String(systemCode(cause))] ?? errorMessage(cause);
  return new UserError("unreadable-source", `cannot read "${path}": ${reason}`, { cause });
}

/** The `code` of an error of Node or the operating system, such as `ENOENT`; `undefined` without one. */
export function systemCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

export function errorMessage(error: unknown): string {
  return asError(error).message;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** For `catch`, where what cannot be read or stored is done without. */
export function unlessUserError(error: unknown): void {
  if (!(error instanceof UserError)) throw error;
}
