import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
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
