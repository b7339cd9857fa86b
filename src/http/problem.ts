import { UserError } from "../model/errors.ts";
import { HttpError, statusAndTitle } from "./http-error.ts";

/** An error as it is sent (RFC 9457). */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const PROBLEM_CONTENT_TYPE = "application/problem+json";

/** Seconds after which a client may try again what failed for the moment. */
const RETRY_AFTER = "5";

/**
 * The answer to an error. What the client can mend is told in the error's own words; of damage,
 * outages and bugs only the kind is told, since their messages may name files of this machine.
 */
export function problemOf(error: unknown, requestId: string): Problem {
  const known = asHttpError(error);
  const { status, title } = statusAndTitle(known.code);
  const retry = status === 503 ? { "Retry-After": RETRY_AFTER } : {};
  return {
    status,
    headers: {
      ...retry,
      ...known.headers,
      "Content-Type": PROBLEM_CONTENT_TYPE,
      "Cache-Control": "no-store",
    },
    body: JSON.stringify({
      type: problemType(known.code),
      title,
      status,
      detail: known.message,
      instance: `urn:uuid:${requestId}`,
      ...(known.complaints.length > 0 ? { errors: known.complaints } : {}),
    }),
  };
}

/** A name that stays the same for ever; docs/errors.md explains each one. */
export function problemType(code: string): string {
  return `urn:tachograph:error:${code}`;
}

/** Whether the log should say more than the answer does. */
export function isServerFault(error: unknown): boolean {
  return statusAndTitle(asHttpError(error).code).status >= 500;
}

function asHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (!(error instanceof UserError)) {
    return new HttpError("internal-error", "an unexpected error; the log of the server has it");
  }
  if (error.kind === "damaged" || error.kind === "unavailable") {
    return new HttpError(error.code, `${error.title}; the log of the server says more`);
  }
  return new HttpError(error.code, error.message);
}
