import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { open } from "../../../test/support/raw-http.ts";
import { respondEarly } from "./send-problem.ts";

test("does not wait on a closed connection", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const asked = once(server, "request") as Promise<[IncomingMessage, ServerResponse]>;
  const client = await open((server.address() as AddressInfo).port);
  client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1");
  const [request, response] = await asked;
  client.destroy();
  await once(response, "close");
  const problem = { status: 400, headers: {}, body: "{}" };
  const answered = respondEarly(request, response, { problem, lingerMs: 60_000 });
  expect(await Promise.race([answered.then(() => "over"), once(server.close(), "close")])).toBe(
    "over",
  );
});
