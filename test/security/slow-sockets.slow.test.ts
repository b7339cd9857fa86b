/**
 * T5: 500 connections that send headers or a body too slowly, or nothing, are all closed in time (1 s here,
 * TACHOGRAPH_SLOW_MS milliseconds if set), and other requests are answered meanwhile.
 */

import type { Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { open } from "../support/raw-http.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

const SLOW_MS = Number(process.env["TACHOGRAPH_SLOW_MS"] ?? 1000);
/** Allows for the rest of the request, which is discarded for 2 s, the timer check each second and a busy machine. */
const LATE_MS = 4000;
const SOCKETS = 500;
/** Other tests of a complete run compete for the processor. */
const WAIT_MS_MAX = process.env["TACHOGRAPH_SLOW_MS"] === undefined ? 2000 : 100;

let server: ServerProcess;
let key = "";

beforeAll(async () => {
  const limits = ["--headers-timeout-ms", SLOW_MS, "--body-stall-ms", SLOW_MS];
  server = await startServer(...limits.map(String));
  key = await server.makeKey("write");
});
afterAll(() => server.stop());

/** How a slow client begins; those that drip repeat a letter of a header. */
const KINDS = [
  { begin: "", drips: false },
  { begin: "GET /health/live HT", drips: false },
  { begin: "GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", drips: true },
  { begin: "body", drips: false },
];

function beginOf(begin: string): string {
  if (begin !== "body") return begin;
  const headers = `Host: localhost\r\nX-Service-Auth: ${key}\r\nContent-Length: 1000\r\n`;
  return `POST /Api/LoadTests/run/Batches HTTP/1.1\r\n${headers}\r\nhalf`;
}

test(
  "five hundred slow senders are disconnected in time and delay nobody",
  async () => {
    const startedAtMs = performance.now();
    const closedAtMs: Promise<number>[] = [];
    const sockets: Socket[] = [];
    const answers: string[] = [];
    for (let n = 0; n < SOCKETS; n++) {
      const { begin, drips } = KINDS[n % KINDS.length] ?? { begin: "", drips: false };
      const socket = await open(server.port);
      sockets.push(socket);
      socket.on("error", () => undefined);
      // A response may arrive in several chunks.
      socket.once("data", (bytes: Buffer) => {
        answers.push(bytes.toString("latin1").slice(9, 12));
      });
      socket.write(beginOf(begin));
      const drip = drips ? setInterval(() => socket.write("x"), SLOW_MS / 4) : undefined;
      const openedAtMs = performance.now();
      closedAtMs.push(
        new Promise((resolve) => {
          socket.once("close", () => {
            clearInterval(drip);
            resolve(performance.now() - openedAtMs);
          });
        }),
      );
    }
    const waitsMs: number[] = [];
    while (performance.now() - startedAtMs < SLOW_MS) {
      const askedAtMs = performance.now();
      expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
      waitsMs.push(performance.now() - askedAtMs);
    }
    const lifetimes = await Promise.all(closedAtMs);
    expect(lifetimes).toHaveLength(SOCKETS);
    expect(Math.max(...lifetimes)).toBeLessThan(SLOW_MS + LATE_MS);
    expect(new Set(answers)).toEqual(new Set(["408"]));
    const p99 = waitsMs.toSorted((one, other) => one - other)[Math.floor(waitsMs.length * 0.99)];
    expect(p99).toBeLessThan(WAIT_MS_MAX);
    console.log(`closed after at most ${Math.max(...lifetimes)} ms, p99 of others ${p99} ms`);
  },
  SLOW_MS * 3 + 20_000,
);
