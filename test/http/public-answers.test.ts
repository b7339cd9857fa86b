/** Large responses that need no key: their readers do not block clients with a key. */

import { once } from "node:events";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { liveRoute } from "../../src/http/routes/service.ts";
import { type Route, textResponse } from "../../src/http/route.ts";
import { open } from "../support/raw-http.ts";
import { createTestServer, type TestServer } from "../support/test-server.ts";
import { HOST, lines } from "./raw-world.ts";

let world: TestServer;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await world.server.close();
});

/** An endless response. */
async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield new Uint8Array(64 * 1024);
    await setImmediate();
  }
}

const publicRoute: Route = {
  ...liveRoute,
  path: "/endless",
  operationId: "endless",
  handle: async () => ({
    ...textResponse("", { contentType: "text/plain", isCacheable: false }),
    chunks: endless,
  }),
};

/** The status of a response of which only the beginning is read. */
async function statusOf(port: number, target: string): Promise<number> {
  const socket = await open(port);
  sockets.push(socket);
  socket.on("error", () => undefined);
  socket.write(lines(`GET ${target} HTTP/1.1`, HOST, `X-Service-Auth: ${world.key}`));
  const [bytes] = (await once(socket, "data")) as [Buffer];
  socket.pause();
  return Number(bytes.toString("latin1").slice(9, 12));
}

test("responses that need no key have a limit of their own", async () => {
  world = await createTestServer({
    settings: { largeResponsesMax: 1, drainMs: 50 },
    dependencies: {
      openMetrics: async () => ({ revision: "r", chunks: endless, release: () => undefined }),
      furtherRoutes: [publicRoute],
    },
  });
  const port = Number(new URL(await world.server.listen()).port);
  const metrics = "/Api/Metrics?loadTestId=run&filter=a";
  expect(await statusOf(port, "/endless")).toBe(200);
  expect(await statusOf(port, "/endless")).toBe(503);
  expect(await statusOf(port, metrics)).toBe(200);
  expect(await statusOf(port, metrics)).toBe(503);
});
