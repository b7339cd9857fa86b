import type { ServerResponse } from "node:http";
import type { HttpLog } from "../access-log.ts";
import type { Exchange } from "../exchange.ts";
import { WriteAborted } from "./through-transform.ts";

/** `aborted`: by the client or the network; `stalled`: the client does not read. */
export type SendOutcome = "sent" | "aborted" | "stalled";

/** Waits for a write, at most the stall time. */
export type Guard = (write: Promise<void>) => Promise<void>;

/** Runs `send`, which awaits each of its writes under `guard`; returns the outcome. */
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

/** Writes the last bytes. Rejects once the response is closed. */
export function endWith(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    // The client disconnected before the first write: "close" has fired already.
    if (response.closed) throw new WriteAborted("closed already");
    response.on("close", () => {
      if (!response.writableFinished) reject(new WriteAborted("closed"));
    });
    response.end(bytes, resolve);
  });
}

interface Sending {
  /** Start of the pending write; `undefined` if none is pending. */
  waitingSinceMs: number | undefined;
  readonly cutOff: () => void;
}

const sendings = new WeakMap<ServerResponse, Sending>();

/** How long the client has not read, in milliseconds. */
export function stalledMsOf(response: ServerResponse): number {
  const sinceMs = sendings.get(response)?.waitingSinceMs;
  return sinceMs === undefined ? 0 : performance.now() - sinceMs;
}

/** Aborts a response as stalled. */
export function cutOff(response: ServerResponse): void {
  sendings.get(response)?.cutOff();
}

/** Destroys the response if a write takes longer than the stall time. */
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
 * Calls `giveUp` after `ms` unless the returned function cancels it. Pending input is read first, so
 * that a busy or stopped process does not blame the peer for its own delay.
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

/** Waits for the end of a response; throws errors from before the first byte. */
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
