import { ERROR_CATALOGUE, type ErrorCode, type ErrorKind } from "../../model/errors.ts";

/** Errors specific to HTTP; the others are in `model/errors.ts`. */
export const HTTP_ERROR_CATALOGUE = {
  "malformed-request": { status: 400, title: "Malformed HTTP request" },
  "duplicate-header": { status: 400, title: "Duplicate header" },
  "bad-encoding": { status: 400, title: "Malformed URL encoding" },
  "bad-body": { status: 400, title: "The body cannot be read" },
  "body-incomplete": { status: 400, title: "The body ended early" },
  "partial-write": { status: 400, title: "Some lines or values cannot be stored" },
  unauthorized: { status: 401, title: "A valid key is needed" },
  "missing-scope": { status: 403, title: "The key lacks the required scope" },
  "unknown-route": { status: 404, title: "Unknown path" },
  "method-not-allowed": { status: 405, title: "Method not allowed at this path" },
  "not-acceptable": { status: 406, title: "No acceptable format of the response" },
  "request-timeout": { status: 408, title: "The request took too long to arrive" },
  "length-required": { status: 411, title: "The request needs a body" },
  "body-too-large": { status: 413, title: "The body is too large" },
  "unexpected-body": { status: 413, title: "Unexpected body" },
  "address-too-long": { status: 414, title: "The URL is too long" },
  "unsupported-media-type": { status: 415, title: "Unsupported type of body" },
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
  /** What the request changed before it failed, see `RouteResponse`. */
  readonly targets?: readonly (string | undefined)[];
}

/** An error response; the connection stays open unless the code requires closing it. */
export class HttpError extends Error {
  readonly code: HttpErrorCode | ErrorCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly complaints: readonly ParameterComplaint[];
  readonly tooMany: TooMany | undefined;
  readonly targets: readonly (string | undefined)[];

  /** `detail` is shown to the client: it must contain no key and no local path. */
  constructor(code: HttpErrorCode | ErrorCode, detail: string, extras: HttpErrorExtras = {}) {
    super(detail);
    this.name = "HttpError";
    this.code = code;
    this.headers = extras.headers ?? {};
    this.complaints = extras.complaints ?? [];
    this.tooMany = extras.tooMany;
    this.targets = extras.targets ?? [];
  }
}

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
