import type { Exchange, LoggedTarget } from "./exchange.ts";
import type { Monitoring } from "./monitoring.ts";
import type { QueryField } from "./request/request-target.ts";

/** Receives log lines: fields and a short event name. A pino logger fits. */
export interface HttpLog {
  info(fields: object, event: string): void;
  warn(fields: object, event: string): void;
  error(fields: object, event: string): void;
}

/** A request of which the response has ended. */
export interface AnsweredRequest {
  readonly method: string;
  /** Path of the operation, with its parameters by name; `undefined` if there is none. */
  readonly route: string | undefined;
  readonly status: number;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly elapsedMs: number;
  /** Whether the response was sent to its end. */
  readonly isComplete: boolean;
  readonly requestId: string;
  /** Header of W3C Trace Context, as sent. */
  readonly traceparent: string | undefined;
}

/** For traces. Must not throw. */
export type TraceRequest = (request: AnsweredRequest) => void;

/** Query parameters whose values contain nothing confidential. */
const LOGGED_PARAMETERS = new Set(["loadTestId", "db", "bucket", "format"]);

const LOGGED_LENGTH_MAX = 128;

export function loggedTarget(path: string, fields: readonly QueryField[]): LoggedTarget {
  return {
    path: path.slice(0, LOGGED_LENGTH_MAX),
    fields: loggedFields(fields),
  };
}

/** Logs and counts the response once it ends, complete or not. */
export function logExchange(
  exchange: Exchange,
  {
    log,
    monitoring,
    trace,
  }: {
    readonly log: HttpLog;
    readonly monitoring: Monitoring;
    readonly trace: TraceRequest | undefined;
  },
): void {
  const { request, response, requestId, address } = exchange;
  const startedAtMs = performance.now();
  let isOver = false;
  const finish = (isComplete: boolean): void => {
    if (isOver) return;
    isOver = true;
    const elapsedMs = performance.now() - startedAtMs;
    const method = request.method ?? "";
    const status = response.statusCode;
    const route = exchange.route?.operationId ?? "none";
    const { path, fields } = exchange.loggedTarget;
    monitoring.answered({ route, method, status }, elapsedMs / 1000);
    trace?.({
      method,
      route: exchange.route?.path,
      status,
      startedAtMs: performance.timeOrigin + startedAtMs,
      elapsedMs,
      isComplete,
      requestId,
      traceparent: request.headers["traceparent"]?.toString(),
    });
    log.info(
      {
        requestId,
        address,
        method,
        path,
        route,
        ...fields,
        key: exchange.keyName,
        status,
        isComplete,
        elapsedMs: Math.round(elapsedMs * 1000) / 1000,
      },
      "request",
    );
  };
  response.on("finish", () => finish(true));
  response.on("close", () => finish(false));
}

function loggedFields(fields: readonly QueryField[]): Record<string, string> {
  return Object.fromEntries(
    fields
      .filter(({ name }) => LOGGED_PARAMETERS.has(name))
      .map(({ name, value }) => [name, value.slice(0, LOGGED_LENGTH_MAX)]),
  );
}
