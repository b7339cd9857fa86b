import type { ServerResponse } from "node:http";
import type { HttpLog } from "../access-log.ts";
import type { Exchange } from "../exchange.ts";
import { WriteAborted } from "./through-transform.ts";

/** `aborted`: by the client or the network; `stalled`: the client does not read. */
export type SendOutcome = "sent" | "aborted" | "stalled";

/** Waits for a write, at most the stall time. */
type Guard = (write: Promise<void>) => Promise<void>;

/**
 * Runs `send`, which awaits each of its writes under `guard`; returns the outcome. A write that takes
 * longer than the stall time destroys the response.
 */
export async function sendGuarded(
  response: ServerResponse,
  stallMs: number,
  send: (guard: Guard) => Promise<void>,
): Promise<SendOutcome> {
  const sending = openSending(response);
  try {
    await send(async (write) => {
      const cancel = afterSilence(stallMs, sending.cutOff);
      sending.waitingSinceMs = performance.now();
      try {
        await write;
      } finally {
        sending.waitingSinceMs = undefined;
        cancel();
      }
    });
    return "sent";
  } catch (error) {
    response.destroy();
    if (sending.isStalled) return "stalled";
    if (error instanceof WriteAborted) return "aborted";
    throw error;
  } finally {
    sendings.delete(response);
  }
}

/** Writes the last bytes. Returns whether the system took all of them at once, as it mostly does. */
export function endAtOnce(response: ServerResponse, bytes: Uint8Array): boolean {
  // The client has disconnected.
  if (response.destroyed) return false;
  response.end(bytes);
  const { socket } = response;
  return socket?.writableLength === 0 && !socket.destroyed;
}

/** Waits for the end of a response of which the last bytes were written, at most for the stall time. */
export function untilClosed(response: ServerResponse, stallMs: number): Promise<SendOutcome> {
  return new Promise((resolve) => {
    // Of one that never had the connection, Node 22 does not set `closed`.
    if (response.destroyed) return resolve("aborted");
    const sending = openSending(response);
    const cancel = afterSilence(stallMs, sending.cutOff);
    sending.waitingSinceMs = performance.now();
    response.on("close", () => {
      cancel();
      sendings.delete(response);
      // Node 22 also finishes a response that was destroyed.
      if (sending.isStalled) resolve("stalled");
      else resolve(response.writableFinished ? "sent" : "aborted");
    });
  });
}

interface Sending {
  /** Start of the pending write; `undefined` if none is pending. */
  waitingSinceMs: number | undefined;
  isStalled: boolean;
  readonly cutOff: () => void;
}

/** Those under way. Entries are deleted: weak ones would make each garbage collection take longer. */
const sendings = new Map<ServerResponse, Sending>();

/** How long the client has not read, in milliseconds. */
export function stalledMsOf(response: ServerResponse): number {
  const sinceMs = sendings.get(response)?.waitingSinceMs;
  return sinceMs === undefined ? 0 : performance.now() - sinceMs;
}

/** Aborts a response as stalled. */
export function cutOff(response: ServerResponse): void {
  sendings.get(response)?.cutOff();
}

function openSending(response: ServerResponse): Sending {
  const sending: Sending = {
    waitingSinceMs: undefined,
    isStalled: false,
    cutOff() {
      sending.isStalled = true;
      response.destroy();
    },
  };
  sendings.set(response, sending);
  return sending;
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
