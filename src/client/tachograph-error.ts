/** Why a service did not answer as it was asked to, in its own words where there are any. */
export class TachographError extends Error {
  /** Its code, such as `unknown-load-test`; `unreachable` and `broken-answer` are the client's own. */
  readonly code: string;
  /** `undefined` where no answer came. */
  readonly status: number | undefined;
  /** Names the request in the log of the service. */
  readonly requestId: string | undefined;

  constructor(code: string, message: string, { status, requestId, cause }: Circumstances = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "TachographError";
    this.code = code;
    this.status = status;
    this.requestId = requestId;
  }
}

interface Circumstances {
  readonly status?: number;
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

/** The error that a refusal stands for. Of one by a proxy, only the status is known. */
export async function refusalOf(response: Response): Promise<TachographError> {
  const { status, statusText, headers } = response;
  const problem = (await response.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
  const { type, title, detail } = problem;
  const code = typeof type === "string" ? type.slice(type.lastIndexOf(":") + 1) : "refused";
  const words = [detail, title].find((text) => typeof text === "string");
  const message = typeof words === "string" ? words : `the answer was ${status} ${statusText}`;
  const requestId = headers.get("X-Request-Id") ?? undefined;
  return new TachographError(code, message.trim(), { status, requestId });
}

/** Of a request that nobody answered, or whose answer broke off; where it was aborted, as it is. */
export function brokenOff(
  code: "unreachable" | "broken-answer",
  error: unknown,
  signal: AbortSignal | undefined,
): unknown {
  if (signal?.aborted === true) return error;
  const message =
    code === "unreachable" ? "the service does not answer" : "the answer is not whole";
  return new TachographError(code, message, { cause: error });
}
