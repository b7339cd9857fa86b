import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";

/**
 * Below Linux's range for outgoing connections: a restarted server needs its port again, and no client's
 * connection may have taken it.
 */
const FIRST = 11_000;
const LAST = 32_000;

/** Returns this many different ports of loopback that are free now. */
export async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  // Held until all are found, so that none is found twice.
  while (held.length < count) {
    const server = await listenOnAny();
    if (server !== undefined) held.push(server);
  }
  const ports = held.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function listenOnAny(): Promise<Server | undefined> {
  const server = createServer();
  server.listen(FIRST + Math.floor(Math.random() * (LAST - FIRST)), "127.0.0.1");
  try {
    await once(server, "listening");
    return server;
  } catch {
    return undefined;
  }
}
