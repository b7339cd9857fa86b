import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeFolder } from "../disk/data-folder.ts";
import { type FaultServer, withServer } from "../disk/fault-server.ts";
import { LoneSender } from "../disk/lone-sender.ts";
import { peakMebibytes } from "../disk/memory.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const FILES = 64;
const MEBIBYTES_MAX = 512;
const SETTLE_MS = 1000;
/** A busy server takes longer to refuse excess connections. */
const REFUSED_WITHIN_MS = 60_000;
/** Until the server has noticed closed connections. */
const AGAIN_WITHIN_MS = 10_000;

export const fewFiles: Fault = {
  id: "C13",
  title:
    "2,000 connections reach a server that may open 64 files, and one that may open many: those too many are refused, memory stays under 512 MB, and later everything works.",
  rounds: { fast: 2000, nightly: 2500, release: 2500 },
  programs: ["prlimit"],

  async run({ rounds: connections, folder }: FaultContext): Promise<FaultFigures> {
    const few = await crowd(path.join(folder, "few"), connections, [`--nofile=${FILES}`]);
    const many = await crowd(path.join(folder, "many"), connections);
    assert.ok(few.open < FILES, `${few.open} connections with ${FILES} files`);
    assert.ok(
      many.open >= Math.min(connections, 1990),
      `only ${many.open} of ${connections} at once`,
    );
    return {
      connections,
      "open with 64 files": few.open,
      "open without a limit": many.open,
      "MiB at most": Math.max(few.peak, many.peak),
    };
  },
};

async function crowd(
  data: string,
  connections: number,
  limits: readonly string[] = [],
): Promise<{ readonly open: number; readonly peak: number }> {
  const key = await makeFolder(data);
  const through = limits.length === 0 ? [] : ["prlimit", ...limits];
  const sender = new LoneSender();
  const words = ["--connections-per-address-max", String(connections)];
  const found = await withServer({ folder: data, key, words, through }, async (server) => {
    await sender.resume(server);
    const sockets = await connectAll(server, connections);
    const open = await openAmong(sockets, limits.length === 0 ? connections : FILES - 1);
    for (const socket of sockets) socket.destroy();
    await againWithin(server, sender);
    const peak = peakMebibytes(server.processId) ?? Number.POSITIVE_INFINITY;
    assert.ok(peak <= MEBIBYTES_MAX, `${peak} MiB of memory`);
    await server.stop();
    return { open, peak };
  });
  await sender.requireStored(data);
  return found;
}

async function connectAll({ address }: FaultServer, connections: number): Promise<Socket[]> {
  const { hostname, port } = new URL(address);
  return Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => undefined);
      // Reads, so that the end of the connection is noticed.
      socket.resume();
      await Promise.race([once(socket, "connect"), once(socket, "close")]);
      return socket;
    }),
  );
}

/** How many stay open: returns as soon as that is `most`, or at the end. */
async function openAmong(sockets: readonly Socket[], most: number): Promise<number> {
  const untilMs = performance.now() + REFUSED_WITHIN_MS;
  for (;;) {
    await delay(SETTLE_MS);
    const open = sockets.filter(({ destroyed, readable }) => !destroyed && readable).length;
    if (open <= most || performance.now() > untilMs) return open;
  }
}

/** Sends again once the server accepts connections. Throws if that takes too long. */
async function againWithin(server: FaultServer, sender: LoneSender): Promise<void> {
  const untilMs = performance.now() + AGAIN_WITHIN_MS;
  for (;;) {
    try {
      await sender.resume(server);
      return;
    } catch (error) {
      if (performance.now() > untilMs) throw error;
      await delay(50);
    }
  }
}
