import type { IncomingMessage, ServerResponse } from "node:http";
import { networkOf } from "./client-address.ts";
import type { Route } from "./route.ts";

/** One request and its response. What the access log says of them is filled in as it becomes known. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** IP address of the client. */
  readonly address: string;
  /** Aborted, with an `HttpError`, where the rest of the body will never be there. */
  readonly broken: AbortController;
  /** Whether a body, if there is one, was read to its end. */
  isBodyRead: boolean;
  /** `undefined` while it is not found. */
  route: Route | undefined;
  loggedTarget: LoggedTarget;
  /** Name of the key, never the key. */
  keyName: string | undefined;
}

/** What the log says of a target. Keys in it are masked when a line is written. */
export interface LoggedTarget {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Whom a request is one of, where several share something: a key, or an address without one. */
export function readerOf({ keyName, address }: Exchange): string {
  return keyName === undefined ? networkOf(address) : `key ${keyName}`;
}
