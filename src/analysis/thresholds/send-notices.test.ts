import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Notice } from "./notice.ts";
import { NoticeSender } from "./send-notices.ts";

const NOTICE: Extract<Notice, { readonly event: "thresholds-failed" }> = {
  event: "thresholds-failed",
  loadTest: { id: "run", name: "run" },
  address: undefined,
  verdict: {
    name: "run",
    against: null,
    fails: true,
    checked: 1,
    failed: 1,
    judged: 1,
    thresholds: [],
  },
};

let statuses: (number | "break")[] = [];
let received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
let waits: number[] = [];
let outcomes: string[] = [];
let url = new URL("http://127.0.0.1/");

const server = createServer(async (request, response) => {
  received.push({ headers: request.headers, body: await text(request) });
  const status = statuses.shift() ?? 204;
  if (status === "break") request.socket.destroy();
  else response.writeHead(status, { Location: "http://127.0.0.1:1/" }).end("thanks");
});

beforeEach(async () => {
  [statuses, received, waits, outcomes] = [[], [], [], []];
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

function createSender(
  secret?: string,
  wait: (ms: number, signal: AbortSignal) => Promise<void> = async () => undefined,
) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (outcome: string): void => {
    outcomes.push(outcome);
    resolve();
  };
  const sender = new NoticeSender([{ form: "json", url }], secret, {
    fetch,
    wait(ms, signal) {
      waits.push(ms);
      return wait(ms, signal);
    },
    sent: (_, host) => end(`sent to ${host}`),
    lost: (_, __, reason) => end(`lost: ${reason}`),
  });
  return { sender, ended: promise };
}

test("a notice is posted with a signature of its body", async () => {
  const { sender, ended } = createSender("secret");
  void sender.send(NOTICE);
  await ended;
  const [{ headers, body } = { headers: {}, body: "" }] = received;
  expect(JSON.parse(body)).toMatchObject({ event: "thresholds-failed", loadTest: { id: "run" } });
  const digest = createHmac("sha256", "secret").update(body).digest("hex");
  expect(headers["x-tachograph-signature-256"]).toBe(`sha256=${digest}`);
  expect(headers["content-type"]).toBe("application/json");
  expect(outcomes).toEqual([`sent to ${url.host}`]);
});

test("temporary failures are retried with growing delays for about an hour", async () => {
  statuses = [500, "break", 429, 408, 503, 200];
  const { sender, ended } = createSender();
  void sender.send(NOTICE);
  await ended;
  expect(outcomes).toEqual([`sent to ${url.host}`]);
  expect(waits).toEqual([1000, 10_000, 60_000, 600_000, 3_000_000]);
  expect(received[0]?.headers).not.toHaveProperty("x-tachograph-signature-256");
});

test("a notice is lost after six attempts", async () => {
  statuses = Array.from({ length: 9 }, () => 500);
  const { sender, ended } = createSender();
  void sender.send(NOTICE);
  await ended;
  expect(received).toHaveLength(6);
  expect(outcomes).toEqual(["lost: the receiver responded 500"]);
});

test.each([400, 404, 302])("a response of %d is not retried", async (status) => {
  statuses = [status];
  const { sender, ended } = createSender();
  void sender.send(NOTICE);
  await ended;
  expect(received).toHaveLength(1);
  expect(outcomes).toEqual([`lost: the receiver responded ${status}`]);
});

test("a stop ends the waiting", async () => {
  statuses = [500];
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const { sender } = createSender(undefined, (_, signal) => {
    resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  });
  void sender.send(NOTICE);
  await begun;
  await sender.stop();
  expect(outcomes).toEqual(["lost: the server is stopping"]);
});

test("sends user and password as a header, and logs neither", async () => {
  const authorization = "Basic b3BzOmFAYg==";
  const lost: string[] = [];
  const sender = new NoticeSender([{ form: "json", url, authorization }], undefined, {
    fetch,
    wait: async () => undefined,
    sent: () => undefined,
    lost: (_, host, reason) => void lost.push(`${host} ${reason}`),
  });
  await sender.send(NOTICE);
  expect(received.map(({ headers }) => headers.authorization)).toEqual([authorization]);
  statuses = Array.from({ length: 9 }, () => "break");
  await sender.send(NOTICE);
  expect(lost).toHaveLength(1);
  expect(lost[0]).not.toMatch(/ops|a@b|b3BzO/);
});
