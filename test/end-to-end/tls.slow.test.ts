import { cp, mkdtemp, rm } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import tls from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runTachograph, startTachograph } from "../support/run-tachograph.ts";

const IDENTITIES = path.join(import.meta.dirname, "../fixtures/tls");

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-tls-"));
});

afterAll(() => rm(folder, { recursive: true }));

function put(name: string): Promise<unknown> {
  return Promise.all([
    copy(`${name}.pem`, "server.pem"),
    copy(`${name}.key.pem`, "server.key.pem"),
  ]);
}

function copy(file: string, to: string): Promise<void> {
  return cp(path.join(IDENTITIES, file), path.join(folder, to));
}

async function shownName(port: number): Promise<unknown> {
  const socket = tls.connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return subject.CN;
}

const FILES = () => [
  "--tls-certificate",
  path.join(folder, "server.pem"),
  "--tls-key",
  path.join(folder, "server.key.pem"),
];

test("serve loads a renewed certificate on its signal, and keeps the old one if the new one is invalid", async () => {
  await put("first");
  const data = path.join(folder, "data");
  const server = startTachograph(["serve", "--port", "0", "--data", data, ...FILES()]);
  const greeting = await server.printed("\n");
  const port = Number(/https:\/\/127\.0\.0\.1:(\d+)/.exec(greeting)?.[1]);
  expect(await shownName(port)).toBe("first");
  await rm(path.join(folder, "server.key.pem"));
  server.process.kill("SIGHUP");
  await server.logged("tls_not_renewed");
  expect(await shownName(port)).toBe("first");
  await put("second");
  server.process.kill("SIGHUP");
  await server.logged("tls_renewed");
  expect(await shownName(port)).toBe("second");
  server.process.kill("SIGTERM");
  expect((await server.outcome).exitCode).toBe(0);
});

test("SIGHUP does not end a server without TLS", async () => {
  const data = path.join(folder, "plain");
  const server = startTachograph(["serve", "--port", "0", "--data", data]);
  await server.printed("answers at");
  server.process.kill("SIGHUP");
  await server.logged("nothing_reloaded");
  server.process.kill("SIGTERM");
  expect((await server.outcome).exitCode).toBe(0);
});

test.each([
  ["a key that is another's", ["first.pem", "second.key.pem"], /for TLS: expected a certificate/],
  ["a file that is not there", ["none.pem", "first.key.pem"], /none\.pem for TLS: cannot read it/],
  ["a certificate alone", ["first.pem"], /got a certificate without a key/],
])("serve refuses %s", async (_what, [certificate = "", key], message) => {
  const words = ["serve", "--port", "0", "--data", path.join(folder, "refused")];
  words.push("--tls-certificate", path.join(IDENTITIES, certificate));
  if (key !== undefined) words.push("--tls-key", path.join(IDENTITIES, key));
  const { exitCode, error } = await runTachograph(words);
  expect({ exitCode, error }).toEqual({ exitCode: 2, error: expect.stringMatching(message) });
});
