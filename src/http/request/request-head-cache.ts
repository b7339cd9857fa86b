import type { IncomingMessage } from "node:http";
import { LruCache } from "../../concurrency/lru-cache.ts";
import type { NotedTarget } from "../access-log.ts";
import type { LastAnswer } from "../response/serve-cached.ts";
import type { Coding } from "./negotiation.ts";
import type { ParameterValues } from "./parameters.ts";
import type { RequestTarget } from "./request-target.ts";
import type { Route } from "../route.ts";

/** What follows from the head of a request alone, all of it checked and found right. */
export interface ReadHead {
  readonly route: Route;
  readonly target: RequestTarget;
  /** The key as it was sent, valid or not. */
  readonly key: string | undefined;
  readonly noted: NotedTarget;
  readonly values: ParameterValues;
  readonly coding: Coding;
  /** What it was answered with last, where that may hold still. */
  lastAnswer: LastAnswer | undefined;
}

/** The parts of fastify's request that a head is made of. */
interface RequestHead {
  readonly method: string;
  /** The target as it was sent: `raw.url` is what the router sees of it. */
  readonly originalUrl: string;
  readonly raw: Pick<IncomingMessage, "rawHeaders">;
}

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
function nameOf({ method, originalUrl, raw }: RequestHead): string {
  return `${method} ${originalUrl}\n${raw.rawHeaders.join("\n")}`;
}
