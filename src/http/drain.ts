import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { ResponsesInFlight } from "./request/parser-errors.ts";

/**
 * Closes connections without traffic for `idleMs`. One with a request in flight is closed only if its
 * peer does not read. Pending input is read first, so that a stalled process does not close connections
 * for its own delay.
 */
export function closeIdle(server: Server, underWay: ResponsesInFlight, idleMs: number): void {
  server.timeout = idleMs;
  server.on("timeout", (socket: Socket) => {
    const { bytesRead } = socket;
    setImmediate(() => {
      const isIdle = !underWay.has(socket) && socket.bytesRead === bytesRead;
      if (isIdle || socket.writableLength > 0) socket.destroy();
    });
  });
}

/** How long a connection may take to send its first byte during shutdown. */
const SILENCE_MS = 100;

interface Draining {
  readonly underWay: ResponsesInFlight;
  readonly connections: Iterable<Socket>;
}

export async function drain(
  node: Server,
  { underWay, connections }: Draining,
  drainMs: number,
): Promise<void> {
  // Node treats a connection as idle only after its first request; browsers open spare ones.
  const silence = setTimeout(() => {
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  }, SILENCE_MS);
  for (const [socket, { response }] of underWay) {
    response.shouldKeepAlive = false;
    // Headers already sent have promised to keep the connection open.
    response.once("close", () => socket.destroySoon());
  }
  const deadline = setTimeout(() => {
    node.closeAllConnections();
    // `closeAllConnections` misses those without a request.
    for (const socket of connections) socket.destroy();
  }, drainMs);
  try {
    // If it never listened, the error is ignored.
    await new Promise((resolve) => node.close(resolve));
  } finally {
    clearTimeout(silence);
    clearTimeout(deadline);
  }
}
