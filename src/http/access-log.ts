import type { IncomingMessage, ServerResponse } from "node:http";
import { networkOf } from "./client-address.ts";
import type { Monitoring } from "./monitoring.ts";
import type { QueryField } from "./request/request-target.ts";

/** Where log lines go: an object of fields and a short name of what happened. A pino logger fits. */
export interface HttpLog {
  info(fields: object, event: string): void;
  warn(fields: object, event: string): void;
  error(fields: object, event: string): void;
}

/** What is known of a request by the time its answer is over; filled in as it becomes known. */
export interface RequestNotes {
  readonly requestId: string;
  /** IP address of the client. */
  readonly address: string;
  /** Name of the operation; `none` while no route is found. */
  route: string;
  target: NotedTarget;
  /** Name of the key, never the key. */
  keyName: string | undefined;
  /** Whether a body, if there is one, was read to its end. */
  isBodyRead: boolean;
}

/** What the log says of a target. Keys in it are masked when a line is written. */
export interface NotedTarget {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Query parameters whose values say nothing that a log should not hold. */
const LOGGED_PARAMETERS = new Set(["loadTestId", "db", "bucket", "format"]);

const LOGGED_LENGTH_MAX = 128;

/** Whom a request is one of, where several share something: a key, or an address without one. */
export function readerOf({ keyName, address }: RequestNotes): string {
  return keyName === undefined ? networkOf(address) : `key ${keyName}`;
}

/** What is logged of a path and of the fields of its query, of which only some are. */
export function noteTarget(path: string, fields: readonly QueryField[]): NotedTarget {
  return {
    path: path.slice(0, LOGGED_LENGTH_MAX),
    fields: loggedFields(fields),
  };
}

/** Writes one line and counts one answer when it is over, whether it was sent or cut off. */
export function followRequest(
  request: IncomingMessage,
  response: ServerResponse,
  notes: RequestNotes,
  { log, monitoring }: { readonly log: HttpLog; readonly monitoring: Monitoring },
): void {
  const startedAtMs = performance.now();
  let isOver = false;
  const finish = (isComplete: boolean): void => {
    if (isOver) return;
    isOver = true;
    const elapsedMs = performance.now() - startedAtMs;
    const method = request.method ?? "";
    const status = response.statusCode;
    const { path, fields } = notes.target;
    monitoring.answered({ route: notes.route, method, status }, elapsedMs / 1000);
    log.info(
      {
        requestId: notes.requestId,
        address: notes.address,
        method,
        path,
        route: notes.route,
        ...fields,
        key: notes.keyName,
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
