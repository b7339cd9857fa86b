import { ERROR_CATALOGUE, type ErrorCode, type ErrorKind } from "../../model/errors.ts";

/** Errors specific to HTTP; the others are in `model/errors.ts`. */
export const HTTP_ERROR_CATALOGUE = {
  "malformed-request": { status: 400, title: "The request breaks the rules of HTTP" },
  "duplicate-header": { status: 400, title: "A header was sent more than once" },
  "bad-encoding": { status: 400, title: "The address cannot be decoded" },
  "bad-body": { status: 400, title: "The body cannot be read" },
  "body-incomplete": { status: 400, title: "The body ended early" },
  "partial-write": { status: 400, title: "Some of the lines cannot be read" },
  unauthorized: { status: 401, title: "A valid key is needed" },
  "missing-scope": { status: 403, title: "The key may not do this" },
  "unknown-route": { status: 404, title: "Nothing is found at this path" },
  "method-not-allowed": { status: 405, title: "The path does not know this method" },
  "not-acceptable": { status: 406, title: "No acceptable form of the answer" },
  "request-timeout": { status: 408, title: "The request took too long to arrive" },
  "length-required": { status: 411, title: "A body is needed" },
  "body-too-large": { status: 413, title: "The body is too large" },
  "unexpected-body": { status: 413, title: "A body was sent where none is read" },
  "address-too-long": { status: 414, title: "The address is too long" },
  "unsupported-media-type": { status: 415, title: "A body of this kind is not read" },
  "foreign-host": { status: 421, title: "The request is addressed to another host" },
  "too-many-failed-keys": { status: 429, title: "Too many wrong keys came from this address" },
  "too-many-uploads": { status: 429, title: "Too many uploads at once" },
  "headers-too-large": { status: 431, title: "The headers are too large" },
  "internal-error": { status: 500, title: "The server failed" },
  "not-ready": { status: 503, title: "The server is not ready" },
} as const satisfies Record<string, { status: number; title: string }>;

export type HttpErrorCode = keyof typeof HTTP_ERROR_CATALOGUE;

const STATUS_OF_KIND: Record<ErrorKind, number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  "not-found": 404,
  conflict: 409,
  "too-large": 422,
  unreadable: 422,
  damaged: 500,
  unavailable: 503,
};

/** A rejected parameter, and what was expected. */
export interface ParameterComplaint {
  readonly parameter: string;
  readonly detail: string;
}

/** Labels over the limit, so that the sender can leave them out. */
export interface TooMany {
  readonly labels: readonly string[];
  readonly labelsMax: number;
}

export interface HttpErrorExtras {
  readonly headers?: Readonly<Record<string, string>>;
  readonly complaints?: readonly ParameterComplaint[];
  readonly tooMany?: TooMany | undefined;
}

/** An error response; the connection stays open unless the code requires closing it. */
export class HttpError extends Error {
  readonly code: HttpErrorCode | ErrorCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly complaints: readonly ParameterComplaint[];
  readonly tooMany: TooMany | undefined;

  /** `detail` is shown to the client: it must contain no key and no local path. */
  constructor(code: HttpErrorCode | ErrorCode, detail: string, extras: HttpErrorExtras = {}) {
    super(detail);
    this.name = "HttpError";
    this.code = code;
    this.headers = extras.headers ?? {};
    this.complaints = extras.complaints ?? [];
    this.tooMany = extras.tooMany;
  }
}

/** Status and title of an error code. */
export function statusAndTitle(code: HttpErrorCode | ErrorCode): {
  readonly status: number;
  readonly title: string;
} {
  if (code in HTTP_ERROR_CATALOGUE) return HTTP_ERROR_CATALOGUE[code as HttpErrorCode];
  const { kind, title } = ERROR_CATALOGUE[code as ErrorCode];
  return { status: STATUS_OF_KIND[kind], title };
}

/** Client input for a message: escaped and truncated. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text);
}
