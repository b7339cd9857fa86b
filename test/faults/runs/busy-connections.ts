import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { densePoints } from "../../support/dense-points.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeFolder } from "../disk/data-folder.ts";
import { type FaultServer, METRICS, withServer } from "../disk/fault-server.ts";
import { peakMebibytes } from "../disk/memory.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const CONNECTIONS = 1900;
const RESIDENT_MEBIBYTES_MAX = 512;
const LABELS = ["endpoint 0"];
const SECONDS = 1000;
const ROUND_MS = 1000;
/** A connection that is replaced may be closed only after the next one is open. */
const LIMITS = ["--connections-per-address-max", "2500", "--connections-max", "2500"];

/** A round is a second, for each of two kinds of requests. */
export const busyConnections: Fault = {
  id: "M2",
  title:
    "1,900 connections ask again and again, first for an answer of 40 kB that is kept, then each time for another one: memory stays under 512 MiB.",
  rounds: { fast: 0, nightly: 20, release: 60 },

  async run({ rounds, folder, log }: FaultContext): Promise<FaultFigures> {
    const data = path.join(folder, "data");
    const key = await makeFolder(data, fill);
    return withServer({ folder: data, key, words: LIMITS }, async (server) => {
      const kept = await askAll(server, rounds * ROUND_MS, () => METRICS);
      log(`${kept.answers} kept answers, ${peakMebibytes(server.processId)} MiB`);
      const fresh = await askAll(
        server,
        rounds * ROUND_MS,
        (number) => `${METRICS}&from=${number % SECONDS}&until=${2_000_000_000 + number}`,
      );
      const peak = peakMebibytes(server.processId) ?? Number.POSITIVE_INFINITY;
      await setTimeout(ROUND_MS);
      await server.stop();
      const figures = {
        "kept answers": kept.answers,
        "new answers": fresh.answers,
        "cut off": kept.cut + fresh.cut,
        "MiB at most": peak,
      };
      assert.ok(peak < RESIDENT_MEBIBYTES_MAX, JSON.stringify(figures));
      return { connections: CONNECTIONS, ...figures };
    });
  },
};

async function fill({ points }: Store): Promise<void> {
  const shape = { endpoints: 1, seconds: SECONDS, requestsPerPoint: 1, firstSecond: 1_700_000_000 };
  await points.append({
    loadTestId: "run",
    sourceId: "sender",
    visibility: "live",
    sequence: 0,
    labels: LABELS,
    points: densePoints(shape, 7),
  });
}

interface Asked {
  readonly answers: number;
  /**
   * Connections that were idle for too long, and request heads that were cut off, on a busy machine.
   */
  readonly cut: number;
}

/** Each connection sends the next request as soon as it has a response. */
async function askAll(
  server: FaultServer,
  durationMs: number,
  targetOf: (number: number) => string,
): Promise<Asked> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const untilMs = performance.now() + durationMs;
  let [answers, cut] = [0, 0];
  const askOn = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const status = await ask(server, agent, targetOf(answers)).catch(() => 408);
      assert.ok(status === 200 || status === 408, `status ${status}`);
      if (status === 200) answers += 1;
      else cut += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, askOn));
  agent.destroy();
  assert.ok(answers > CONNECTIONS, `only ${answers} answers, ${cut} cut off`);
  return { answers, cut };
}

function ask(server: FaultServer, agent: Agent, target: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const { address, key } = server;
    const headers = { "X-Service-Auth": key, "Accept-Encoding": "identity" };
    const sent = request(`${address}${target}`, { agent, headers }, (answer) => {
      answer.resume();
      answer.once("error", reject);
      answer.once("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.once("error", reject);
    sent.end();
  });
}
