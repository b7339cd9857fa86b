import type { IncomingMessage, ServerResponse } from "node:http";
import { networkOf } from "./client-address.ts";
import type { HttpError } from "./response/http-error.ts";
import type { Route } from "./route.ts";

/** One request and its response. Fields for the access log are filled in as they become known. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** IP address of the client. */
  readonly address: string;
  /** On the clock of `performance.now`. */
  readonly startedAtMs: number;
  /** Why the rest of the body will never arrive. */
  brokenBy: HttpError | undefined;
  /** Called, once it is set, with `brokenBy`. */
  onBroken: ((reason: HttpError) => void) | undefined;
  /** Whether the body, if any, was read to its end. */
  isBodyRead: boolean;
  /** `undefined` until it is found. */
  route: Route | undefined;
  loggedTarget: LoggedTarget;
  /** Name of the key, never the key. */
  keyName: string | undefined;
}

/** A request target for the log. Keys in it are masked when the line is written. */
export interface LoggedTarget {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Makes reading of the request's body throw `reason`. */
export function breakBody(exchange: Exchange, reason: HttpError): void {
  exchange.brokenBy ??= reason;
  exchange.onBroken?.(reason);
}

/** Whom limits count a request for: its key, or the address if there is none. */
export function readerOf({ keyName, address }: Exchange): string {
  return keyName === undefined ? networkOf(address) : `key ${keyName}`;
}

/** Whether a body follows the headers, even an empty one. */
export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers["content-length"];
  return request.headers["transfer-encoding"] !== undefined || (length ?? "0") !== "0";
}
