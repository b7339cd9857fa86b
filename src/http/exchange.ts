import type { IncomingMessage, ServerResponse } from "node:http";
import { networkOf } from "./client-address.ts";
import type { HttpError } from "./response/http-error.ts";
import type { Route } from "./route.ts";

/** A request at any door. Fields for the access log are filled in as they become known. */
export interface Arrival {
  readonly requestId: string;
  /** IP address of the client. */
  readonly address: string;
  /** On the clock of `performance.now`. */
  readonly startedAtMs: number;
  /** Why the rest of the body will never arrive. */
  brokenBy: HttpError | undefined;
  /** Called, once it is set, with `brokenBy`. */
  onBroken: ((reason: HttpError) => void) | undefined;
  /** `undefined` until it is found. */
  route: Route | undefined;
  loggedTarget: LoggedTarget;
  /** Name of the key, never the key. */
  keyName: string | undefined;
}

/** A request by HTTP/1.1 and its response. */
export interface Exchange extends Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether the body, if any, was read to its end. */
  isBodyRead: boolean;
}

/** A request target for the log. Keys in it are masked when the line is written. */
export interface LoggedTarget {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

const NO_TARGET: LoggedTarget = { path: "", fields: {} };

/** A request that begins now; an id of `createRequestId`. */
export function arrive(requestId: string, address: string): Arrival {
  return {
    requestId,
    address,
    startedAtMs: performance.now(),
    brokenBy: undefined,
    onBroken: undefined,
    route: undefined,
    loggedTarget: NO_TARGET,
    keyName: undefined,
  };
}

/** Makes reading of the request's body throw `reason`. */
export function breakBody(arrival: Arrival, reason: HttpError): void {
  arrival.brokenBy ??= reason;
  arrival.onBroken?.(reason);
}

/** Whom limits count a request for: its key, or the address if there is none. */
export function readerOf({ keyName, address }: Arrival): string {
  return keyName === undefined ? networkOf(address) : `key ${keyName}`;
}

/** Whether a body follows the headers, even an empty one. */
export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers["content-length"];
  return request.headers["transfer-encoding"] !== undefined || (length ?? "0") !== "0";
}
