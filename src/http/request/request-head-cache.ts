import type { IncomingMessage } from "node:http";
import { LruCache } from "../../concurrency/lru-cache.ts";
import type { LoggedTarget } from "../exchange.ts";
import type { Coding } from "./negotiation.ts";
import type { ParameterValues } from "./parameters.ts";
import type { Route } from "../route.ts";

/** How long an answer is right. */
export interface Validity {
  /** As long as the store has this version, never `undefined`. It was asked for before anything was read. */
  readonly storeVersion: unknown;
  /** Milliseconds since the epoch: then the key ends, or its use is to be noted. */
  readonly untilMs: number;
}

/** What a head was answered with. */
interface LastResponse extends Validity {
  readonly keyName: string | undefined;
  readonly status: number;
  /** Names and values in turns, without the id of the request. */
  readonly headers: readonly string[];
  /** The name that its bytes are kept under; `undefined` where there are none. */
  readonly bytesName: string | undefined;
}

/** What follows from the head of a request alone, all of it checked and found right. */
export interface ReadHead {
  readonly route: Route;
  /** The key as it was sent, valid or not. */
  readonly key: string | undefined;
  readonly loggedTarget: LoggedTarget;
  readonly values: ParameterValues;
  readonly coding: Coding;
  /** What it was answered with last, where that may hold still. */
  lastResponse: LastResponse | undefined;
}

type RequestHead = Pick<IncomingMessage, "method" | "url" | "rawHeaders">;

const HEADS_MAX = 1000;
/** Longer ones are rare, and are read each time. */
const HEAD_LENGTH_MAX = 2048;

/**
 * Heads that were read before, byte for byte: clients that ask again send the same one, and to read it
 * takes longer than all the rest of an answer that is kept.
 */
export class RequestHeadCache {
  readonly #heads = new LruCache<string, ReadHead>(HEADS_MAX);

  find(request: RequestHead): ReadHead | undefined {
    return this.#heads.get(nameOf(request));
  }

  /** Remembers what was read of a request that has no body. */
  keep(request: RequestHead, head: ReadHead): void {
    const name = nameOf(request);
    if (name.length <= HEAD_LENGTH_MAX) this.#heads.set(name, head);
  }
}

/** No part of a head holds a line break. */
function nameOf({ method, url, rawHeaders }: RequestHead): string {
  return `${method} ${url}\n${rawHeaders.join("\n")}`;
}
