import { once } from "node:events";
import { readFileSync } from "node:fs";
import https from "node:https";
import net from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import tls from "node:tls";
import { afterEach, expect, test } from "vitest";
import type { TlsIdentity } from "../../src/http/node-server.ts";
import { sample } from "../support/batches.ts";
import { createTestServer, type TestServer } from "../support/test-server.ts";

const FOLDER = path.join(import.meta.dirname, "../fixtures/tls");
const [FIRST, SECOND] = [identity("first"), identity("second")];
const ANY = [FIRST.certificate, SECOND.certificate];

let world: TestServer & { readonly port: number };

afterEach(() => world.server.close());

function identity(name: string): TlsIdentity {
  return { certificate: read(`${name}.pem`), key: read(`${name}.key.pem`) };
}

function read(file: string): string {
  return readFileSync(path.join(FOLDER, file), "utf8");
}

async function listen(settings: object = {}): Promise<string> {
  const samples = [sample("GET /cart", 1_700_000_000)];
  const made = await createTestServer({
    samples,
    settings: { port: 0, ...settings },
    dependencies: { tls: FIRST },
  });
  const url = await made.server.listen();
  world = { ...made, port: Number(new URL(url).port) };
  return url;
}

async function connect(options: tls.ConnectionOptions = {}): Promise<tls.TLSSocket> {
  const socket = tls.connect({ host: "127.0.0.1", port: world.port, ca: ANY, ...options });
  await once(socket, "secureConnect");
  return socket;
}

test("with a certificate the server uses TLS", async () => {
  const url = await listen();
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+/);
  const request = https.get(`${url}/Api/Metrics?loadTestId=run&filter=cart&format=csv`, {
    ca: FIRST.certificate,
    headers: { "X-Service-Auth": world.key },
    agent: false,
  });
  const [response] = (await once(request, "response")) as [import("node:http").IncomingMessage];
  expect(response.statusCode).toBe(200);
  expect(await text(response)).toContain("GET /cart");
});

test("plain text and old TLS versions get no response", async () => {
  await listen();
  const plain = net.connect(world.port, "127.0.0.1");
  plain.write("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect(await text(plain)).not.toContain("HTTP/1.1 200");
  // A client that still accepts it.
  const old = { maxVersion: "TLSv1.1", minVersion: "TLSv1", ciphers: "ALL@SECLEVEL=0" } as const;
  await expect(connect(old)).rejects.toThrow(/alert protocol version/);
});

test("new connections get a renewed certificate, and old ones continue", async () => {
  await listen();
  const old = await connect();
  world.server.renewTls(SECOND);
  const fresh = await connect();
  expect(old.getPeerCertificate().subject.CN).toBe("first");
  expect(fresh.getPeerCertificate().subject.CN).toBe("second");
  fresh.destroy();
  old.end("GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  expect(await text(old)).toContain("HTTP/1.1 200");
});

test("silent connections, before or after the TLS handshake, do not delay the shutdown", async () => {
  await listen({ headersTimeoutMs: 60_000, drainMs: 60_000 });
  const [silent, raw] = [await connect(), net.connect(world.port, "127.0.0.1")];
  await once(raw, "connect");
  const startedAtMs = performance.now();
  await Promise.all([world.server.close(), once(silent, "close"), once(raw, "close")]);
  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
});

test("unfinished handshakes and requests are closed after the drain time at shutdown", async () => {
  await listen({ headersTimeoutMs: 60_000, drainMs: 50 });
  const begun = net.connect(world.port, "127.0.0.1");
  // The first byte of a handshake.
  begun.write(Buffer.of(22));
  const partial = await connect();
  partial.write("GET / HT");
  const startedAtMs = performance.now();
  await Promise.all([world.server.close(), once(begun, "close"), once(partial, "close")]);
  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
});
