/** What errors of PostgreSQL and its driver mean: whether another attempt may succeed, and the messages for people. */

import { type ErrorCode, UserError, errorMessage } from "../../model/errors.ts";

/** A writing statement on a standby, or in a read-only transaction. */
export const STANDBY = "25006";

/** SQLSTATE codes, https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const MEANINGS: Readonly<Record<string, readonly [code: ErrorCode, cure: string]>> = {
  [STANDBY]: ["store-read-only", "the server is a standby, or its transactions are read-only"],
  "28000": ["store-unusable", "the server does not let this user in"],
  "28P01": ["store-unusable", "the password is wrong"],
  "3D000": ["store-unusable", "create the database first"],
  "42501": [
    "store-unusable",
    "the user needs CREATE on the schema the first time, and SELECT, INSERT, UPDATE and DELETE on its tables",
  ],
  "42P01": ["store-unusable", "a table is missing"],
  "42703": ["store-unusable", "a column is missing"],
  "53100": ["storage-full", "the disk of the database is full"],
  "53300": ["busy", "the server has too many connections"],
  "55P03": ["busy", "another transaction holds a lock"],
  "57014": ["busy", "the statement took too long"],
  XX001: ["damaged-store", "the database reports damaged data"],
  XX002: ["damaged-store", "the database reports a damaged index"],
};

/** The server ends, or starts, or has ended a session. */
const STOPPING = new Set(["57P01", "57P02", "57P03", "53300", "25P03"]);
/** Another transaction was in the way; nothing was done. */
const CONFLICTS = new Set(["40001", "40P01"]);
/** A statement of a transaction that has already failed. */
const AFTER_FAILURE = "25P02";

const LOST = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);
const LOST_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired|Query read timeout)/;

/** Whether the connection, or the server behind it, is gone: another attempt may succeed on another connection. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined && (STOPPING.has(code) || code.startsWith("08") || LOST.has(code))) {
    return true;
  }
  if (code === STANDBY) return true;
  return error instanceof Error && LOST_MESSAGES.test(error.message);
}

/** Whether a server did not even refuse to answer. */
export function isSilence(error: unknown): boolean {
  if (["ETIMEDOUT", "EHOSTUNREACH"].includes(codeOf(error) ?? "")) return true;
  return error instanceof Error && /^(timeout expired|Query read timeout)/.test(error.message);
}

/** Whether the transaction was rolled back for the sake of another, so that it can be repeated. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error) ?? "");
}

export function isAfterFailure(error: unknown): boolean {
  return codeOf(error) === AFTER_FAILURE;
}

/** Returns the error to throw instead of one of the database. */
export function storeError(error: unknown, place: string): unknown {
  if (error instanceof UserError) return error;
  const message = errorMessage(error);
  const known = MEANINGS[codeOf(error) ?? ""];
  if (known !== undefined) {
    const [code, cure] = known;
    return new UserError(code, `cannot use ${place}: ${message} (${cure})`, { cause: error });
  }
  return isLost(error) ? unreachable(error, place) : error;
}

export function unreachable(error: unknown, place: string): UserError {
  const message = `cannot reach ${place}: ${errorMessage(error)}`;
  return new UserError("store-unreachable", message, { cause: error });
}

/** Of a standby, or of a primary that was demoted. */
export function isStandby(error: unknown): boolean {
  return codeOf(error) === STANDBY;
}

/** Returns the error to throw instead of one of the driver: a missing password, or a problem with TLS. */
export function connectError(error: unknown, place: string): unknown {
  if (isLost(error) || MEANINGS[codeOf(error) ?? ""] !== undefined) return error;
  const reason = errorMessage(error);
  const why = reason.includes("password must be a string")
    ? "the server asks for a password, and the URL has none"
    : reason;
  const message = `cannot use ${place}: ${why}`;
  return new UserError("store-unusable", message, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
