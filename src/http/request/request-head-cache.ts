import type { IncomingMessage } from "node:http";
import { LruCache } from "../../concurrency/lru-cache.ts";
import type { LoggedTarget, Report } from "../exchange.ts";
import type { Coding } from "./negotiation.ts";
import type { ParameterValues } from "./parameters.ts";
import type { Route } from "../route.ts";

/** The last response to a head. */
export interface LastResponse {
  /** Valid while the store has this version, never `undefined`. Read before the data. */
  readonly storeVersion: unknown;
  /** Milliseconds since the epoch at which the key expires or its use must be recorded again. */
  readonly untilMs: number;
  readonly report: Report;
  readonly keyName: string | undefined;
  readonly status: number;
  /** Names and values alternately, without the request id. */
  readonly headers: readonly string[];
  /** Cache key of its body; `undefined` if it has none. */
  readonly bytesName: string | undefined;
}

/** The validated head of a request. */
export interface ReadHead {
  readonly route: Route;
  /** The key as sent, valid or not. */
  readonly key: string | undefined;
  readonly loggedTarget: LoggedTarget;
  readonly values: ParameterValues;
  readonly coding: Coding;
  /** The last response, if it may still be valid. */
  lastResponse: LastResponse | undefined;
}

type RequestHead = Pick<IncomingMessage, "method" | "url" | "rawHeaders">;

const HEADS_MAX = 1000;
/** Longer heads are rare and not cached. */
const HEAD_LENGTH_MAX = 2048;

/**
 * Parsed heads by their exact bytes: polling clients repeat them, and parsing takes longer than the rest
 * of a cached response.
 */
export class RequestHeadCache {
  readonly #heads = new LruCache<string, ReadHead>(HEADS_MAX);

  find(request: RequestHead): ReadHead | undefined {
    return this.#heads.get(nameOf(request));
  }

  /** Caches the head of a request without a body. */
  keep(request: RequestHead, head: ReadHead): void {
    const name = nameOf(request);
    if (name.length <= HEAD_LENGTH_MAX) this.#heads.set(name, head);
  }
}

/** Joined by line breaks, which no part of a head can contain. */
function nameOf({ method, url, rawHeaders }: RequestHead): string {
  return `${method} ${url}\n${rawHeaders.join("\n")}`;
}
