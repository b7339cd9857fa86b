import type { ServerResponse } from "node:http";
import { afterSilence } from "./after-silence.ts";
import { WriteAborted } from "./piece-writer.ts";

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

/** Writes what is left in one piece. Rejects once the response is closed. */
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

/** Destroys the response when a write takes longer than it may. */
function createStallGuard(
  response: ServerResponse,
  stallMs: number,
): { readonly guard: Guard; hasStalled(): boolean } {
  let stalled = false;
  const cutOff = (): void => {
    stalled = true;
    response.destroy();
  };
  return {
    async guard(write) {
      const cancel = afterSilence(stallMs, cutOff);
      try {
        await write;
      } finally {
        cancel();
      }
    },
    hasStalled: () => stalled,
  };
}
