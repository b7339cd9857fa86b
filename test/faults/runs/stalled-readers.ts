import assert from "node:assert/strict";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { published } from "../../support/batches.ts";
import { densePoints } from "../../support/dense-points.ts";
import { runTachograph } from "../../support/run-tachograph.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeFolder } from "../disk/data-folder.ts";
import { METRICS } from "../disk/fault-server.ts";
import { ServedStore } from "../around/served-store.ts";
import { SocketCrowd } from "../around/socket-crowd.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

/** More than a server sends at once. */
const STALLED = 140;
/** Frequent enough: a reader that takes less than 64 KB in 30 s would be cut off anyway. */
const SIP_EACH_MS = 5000;
const SIP_BYTES = 70_000;
const ASKED_EACH_MS = 500;
const IDLE_FOR_MS = 1000;
const IDLE_SHARE_MAX = 0.3;
const ENDPOINTS = 100;
const SECONDS = 2000;

/** A round is a response to the other key. */
export const stalledReaders: Fault = {
  id: "A5",
  title:
    "140 readers of one key ask for a large answer and take 70 KB of it every 5 s; each one that is cut off asks again: every large answer to another key is whole.",
  rounds: { fast: 10, nightly: 60, release: 200 },

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    const data = path.join(folder, "data");
    await using server = new ServedStore(data, await makeFolder(data, fill));
    await server.start();
    const words = ["--name", "slow", "--scope", "read", "--data", data];
    const { out } = await runTachograph(["keys", "create", ...words]);
    const right = await server.text(METRICS);
    const crowd = slowCrowd(server.port, out.trim());
    await untilIdle(server);
    const tookMs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const beganAtMs = performance.now();
      assert.equal(await server.text(METRICS), right);
      tookMs.push(performance.now() - beganAtMs);
      await delay(ASKED_EACH_MS);
    }
    crowd.end();
    return {
      answers: rounds,
      refused: 0,
      "MB each": Math.round(right.length / 1e6),
      "longest in ms": Math.round(Math.max(...tookMs)),
      "slow readers": crowd.begun,
    };
  },
};

async function fill({ points }: Store): Promise<void> {
  const shape = { endpoints: ENDPOINTS, seconds: SECONDS, requestsPerPoint: 1 };
  const batch = { loadTestId: "run", sourceId: "file", visibility: "staged", sequence: 0 } as const;
  const labels = Array.from({ length: ENDPOINTS }, (_, number) => `endpoint ${number}`);
  await points.append({
    ...batch,
    labels,
    points: densePoints({ ...shape, firstSecond: 1_790_000_000 }),
  });
  await points.publish(published("file"));
}

/** The readers have stalled once the server is idle. */
async function untilIdle(server: ServedStore): Promise<void> {
  const usedSeconds = async (): Promise<number> => {
    const text = await server.text("/metrics");
    return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
  };
  for (;;) {
    const before = await usedSeconds();
    await delay(IDLE_FOR_MS);
    if ((await usedSeconds()) - before < IDLE_SHARE_MAX * (IDLE_FOR_MS / 1000)) return;
  }
}

/** Readers that take a little now and then. */
function slowCrowd(port: number, key: string): SocketCrowd {
  return new SocketCrowd({
    port,
    clients: STALLED,
    requestOf: () => `GET ${METRICS} HTTP/1.1\r\nHost: localhost\r\nX-Service-Auth: ${key}\r\n\r\n`,
    // Without a data listener nothing is read beyond what the socket buffers.
    prepare: (socket) => void socket.on("readable", () => undefined),
    act: (socket) => void socket.read(SIP_BYTES),
    everyMs: SIP_EACH_MS,
    pauseMs: SIP_EACH_MS / 5,
  });
}
