import type { Exchange, LoggedTarget } from "./exchange.ts";
import type { Monitoring } from "./monitoring.ts";
import type { QueryField } from "./request/request-target.ts";

/** Where log lines go: an object of fields and a short name of what happened. A pino logger fits. */
export interface HttpLog {
  info(fields: object, event: string): void;
  warn(fields: object, event: string): void;
  error(fields: object, event: string): void;
}

/** Query parameters whose values say nothing that a log should not hold. */
const LOGGED_PARAMETERS = new Set(["loadTestId", "db", "bucket", "format"]);

const LOGGED_LENGTH_MAX = 128;

/** What is logged of a path and of the fields of its query, of which only some are. */
export function loggedTarget(path: string, fields: readonly QueryField[]): LoggedTarget {
  return {
    path: path.slice(0, LOGGED_LENGTH_MAX),
    fields: loggedFields(fields),
  };
}

/** Writes one line and counts one response when it is over, whether it was sent or cut off. */
export function logExchange(
  exchange: Exchange,
  { log, monitoring }: { readonly log: HttpLog; readonly monitoring: Monitoring },
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
