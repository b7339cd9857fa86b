/** The parts of a recorded life: lanes of steps, one after the other within a lane, whose effects lanes do not share. */

import assert from "node:assert/strict";
import type { Store } from "../../../src/store/store.ts";
import { openTestServer } from "../../support/test-server.ts";

/** Data directories within the recorded folder: of the life, and of its copies. */
export const [MAIN, SECOND] = ["main", "second"];

export interface Asked {
  readonly fetch: (target: string, request?: RequestInit) => Promise<Response>;
}

/** A store with the routes of a server on it. */
export interface Life extends Asked {
  readonly store: Store;
  /** The recorded folder. */
  readonly folder: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Posts a notice: the receiver has it. */
  readonly fetchNotice: typeof fetch;
  /** Runs the real program; throws unless it ends well. */
  readonly command: (words: readonly string[]) => Promise<void>;
}

/** What an image of the disk holds, opened. */
export interface OpenedImage extends Asked {
  readonly store: Store;
  /** That of copies; `undefined` before the first. */
  readonly second: Store | undefined;
  /** The same, which is made if it is not there. */
  readonly openSecond: () => Promise<Store>;
  /** Digest of the file with this name, `none` without one. */
  readonly digestOf: (name: string) => string;
}

export interface Step {
  /** Resolves when it is acknowledged. */
  readonly act: (life: Life) => Promise<unknown>;
  /** What `read` returns after it; `undefined`: what it returns of all that was written until its acknowledgement. */
  readonly after?: unknown;
  /** Whether this state may be seen while it is not acknowledged, besides those before and after. @default none */
  readonly isBetween?: (state: unknown) => boolean;
  /** The load test whose notices are received before it is acknowledged. */
  readonly notifiesOf?: string;
  /** Acts again after a crash in the middle; the state is then that after it. @default it is not repeated */
  readonly again?: (image: OpenedImage) => Promise<unknown>;
}

export interface Lane {
  readonly name: string;
  readonly before: unknown;
  readonly steps: readonly Step[];
  /** Throws if something is there in part. */
  readonly read: (image: OpenedImage) => Promise<unknown>;
  /** Whether a power cut may bring back an earlier state, as the file is not promised to be on the disk. @default no */
  readonly mayFallBack?: boolean;
}

/** The routes of a server on this store, for a key with all scopes, without sockets. */
export function askedOf(store: Store, key: string, now: () => number): Asked {
  const { server } = openTestServer(store, { now });
  return {
    async fetch(target, { method = "GET", headers, body } = {}) {
      const own = Object.fromEntries(new Headers(headers));
      const answer = await server.inject({
        method: method as "POST",
        url: target,
        headers: { ...own, "x-service-auth": key },
        payload: (body ?? "") as string,
      });
      const { statusCode: status, rawPayload } = answer;
      return new Response(status === 204 ? null : Uint8Array.from(rawPayload), { status });
    },
  };
}

/** Sends a request and returns its JSON, if any. Throws unless it succeeds. */
export async function ask(
  asked: Asked,
  method: string,
  target: string,
  body?: string | Buffer<ArrayBuffer> | Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const isPlain = typeof body === "string" || body instanceof Buffer;
  const answer = await asked.fetch(target, {
    method,
    ...(body === undefined ? {} : { body: isPlain ? body : JSON.stringify(body) }),
    ...(isPlain || body === undefined ? {} : { headers: { "Content-Type": "application/json" } }),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${target}: ${answer.status} ${text}`);
  return text === "" ? undefined : (JSON.parse(text) as unknown);
}
