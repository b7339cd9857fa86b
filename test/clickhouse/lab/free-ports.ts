import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";

/**
 * Below the ports that Linux gives to outgoing connections: a server that is killed and started again
 * wants its port back, and a busy client's connection must not have taken it meanwhile.
 */
const FIRST = 11_000;
const LAST = 32_000;

/** So many ports of loopback that nobody listens on now, all different. */
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
