/** A refusal, in the service's own words. */
export class ApiError extends Error {
  /** 0 if the service could not be reached. */
  readonly status: number;
  /** The error code, such as `unknown-load-test`. */
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
  }
}

/** Whether the service is unreachable, also behind a proxy; the same request may succeed later. */
export function isOutage({ status }: ApiError): boolean {
  return status === 0 || (status >= 502 && status <= 504);
}
