import { EventEmitter } from "node:events";
import type { Server, Socket } from "node:net";
import { expect, test } from "vitest";
import { Connections } from "./connections.ts";

function socketTo(localPort: number): Socket {
  const address = { remoteAddress: "192.0.2.1", remotePort: 50_000, localPort };
  return Object.assign(new EventEmitter(), address) as unknown as Socket;
}

test("a client may use one port for both doors of a server with TLS", () => {
  const connections = new Connections({
    max: 10,
    perAddressMax: 10,
    isTrustedProxy: () => false,
    isBusy: () => false,
    closed: () => undefined,
  });
  const [http, grpc] = [new EventEmitter(), new EventEmitter()];
  for (const door of [http, grpc]) connections.watch(door as Server);
  const [plain, secure] = [socketTo(8013), socketTo(4317)];
  http.emit("connection", plain);
  grpc.emit("connection", socketTo(4317));
  grpc.emit("secureConnection", secure);
  expect([...connections]).toEqual([plain, secure]);
});
