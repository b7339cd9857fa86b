/** Clients that reconnect as soon as their connection is closed. */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

interface CrowdPlan {
  readonly port: number;
  readonly clients: number;
  /** The start of every connection; `number` counts the connections from 0. */
  readonly requestOf: (number: number) => string;
  /** Called for a connection before its request is sent. */
  readonly prepare: (socket: Socket) => void;
  /** Called for each open connection every `everyMs`. */
  readonly act: (socket: Socket) => void;
  readonly everyMs: number;
  /** Delay before a client reconnects. @default 0 */
  readonly pauseMs?: number;
}

export class SocketCrowd {
  readonly #plan: CrowdPlan;
  readonly #sockets = new Set<Socket>();
  readonly #timer: NodeJS.Timeout;
  #isEnding = false;
  #begun = 0;

  constructor(plan: CrowdPlan) {
    this.#plan = plan;
    for (let client = 0; client < plan.clients; client++) void this.#comeAgain();
    this.#timer = setInterval(() => {
      for (const socket of this.#sockets) plan.act(socket);
    }, plan.everyMs);
  }

  /** Connections opened so far. */
  get begun(): number {
    return this.#begun;
  }

  end(): void {
    this.#isEnding = true;
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  async #comeAgain(): Promise<void> {
    const { port, requestOf, prepare, pauseMs = 0 } = this.#plan;
    while (!this.#isEnding) {
      const socket = connect({ port, host: "127.0.0.1" });
      socket.on("error", () => undefined);
      prepare(socket);
      this.#sockets.add(socket);
      socket.write(requestOf(this.#begun++));
      await once(socket, "close").catch(() => undefined);
      this.#sockets.delete(socket);
      if (pauseMs > 0) await delay(pauseMs);
    }
  }
}
