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

let statuses: (number | "break" | "busy" | "hang")[] = [];
let answers = 0;
let mostAtOnce = 0;
let received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
let waits: number[] = [];
let outcomes: string[] = [];
let url = new URL("http://127.0.0.1/");

const server = createServer(async (request, response) => {
  answers += 1;
  mostAtOnce = Math.max(mostAtOnce, answers);
  received.push({ headers: request.headers, body: await text(request) });
  const status = statuses.shift() ?? 204;
  answers -= 1;
  if (status === "hang") return;
  if (status === "break") request.socket.destroy();
  else if (status === "busy") response.writeHead(429, { "Retry-After": "30" }).end();
  else response.writeHead(status, { Location: "http://127.0.0.1:1/" }).end("thanks");
});

beforeEach(async () => {
  [statuses, received, waits, outcomes] = [[], [], [], []];
  [answers, mostAtOnce] = [0, 0];
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

test("many notices are posted one after the other, as fast as the receiver takes them", async () => {
  statuses = [204, 204, "busy", "busy", 204, "busy"];
  const { sender } = createSender();
  const ids = Array.from({ length: 9 }, (_, index) => `run${index}`);
  const all = ids.map((id) => sender.send({ ...NOTICE, loadTest: { id, name: id } }));
  expect(await Promise.all(all)).toEqual(ids.map(() => true));
  expect(outcomes).toEqual(ids.map(() => `sent to ${url.host}`));
  expect(mostAtOnce).toBe(1);
  // Once for each answer with 429, and none of these uses up an attempt.
  expect(waits).toEqual([30_000, 30_000, 30_000]);
  const posted = received.map(({ body }) => (JSON.parse(body) as Notice).loadTest.id);
  expect(posted).toEqual("0 1 2 2 2 3 3 4 5 6 7 8".split(" ").map((number) => `run${number}`));
});

test("notices about a load test arrive in the order of its events, and hold up those about no other", async () => {
  statuses = [503];
  const { sender } = createSender();
  const about = { ...NOTICE, id: "1", thresholds: [], count: 1 };
  const notices = [
    { ...about, event: "thresholds-broken" },
    { ...about, event: "thresholds-recovered" },
    { ...NOTICE, loadTest: { id: "other", name: "other" } },
  ] as const;
  await Promise.all(notices.map((notice) => sender.send(notice)));
  expect(received.map(({ body }) => (JSON.parse(body) as Notice).event)).toEqual([
    "thresholds-broken",
    "thresholds-failed",
    "thresholds-broken",
    "thresholds-recovered",
  ]);
});

test("a receiver that does not answer one notice gets the next ones all the same", async () => {
  statuses = ["hang", "hang"];
  const { sender } = createSender();
  const ids = ["hung", "hung, too", "taken", "taken, too"];
  const all = ids.map((id) => sender.send({ ...NOTICE, loadTest: { id, name: id } }));
  expect(await Promise.all(all.slice(2))).toEqual([true, true]);
  expect(outcomes).toHaveLength(2);
  await sender.stop();
  expect(await Promise.all(all.slice(0, 2))).toEqual([false, false]);
});

test("a receiver that always asks to wait is given up", async () => {
  statuses = Array.from({ length: 99 }, () => "busy");
  const { sender } = createSender();
  expect(await sender.send(NOTICE)).toBe(true);
  expect(received).toHaveLength(6 * 4);
  expect(outcomes).toEqual(["lost: the receiver responded 429"]);
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
