/**
 * T6: readers that read the beginning of a large response and then stop (ten of 11 MB, or
 * TACHOGRAPH_STALLED_READERS of 43 MB) are cut off in time, and use little memory until then.
 */

import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { open } from "../support/raw-http.ts";
import { runTachograph } from "../support/run-tachograph.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

const WISH = process.env["TACHOGRAPH_STALLED_READERS"];
const READERS = Number(WISH ?? 10);
const ENDPOINTS = 100;
const SECONDS = WISH === undefined ? 900 : 3600;
const STALL_MS = WISH === undefined ? 1500 : 10_000;
const LATE_MS = 5000;
const MEMORY_MAX = 512e6;

let server: ServerProcess;
let key = "";

beforeAll(async () => {
  server = await startServer("--stall-ms", String(STALL_MS));
  key = await server.makeKey("read");
  const file = path.join(server.data, "dense.jtl");
  const rows = Array.from({ length: ENDPOINTS * SECONDS }, (_, row) => {
    const second = 1_700_000_000 + Math.floor(row / ENDPOINTS);
    return `${second}000,${100 + ((row * 7919) % 900)},GET /${row % ENDPOINTS},true,${row % 5000}`;
  });
  await writeFile(file, `timeStamp,elapsed,label,success,bytes\n${rows.join("\n")}\n`);
  await runTachograph(["import", file, "--id", "dense", "--data", server.data]);
}, 60_000);
afterAll(() => server.stop());

test(
  "stalled readers are disconnected in time, and use little memory until then",
  async () => {
    const request = [
      "GET /Api/Metrics?loadTestId=dense&filter=GET HTTP/1.1",
      "Host: localhost",
      `X-Service-Auth: ${key}`,
      "",
      "",
    ].join("\r\n");
    const before = server.residentBytes();
    server.forgetPeak();
    const sockets: Socket[] = [];
    for (let reader = 0; reader < READERS; reader++) {
      const socket = await open(server.port);
      socket.on("error", () => undefined);
      socket.write(request);
      sockets.push(socket);
    }
    await Promise.all(
      sockets.map(async (socket) => {
        const [bytes] = (await once(socket, "data")) as [Buffer];
        expect(bytes.toString("latin1")).toMatch(/^HTTP\/1\.1 200 /);
        socket.pause();
      }),
    );
    const stalledAtMs = performance.now();
    let log = "";
    while (log.split("response_stalled").length <= READERS) {
      expect(performance.now() - stalledAtMs).toBeLessThan(STALL_MS + LATE_MS);
      log = await server.logged("response_stalled");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const elapsedMs = performance.now() - stalledAtMs;
    const peak = server.peakBytes();
    console.log(
      `${READERS} readers: all cut off after ${Math.round(elapsedMs)} ms, at most ` +
        `${Math.round((peak - before) / 1e6)} MB more, ${Math.round(peak / 1e6)} MB in all`,
    );
    expect(peak).toBeLessThan(MEMORY_MAX);
    for (const socket of sockets) socket.destroy();
  },
  STALL_MS + 30_000,
);
