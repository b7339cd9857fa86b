import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { figuresOf } from "../around/server-figures.ts";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const BACK_WITHIN_MS = 30_000;
const LOOK_EACH_MS = 250;
/** Descriptors in use without a client: timers, the second thread, the health check. */
const SPARE_DESCRIPTORS = 10;

/** What a client sends before it falls silent. */
const BEGINNINGS = [
  "",
  "GET / HT",
  "GET / HTTP/1.1\r\nHost: loc",
  "GET / HTTP/1.1\r\nBad Header\r\n\r\n",
  "GET / HTTP/1.1\r\n\r\n",
  `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"a".repeat(40_000)}\r\n\r\n`,
  "GET /Api/LoadTests HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n",
  "POST /Api/LoadTests HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n",
  "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
];

/** A round is a connection. */
export const halfOpen: Fault = {
  id: "A1",
  title:
    "Clients without a key send nothing, a part of a request or one that is refused, and never close their side: the server closes all connections within 30 s, counted by its own file descriptors.",
  rounds: { fast: 1900, nightly: 1900, release: 1900 },

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    await using server = await ServedStore.startIn(folder);
    const before = figuresOf(server).descriptors;
    const sockets = Array.from({ length: rounds }, (_, number) => openHalf(server.port, number));
    await Promise.all(sockets.map(({ connected }) => connected));
    const most = figuresOf(server).descriptors;
    const backMs = await untilBack(server, before + SPARE_DESCRIPTORS);
    assert.equal((await server.fetch("/health/live")).status, 200);
    for (const { socket } of sockets) socket.destroy();
    return {
      "descriptors at most": most - before,
      "of them left": Math.max(0, figuresOf(server).descriptors - before - SPARE_DESCRIPTORS),
      "ms until all were back": Math.round(backMs),
    };
  },
};

/** Keeps its side open when the server ends its own. */
function openHalf(port: number, number: number): { socket: Socket; connected: Promise<void> } {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  socket.resume();
  const connected = new Promise<void>((resolve) => {
    socket.once("connect", resolve);
    socket.once("close", resolve);
  });
  socket.write(BEGINNINGS[number % BEGINNINGS.length] ?? "");
  return { socket, connected };
}

async function untilBack(server: ServedStore, descriptorsMax: number): Promise<number> {
  const beganAtMs = performance.now();
  for (;;) {
    const tookMs = performance.now() - beganAtMs;
    const { descriptors } = figuresOf(server);
    if (descriptors <= descriptorsMax) return tookMs;
    const text = `${descriptors} descriptors after ${Math.round(tookMs)} ms, want ${descriptorsMax}`;
    assert.ok(tookMs <= BACK_WITHIN_MS, text);
    await delay(LOOK_EACH_MS);
  }
}
