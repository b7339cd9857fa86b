import type { Arrival, LoggedTarget } from "./exchange.ts";
import type { Monitoring } from "./monitoring.ts";
import type { QueryField } from "./request/request-target.ts";

/** Receives log lines: fields and a short event name. A pino logger fits. */
export interface HttpLog {
  info(fields: object, event: string): void;
  warn(fields: object, event: string): void;
  error(fields: object, event: string): void;
}

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
  readonly log: HttpLog;
  readonly monitoring: Monitoring;
}

interface Outcome {
  readonly method: string;
  readonly status: number;
  /** Whether all of the response was sent. */
  readonly isComplete: boolean;
}

/** Logs and counts a response that has ended, complete or not. */
export function logOutcome(
  arrival: Arrival,
  { method, status, isComplete }: Outcome,
  { log, monitoring }: Reporting,
): void {
  const { startedAtMs, requestId, address, route, keyName } = arrival;
  const { path, fields } = arrival.loggedTarget;
  const elapsedMs = Math.round((performance.now() - startedAtMs) * 1000) / 1000;
  const about = { method, route: route?.operationId ?? "none", status };
  monitoring.counted(about, elapsedMs / 1000);
  const own = { requestId, address, isComplete, elapsedMs };
  log.info({ ...about, path, ...fields, key: keyName, ...own }, "request");
}
