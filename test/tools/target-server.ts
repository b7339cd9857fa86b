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
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://target").pathname;
    const name = `${request.method} ${path}`;
    requests.set(name, (requests.get(name) ?? 0) + 1);
    void answer(BEHAVIOURS[path] ?? UNKNOWN, { request, response, random });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly random: () => number;
}

async function answer(
  behaviour: Behaviour,
  { request, response, random }: Exchange,
): Promise<void> {
  const [least, most] = behaviour.delayMs;
  const isFailing = random() < (behaviour.failing ?? 0);
  request.resume();
  // Most responses are fast, a few are slow.
  await delay(least + (most - least) * random() ** 3);
  if (behaviour.isReset === true) {
    request.socket.resetAndDestroy();
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
