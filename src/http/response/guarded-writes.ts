import type { ServerResponse } from "node:http";
import type { HttpLog } from "../access-log.ts";
import type { Exchange } from "../exchange.ts";
import { WriteAborted } from "./through-transform.ts";

/** How it went: `aborted` by the client or the network, `stalled` by a reader that does not read. */
export type SendOutcome = "sent" | "aborted" | "stalled";

/** Waits for a write. */
export type Guard = (write: Promise<void>) => Promise<void>;

/** Sends by `send`, which waits for each of its writes under `guard`; tells how it went. */
export async function sendGuarded(
  response: ServerResponse,
  stallMs: number,
  send: (guard: Guard) => Promise<void>,
): Promise<SendOutcome> {
  const stall = createStallGuard(response, stallMs);
  try {
    await send(stall.guard);
    return "sent";
  } catch (error) {
    response.destroy();
    if (stall.hasStalled()) return "stalled";
    if (error instanceof WriteAborted) return "aborted";
    throw error;
  }
}

/** Writes what is left at once. Rejects once the response is closed. */
export function endWith(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    // Its client left while the answer was made: "close" came and will not come again.
    if (response.closed) throw new WriteAborted("closed already");
    response.on("close", () => {
      if (!response.writableFinished) reject(new WriteAborted("closed"));
    });
    response.end(bytes, resolve);
  });
}

/** A response that is being sent. */
interface Sending {
  /** Since when a write has been waiting for its reader; `undefined` while none is. */
  waitingSinceMs: number | undefined;
  readonly cutOff: () => void;
}

const sendings = new WeakMap<ServerResponse, Sending>();

/** For how long the reader of a response has not taken what is written, in milliseconds. */
export function stalledMsOf(response: ServerResponse): number {
  const sinceMs = sendings.get(response)?.waitingSinceMs;
  return sinceMs === undefined ? 0 : performance.now() - sinceMs;
}

/** Breaks a response off, as if its reader had stalled for too long. */
export function cutOff(response: ServerResponse): void {
  sendings.get(response)?.cutOff();
}

/** Destroys the response when a write takes longer than it may. */
function createStallGuard(
  response: ServerResponse,
  stallMs: number,
): { readonly guard: Guard; hasStalled(): boolean } {
  let stalled = false;
  const sending: Sending = {
    waitingSinceMs: undefined,
    cutOff() {
      stalled = true;
      response.destroy();
    },
  };
  sendings.set(response, sending);
  return {
    async guard(write) {
      const cancel = afterSilence(stallMs, sending.cutOff);
      sending.waitingSinceMs = performance.now();
      try {
        await write;
      } finally {
        sending.waitingSinceMs = undefined;
        cancel();
      }
    },
    hasStalled: () => stalled,
  };
}

/**
 * Gives up on a peer once `ms` have passed without `cancel`, which is answered. What has come by then
 * is taken first: a process that was stopped itself, or had too much to do, blames nobody for it.
 */
export function afterSilence(ms: number, giveUp: () => void): () => void {
  let lastLook: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    lastLook = setImmediate(giveUp);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(lastLook);
  };
}

/** Waits for the end of an answer; throws as long as nothing was sent. */
export async function followSending(
  { response, requestId }: Exchange,
  { log }: { readonly log: HttpLog },
  sending: Promise<SendOutcome>,
): Promise<void> {
  try {
    const outcome = await sending;
    if (outcome === "stalled") log.warn({ requestId }, "response_stalled");
  } catch (error) {
    if (!response.headersSent) throw error;
    log.error({ requestId, err: error }, "response_aborted");
  }
}
