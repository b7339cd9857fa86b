import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "../../bench/seeded-random.ts";

/** The server on loopback that load tools are run against. */
export interface TargetServer {
  /** Such as `http://127.0.0.1:40123`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /**
   * Received requests, by `METHOD /path`. Can be more than a tool reports, because tools repeat a request
   * after a connection reset.
   */
  readonly requests: ReadonlyMap<string, number>;
  /**
   * Answers nothing from now on, and resolves when `waiting` requests wait and no other has come for 300 ms: then no
   * user of a tool is between two requests. Call the result to answer again.
   */
  hold(waiting: number): Promise<() => void>;
  /** Answers nothing from now on. */
  freeze(): void;
  close(): Promise<void>;
}

/** What an endpoint does. */
interface Behaviour {
  /** Shortest and longest response time. */
  readonly delayMs: readonly [number, number];
  readonly status: number;
  readonly bytes: number;
  /** The share of requests that get a 500. */
  readonly failing?: number;
  /** Closes the connection instead of sending a response. */
  readonly isReset?: boolean;
  /** Redirects there. */
  readonly location?: string;
}

/** The endpoints by path, for any method. docs: README.md beside this file. */
const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  "/": { delayMs: [1, 8], status: 200, bytes: 400 },
  "/products": { delayMs: [5, 60], status: 200, bytes: 20_000 },
  "/cart": { delayMs: [10, 80], status: 201, bytes: 60, failing: 0.15 },
  "/old": { delayMs: [1, 5], status: 302, bytes: 0, location: "/products" },
  "/slow": { delayMs: [200, 600], status: 200, bytes: 1000 },
  "/reset": { delayMs: [5, 20], status: 0, bytes: 0, isReset: true },
};

const UNKNOWN: Behaviour = { delayMs: [1, 5], status: 404, bytes: 20 };

/** Starts the server on a free loopback port. `seed` determines its delays and failures. */
export async function startTargetServer(seed = 1): Promise<TargetServer> {
  const random = seededRandom(seed);
  const requests = new Map<string, number>();
  const gate = new Gate();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://target").pathname;
    const name = `${request.method} ${path}`;
    requests.set(name, (requests.get(name) ?? 0) + 1);
    gate.enter(name, response);
    void answer(BEHAVIOURS[path] ?? UNKNOWN, { request, response, random, gate });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    hold: (waiting) => gate.hold(waiting),
    freeze: () => void (gate.open = new Promise(() => undefined)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const QUIET_MS = 300;
const HELD_WITHIN_MS = 30_000;

class Gate {
  open: Promise<void> | undefined;
  readonly #waiting = new Map<ServerResponse, string>();
  #enteredAt = 0;

  enter(name: string, response: ServerResponse): void {
    this.#waiting.set(response, name);
    this.#enteredAt = performance.now();
    response.once("close", () => this.leave(response));
  }

  leave(response: ServerResponse): void {
    this.#waiting.delete(response);
  }

  async hold(waiting: number): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.open = promise;
    const until = performance.now() + HELD_WITHIN_MS;
    const isQuiet = (): boolean =>
      this.#waiting.size === waiting && performance.now() - this.#enteredAt > QUIET_MS;
    while (!isQuiet()) {
      if (performance.now() > until) {
        const names = [...this.#waiting.values()].join(", ");
        throw new Error(`expected ${waiting} waiting requests, got ${names}`);
      }
      await delay(QUIET_MS / 10);
    }
    return () => {
      this.open = undefined;
      resolve();
    };
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly random: () => number;
  readonly gate: Gate;
}

async function answer(
  behaviour: Behaviour,
  { request, response, random, gate }: Exchange,
): Promise<void> {
  const [least, most] = behaviour.delayMs;
  const isFailing = random() < (behaviour.failing ?? 0);
  request.resume();
  // Most responses are fast, a few are slow.
  await delay(least + (most - least) * random() ** 3);
  await gate.open;
  if (behaviour.isReset === true) {
    request.socket.resetAndDestroy();
    // Not always reported by an event.
    gate.leave(response);
    return;
  }
  const { location } = behaviour;
  response.writeHead(isFailing ? 500 : behaviour.status, {
    "content-type": "text/plain",
    "content-length": behaviour.bytes,
    ...(location === undefined ? {} : { location }),
  });
  response.end(Buffer.alloc(behaviour.bytes, "x"));
}
