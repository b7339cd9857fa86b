/** An answer that says why something cannot be had, in the words of the service. */
export class ApiError extends Error {
  /** 0 where the service could not be reached at all. */
  readonly status: number;
  /** Its code, such as `unknown-load-test`. */
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
  }
}

/** Whether nobody answers, or only a proxy that gets no answer either: the same may succeed later. */
export function isOutage({ status }: ApiError): boolean {
  return status === 0 || (status >= 502 && status <= 504);
}
