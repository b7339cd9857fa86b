import { UserError } from "../../model/errors.ts";
import { TooManyLabels } from "../../model/label.ts";
import { HttpError, type ParameterComplaint, statusAndTitle, type TooMany } from "./http-error.ts";
import type { JsonSchema } from "../../api/schema.ts";

export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ErrorForm {
  readonly mediaType: string;
  readonly schema: JsonSchema;
  write(problem: ErrorParts): string;
}

/** The content of an error, independent of its format. */
interface ErrorParts {
  readonly code: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly requestId: string;
  readonly complaints: readonly ParameterComplaint[];
  readonly tooMany: TooMany | undefined;
}

/** The default error format (RFC 9457). */
export const PROBLEM_FORM: ErrorForm = {
  mediaType: "application/problem+json",
  schema: { $ref: "#/components/schemas/Problem" },
  write: ({ code, title, status, detail, requestId, complaints, tooMany }) =>
    JSON.stringify({
      type: problemType(code),
      title,
      status,
      detail,
      instance: `urn:uuid:${requestId}`,
      ...(complaints.length > 0 ? { errors: complaints } : {}),
      ...tooMany,
    }),
};

/** Seconds after which a client may retry. */
const RETRY_AFTER = "5";

/**
 * The response to an error. Client errors include the error's message; damage, outages and bugs only
 * their kind, since their messages may contain local paths.
 */
export function problemOf(error: unknown, requestId: string, form = PROBLEM_FORM): Problem {
  const { code, headers, message, complaints, tooMany } = asHttpError(error);
  const { status, title } = statusAndTitle(code);
  const retry = status === 503 ? { "Retry-After": RETRY_AFTER } : {};
  return {
    status,
    headers: {
      ...retry,
      ...headers,
      "Content-Type": form.mediaType,
      "Cache-Control": "no-store",
    },
    body: form.write({ code, title, status, detail: message, requestId, complaints, tooMany }),
  };
}

/** A permanent name, explained in docs/errors.md. */
function problemType(code: string): string {
  return `urn:tachograph:error:${code}`;
}

/** Whether the log should contain more than the response. */
export function isServerFault(error: unknown): boolean {
  return statusAndTitle(asHttpError(error).code).status >= 500;
}

function asHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (!(error instanceof UserError)) {
    return new HttpError("internal-error", "an unexpected error; see the server's log");
  }
  if (error.kind === "damaged" || error.kind === "unavailable") {
    return new HttpError(error.code, `${error.title}; the log of the server says more`);
  }
  if (!(error instanceof TooManyLabels)) return new HttpError(error.code, error.message);
  const { labels, labelsMax } = error;
  return new HttpError(error.code, error.message, { tooMany: { labels, labelsMax } });
}
