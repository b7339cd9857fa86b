import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { openConnections } from "./http-connections.ts";
import { Node } from "./node.ts";

const FOLDER = path.join(import.meta.dirname, "../../../../test/fixtures/tls");
const CERTIFICATE = readFileSync(path.join(FOLDER, "first.pem"), "utf8");
const KEY = readFileSync(path.join(FOLDER, "first.key.pem"), "utf8");

const opened: { close(): unknown }[] = [];

afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

async function start(certificateAuthority: string | undefined): Promise<Node> {
  const server = createServer({ cert: CERTIFICATE, key: KEY }, (_, response) => {
    response.end("answer");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const node = new Node(`https://localhost:${(server.address() as AddressInfo).port}`, {
    shards: [],
    database: "perf",
    isReplicated: false,
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
  });
  opened.push(node, server);
  return node;
}

test("a server with a trusted certificate is reached over TLS", async () => {
  const node = await start(CERTIFICATE);
  expect(await node.readText("SELECT 1")).toBe("answer");
});

test("a server with an untrusted certificate is refused", async () => {
  const node = await start(undefined);
  await expect(node.readText("SELECT 1")).rejects.toMatchObject({
    name: "ClickHouseError",
    message: expect.stringContaining("certificate"),
  });
});

test("nothing is sent any more once a server has refused a body that it has not read", async () => {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.once("data", () => {
      socket.pause();
      socket.write("HTTP/1.1 500 Refused\r\nContent-Length: 2\r\n\r\nno");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connections = openConnections(url, undefined, () => undefined);
  opened.push(connections, server);
  const body = Array.from({ length: 64 }, () => new Uint8Array(1024 * 1024));
  const answer = await connections.post({ query: "", headers: {}, body, silenceMsMax: 5000 });
  expect(Buffer.concat(await Array.fromAsync(answer)).toString()).toBe("no");
  const [socket] = sockets as [Socket];
  const sent = await new Promise<number>((resolve) => {
    let received = 0;
    socket.on("data", ({ length }: Buffer) => {
      received += length;
      if (received > 32 * 1024 * 1024) resolve(received);
    });
    socket.on("error", () => undefined).on("close", () => resolve(received));
    socket.resume();
  });
  expect(sent).toBeLessThan(32 * 1024 * 1024);
});
