import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { quantileOf } from "../around/server-figures.ts";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const IDLE = 2600;
const RENEWED_EACH_MS = 200;
const ASKED_EACH_MS = 200;
const ANSWERED_WITHIN_MS = 2000;
const PATIENCE_MS = 10_000;

/** A round is a health check. */
export const idleConnections: Fault = {
  id: "A2",
  title:
    "A client without a key holds 2,600 idle connections to a server that takes 2,000, and renews each one that is closed: every health check on a new connection is answered within 2 s.",
  rounds: { fast: 50, nightly: 125, release: 500 },

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    await using server = await ServedStore.startIn(folder);
    const crowd = new IdleCrowd(server.port);
    await crowd.fill();
    const tookMs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      tookMs.push(await healthCheck(server.port));
      await delay(ASKED_EACH_MS);
    }
    const renewed = crowd.end();
    assert.ok(renewed > 0, "the crowd must be larger than what the server takes");
    const longestMs = Math.max(...tookMs);
    assert.ok(longestMs <= ANSWERED_WITHIN_MS, `a health check took ${longestMs} ms`);
    return {
      "health checks": rounds,
      "without an answer": 0,
      "connections renewed": renewed,
      "p50 in ms": Math.round(quantileOf(tookMs, 0.5)),
      "longest in ms": Math.round(longestMs),
    };
  },
};

/** Connections on which nothing is ever sent; those that the server closes are opened again. */
class IdleCrowd {
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #timer: NodeJS.Timeout | undefined;
  #opened = 0;

  constructor(port: number) {
    this.#port = port;
  }

  async fill(): Promise<void> {
    this.#open();
    await Promise.all(
      [...this.#sockets].map((socket) =>
        Promise.race([once(socket, "connect"), once(socket, "close")]),
      ),
    );
    this.#timer = setInterval(() => this.#open(), RENEWED_EACH_MS);
  }

  /** Returns how many were opened again. */
  end(): number {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
    return this.#opened - IDLE;
  }

  #open(): void {
    while (this.#sockets.size < IDLE) {
      const socket = connect(this.#port, "127.0.0.1");
      this.#opened += 1;
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => this.#sockets.delete(socket));
      socket.resume();
    }
  }
}

/** Sends a request on a new connection. Returns the duration. */
async function healthCheck(port: number): Promise<number> {
  const beganAtMs = performance.now();
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const [bytes] = (await once(socket, "data", { signal })) as [Buffer];
  assert.match(bytes.toString(), /^HTTP\/1\.1 200 OK/);
  socket.destroy();
  return performance.now() - beganAtMs;
}
