import type { Exchange, LoggedTarget, Report, RequestFields } from "./exchange.ts";
import type { Monitoring } from "./monitoring.ts";
import type { QueryField } from "./request/request-target.ts";

/** Receives log lines: fields and a short event name. A pino logger fits. */
export interface HttpLog {
  info(fields: object, event: string): void;
  warn(fields: object, event: string): void;
  error(fields: object, event: string): void;
}

export interface RequestLog extends HttpLog {
  /** Returns what writes lines named `request` that begin with these fields. */
  requests(fields: object): (own: RequestFields) => void;
}

/** A request of which the response has ended. */
export interface AnsweredRequest extends Omit<RequestFields, "address"> {
  readonly method: string;
  /** Path of the operation, with its parameters by name; `undefined` if there is none. */
  readonly route: string | undefined;
  readonly status: number;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** Header of W3C Trace Context, as sent. */
  readonly traceparent: string | undefined;
}

/** For traces. Must not throw. */
export type TraceRequest = (request: AnsweredRequest) => void;

/** Query parameters whose values contain nothing confidential. */
const LOGGED_PARAMETERS = new Set(["loadTestId", "db", "bucket", "format"]);

const LOGGED_LENGTH_MAX = 128;

export function loggedTarget(path: string, fields: readonly QueryField[]): LoggedTarget {
  const logged = fields
    .filter(({ name }) => LOGGED_PARAMETERS.has(name))
    .map(({ name, value }) => [name, value.slice(0, LOGGED_LENGTH_MAX)]);
  return { path: path.slice(0, LOGGED_LENGTH_MAX), fields: Object.fromEntries(logged) };
}

interface Reporting {
  readonly log: RequestLog;
  readonly monitoring: Monitoring;
}

/** What repeated responses have in common is looked up and written as JSON once. */
export function createReport(
  { request, response, route, loggedTarget: { path, fields }, keyName }: Exchange,
  { log, monitoring }: Reporting,
): Report {
  const { method = "" } = request;
  const about = { method, route: route?.operationId ?? "none", status: response.statusCode };
  const count = monitoring.counterOf(about);
  const write = log.requests({ ...about, path, ...fields, key: keyName });
  return (own) => {
    count(own.elapsedMs / 1000);
    write(own);
  };
}

/** Logs and counts a response that has ended, complete or not. */
export function logExchange(
  exchange: Exchange,
  reporting: Reporting & { readonly trace?: TraceRequest | undefined },
): void {
  const { request, response, startedAtMs, requestId, address } = exchange;
  const elapsedMs = Math.round((performance.now() - startedAtMs) * 1000) / 1000;
  const own = { requestId, address, isComplete: response.writableFinished, elapsedMs };
  const report = exchange.report ?? createReport(exchange, reporting);
  report(own);
  reporting.trace?.({
    ...own,
    method: request.method ?? "",
    route: exchange.route?.path,
    status: response.statusCode,
    startedAtMs: performance.timeOrigin + startedAtMs,
    traceparent: request.headers["traceparent"]?.toString(),
  });
}
