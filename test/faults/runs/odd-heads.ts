import assert from "node:assert/strict";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { open } from "../../support/raw-http.ts";
import { runTachograph } from "../../support/run-tachograph.ts";
import { batchOf, sample } from "../../support/batches.ts";
import { makeFolder } from "../disk/data-folder.ts";
import { METRICS, withServer } from "../disk/fault-server.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

/** After this silence no further response is expected. */
const ANSWERED_WITHIN_MS = 400;
/** Requests that warm the cache have a single response. */
const WARM_MS = 20;
const STORM_MS = 4000;

/** A request with this key and the server's port. */
type Head = (key: string, port: number) => string;

/** The statuses of all responses, in order; none: the connection is closed without one. */
const HEADS: readonly (readonly [name: string, statuses: readonly number[], head: Head])[] = [
  ["as it is", [200], (key) => get(key)],
  ["HTTP/1.0", [200], (key) => get(key, { version: "1.0" })],
  ["HTTP/0.9", [400], () => `GET ${METRICS}\r\n\r\n`],
  ["HTTP/2.0", [200], (key) => get(key, { version: "2.0" })],
  [
    "absolute form",
    [200],
    (key, port) => get(key, { target: `http://127.0.0.1:${port}${METRICS}` }),
  ],
  [
    "absolute form elsewhere",
    [421],
    (key) => get(key, { target: `http://evil.example${METRICS}` }),
  ],
  ["user in absolute form", [400], (key) => get(key, { target: `http://a@127.0.0.1${METRICS}` })],
  ["foreign host", [421], (key) => get(key, { host: "evil.example" })],
  ["empty host", [400], (key) => get(key, { host: "" })],
  ["two hosts", [400], (key) => get(key, { headers: ["Host: evil"] })],
  ["port too large", [200], (key) => get(key, { host: "127.0.0.1:99999" })],
  ["the key twice", [400], (key) => get(key, { headers: [`X-Service-Auth: ${key}`] })],
  ["a key and an empty one", [400], (key) => get(key, { headers: ["X-Service-Auth: "] })],
  ["two keys in one header", [401], (key) => get(`${key}, ${key}`)],
  ["folded header", [400], (key) => get(key, { headers: ["X-A: a\r\n b"] })],
  ["folded key", [400], (key) => get(`${key.slice(0, 10)}\r\n ${key.slice(10)}`)],
  ["bare line feeds", [400], (key) => get(key).replaceAll("\r\n", "\n")],
  ["bare carriage return", [400], (key) => get(key, { headers: ["X-A: a\rX-Service-Auth: b"] })],
  ["zero byte", [400], (key) => get(key, { headers: ["X-A: a\0b"] })],
  ["blank before the colon", [400], (key) => get(key, { headers: ["X-A : a"] })],
  [
    "two lengths",
    [400],
    (key) => get(key, { headers: ["Content-Length: 0", "Content-Length: 5"] }),
  ],
  ["signed length", [400], (key) => get(key, { headers: ["Content-Length: +0"] })],
  [
    "unknown transfer coding",
    [400],
    (key) => get(key, { headers: ["Transfer-Encoding: xchunked"] }),
  ],
  [
    "length and chunks",
    [400],
    (key) => post(key, ["Content-Length: 4", CHUNKED], "0\r\n\r\n") + get(key),
  ],
  ["bad chunk size", [400], (key) => post(key, [CHUNKED], "0x2\r\n{}\r\n0\r\n\r\n") + get(key)],
  ["body of a read", [413], (key) => `${get(key, { headers: ["Content-Length: 5"] })}hello`],
  ["upgrade", [200], (key) => get(key, { headers: ["Connection: Upgrade", "Upgrade: websocket"] })],
  ["odd expectation", [200], (key) => get(key, { headers: ["Expect: 200-ok"] })],
  ["CONNECT", [], (key) => get(key, { method: "CONNECT", target: "127.0.0.1:80" })],
  ["TRACE", [405], (key) => get(key, { method: "TRACE" })],
  ["method override", [200], (key) => get(key, { headers: ["X-HTTP-Method-Override: DELETE"] })],
  [
    "50 reads and a bad key",
    [...Array.from({ length: 50 }, () => 200), 401],
    (key) => get(key).repeat(50) + get("tgk_bad"),
  ],
  [
    "closed in the middle",
    [200, 200],
    (key) => get(key) + get(key, { headers: ["Connection: close"] }) + get(key),
  ],
  ["part of a key", [401], (key) => get(key.slice(0, -1))],
  ["key in lower case", [401], (key) => get(key.toLowerCase())],
  ["key in the query", [401], (key) => get("", { target: `${METRICS}&key=${key}` })],
  ["28 kB of headers", [200], (key) => get(key, { headers: many(100, "a".repeat(270)) })],
  ["2,000 headers", [431], (key) => get(key, { headers: many(2000, "a".repeat(20)) })],
];

const CHUNKED = "Transfer-Encoding: chunked";

/** A round sends all requests once. */
export const oddHeads: Fault = {
  id: "H1",
  title:
    "Request heads that are odd, cut, doubled or smuggled follow one whose answer is kept: each gets its status and nothing more. A key that is revoked under a storm of reads gets no 200 afterwards.",
  rounds: { fast: 0, nightly: 3, release: 3 },

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    const data = path.join(folder, "data");
    const key = await makeFolder(data, ({ points }) =>
      points.append(batchOf([sample("endpoint", 1_700_000_000)])),
    );
    return withServer({ folder: data, key }, async (server) => {
      const port = Number(new URL(server.address).port);
      for (let round = 0; round < rounds; round++) {
        for (const [name, statuses, head] of HEADS) {
          for (let time = 0; time < 3; time++) await statusesOf(port, get(key), WARM_MS);
          assert.deepEqual(await statusesOf(port, head(key, port)), statuses, name);
        }
      }
      const revoked = await revokeInStorm(data, port);
      await server.stop();
      return { heads: rounds * HEADS.length, ...revoked };
    });
  },
};

interface HeadParts {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  readonly host?: string;
  readonly headers?: readonly string[];
}

function get(key: string, parts: HeadParts = {}): string {
  const { method = "GET", target = METRICS, version = "1.1", host = "127.0.0.1" } = parts;
  const { headers = [] } = parts;
  const own = key === "" ? [] : [`X-Service-Auth: ${key}`];
  const lines = [`${method} ${target} HTTP/${version}`, `Host: ${host}`, ...own, ...headers];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function post(key: string, headers: readonly string[], body: string): string {
  const type = "Content-Type: application/json";
  return get(key, { method: "POST", target: "/Api/LoadTests", headers: [type, ...headers] }) + body;
}

function many(count: number, value: string): string[] {
  return Array.from({ length: count }, (_, number) => `X-${number}: ${value}`);
}

/** Statuses of all responses until the connection is closed or silent. */
async function statusesOf(
  port: number,
  request: string,
  silentMs = ANSWERED_WITHIN_MS,
): Promise<number[]> {
  const socket = await open(port);
  let received = "";
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.on("data", (bytes: Buffer) => (received += bytes.toString("latin1")));
  socket.write(Buffer.from(request, "latin1"));
  let seen = -1;
  while (received.length !== seen || seen === 0) {
    seen = received.length;
    const isOver = await Promise.race([closed.then(() => true), setTimeout(silentMs)]);
    if (isOver === true) break;
  }
  socket.destroy();
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** Revokes a key in another process while one connection reads repeatedly. */
async function revokeInStorm(data: string, port: number): Promise<FaultFigures> {
  const asked = ["--name", "storm", "--scope", "read", "--data", data];
  const key = (await runTachograph(["keys", "create", ...asked])).out.trim();
  const revoking = revoke(data);
  const untilMs = performance.now() + STORM_MS;
  let [answered, refused] = [0, 0];
  while (performance.now() < untilMs || !revoking.isOver) {
    const wasRevoked = revoking.isOver;
    const [status] = await statusesOfOne(port, get(key));
    if (status === 200) answered += 1;
    else refused += 1;
    assert.ok(status !== 200 || !wasRevoked, "a revoked key was answered");
    assert.ok(status !== 200 || refused === 0, "a revoked key came back");
  }
  await revoking.done;
  assert.ok(answered > 0 && refused > 0, `${answered} answered, ${refused} refused`);
  return { "reads before the key was revoked": answered, "refused afterwards": refused };
}

interface Revoking {
  isOver: boolean;
  readonly done: Promise<void>;
}

function revoke(data: string): Revoking {
  const run = async (): Promise<void> => {
    const outcome = await runTachograph(["keys", "revoke", "storm", "--data", data]);
    assert.equal(outcome.exitCode, 0, outcome.error);
    revoking.isOver = true;
  };
  const revoking = { isOver: false, done: Promise.resolve() };
  revoking.done = run();
  return revoking;
}

async function statusesOfOne(port: number, request: string): Promise<number[]> {
  return statusesOf(port, request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
}
