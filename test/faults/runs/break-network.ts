import assert from "node:assert/strict";
import { readdirSync, readlinkSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { batchesIn } from "../around/batches-in.ts";
import { BrokenNetwork, type Trouble, type TroubledConnection } from "../around/broken-network.ts";
import { LiveSenders } from "../around/live-senders.ts";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const TROUBLES: readonly Trouble[] = ["reset", "half-close", "bytewise", "stall"];
/** Where the response to a batch is cut: before it, or anywhere in its head or body. */
const ANSWER_BYTES = 900;
const STALL_MS = 300;
const LONG_STALL_MS = 5000;
const LONG_STALL_SHARE = 0.02;
const SETTLES_WITHIN_MS = 8000;

export const breakNetwork: Fault = {
  id: "C25",
  title:
    "Connections of four senders are reset, half closed, cut into single bytes and stalled: each batch counts once, and no socket is left over.",
  rounds: { fast: 60, nightly: 500, release: 2000 },

  async run({ rounds, folder, random, log }: FaultContext): Promise<FaultFigures> {
    await using server = await ServedStore.startIn(folder);
    await server.createLoadTest("run");
    const before = socketsOf(server);
    const next = (connection: number): TroubledConnection => {
      const trouble = TROUBLES[connection % TROUBLES.length] ?? "none";
      const afterBytes = random() < 0.5 ? 0 : Math.floor(random() * ANSWER_BYTES);
      const isLong = random() < LONG_STALL_SHARE;
      return { trouble, afterBytes, stallMs: isLong ? LONG_STALL_MS : STALL_MS };
    };
    await using network = await BrokenNetwork.before(server.port, next);
    const target = { port: network.port, key: server.key, loadTestId: "run" };
    const senders = new LiveSenders(target, { requestsPerConnection: 3 });
    while (network.accepted < rounds) await senders.next();
    await senders.stop();
    assert.deepEqual(await batchesIn(server, "run"), senders.acknowledged);
    log(`${network.accepted} connections, ${senders.repeated} batches were there already`);
    const { running } = server;
    const left = await settled(() => network.open + socketsOf(server) - before);
    assert.ok(left <= 0, `${left} sockets are left over`);
    running.process.kill("SIGTERM");
    const { exitCode, error } = await running.outcome;
    assert.equal(exitCode, 0, error);
    assert.doesNotMatch(error, /"level":(50|60)|unhandled/i);
    return {
      "broken connections": network.accepted,
      "batches acknowledged": senders.acknowledged.reduce((sum, batches) => sum + batches, 0),
      "stored before the acknowledgement was lost": senders.repeated,
      "lost or doubled": 0,
      "sockets left over": 0,
    };
  },
};

/** Sockets that the server's process holds. */
function socketsOf({ running }: ServedStore): number {
  const folder = `/proc/${running.process.pid}/fd`;
  return readdirSync(folder).filter((name) => linkOf(`${folder}/${name}`).startsWith("socket:"))
    .length;
}

/** Empty if the file was closed meanwhile. */
function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return "";
  }
}

/** The count once it has fallen to 0 or stopped falling. */
async function settled(count: () => number): Promise<number> {
  const untilMs = performance.now() + SETTLES_WITHIN_MS;
  while (count() > 0 && performance.now() < untilMs) await setTimeout(50);
  return count();
}
