/** A shard of scripted servers, on a clock that only advances on waits. */

import { Cluster } from "../../src/store/clickhouse/cluster/cluster.ts";
import { NativeBlockWriter } from "../../src/store/clickhouse/native/native-writer.ts";
import type { Replicas } from "../../src/store/clickhouse/cluster/replicas.ts";
import type { ClusterSettings } from "../../src/store/clickhouse/cluster/settings.ts";
import type { Clock } from "../../src/store/clickhouse/cluster/until-done.ts";
import {
  type ScriptedAnswer,
  type ScriptedServer,
  startScriptedServer,
} from "./scripted-clickhouse.ts";

export interface ScriptedReplica {
  readonly server: ScriptedServer;
  /** Its response to statements; may be replaced. */
  answer: () => ScriptedAnswer;
  /** Its response about its delay and the parts it has yet to fetch. */
  health: ScriptedAnswer;
  /** All statements except those for its health. */
  statements(): readonly string[];
  /** How often its health was requested. */
  healthAsked(): number;
}

export interface ScriptedShard {
  readonly shard: Replicas;
  readonly cluster: Cluster;
  readonly replicas: readonly ScriptedReplica[];
  readonly waitedMs: readonly number[];
  /** Advances the clock. */
  readonly pass: (ms: number) => void;
  close(): Promise<void>;
}

export const FIT: ScriptedAnswer = { body: "0\t0\n" };

/** One row, one column: n. */
export function answerOf(n: number): ScriptedAnswer {
  const block = new NativeBlockWriter();
  block.unsigned32("n").append(Uint32Array.of(n));
  return { body: Buffer.concat(block.finish()) };
}

/** Replicas 0, 1, … that return their own number for each SELECT. */
export async function startScriptedShard(
  count: number,
  settings: Partial<ClusterSettings> = {},
): Promise<ScriptedShard> {
  const replicas = await Promise.all(Array.from({ length: count }, (_, n) => startReplica(n)));
  const waitedMs: number[] = [];
  let nowMs = 1000;
  const clock: Clock = {
    clockMs: () => nowMs,
    async wait(ms, signal) {
      signal?.throwIfAborted();
      waitedMs.push(ms);
      nowMs += ms;
    },
    random: () => 1,
  };
  const urls = replicas.map(({ server }) => server.url);
  const whole = { shards: [urls], database: "perf", isReplicated: count > 1, ...settings };
  const cluster = new Cluster(whole, clock);
  return {
    shard: cluster.everywhere,
    cluster,
    replicas,
    waitedMs,
    pass(ms) {
      nowMs += ms;
    },
    async close() {
      await cluster.close();
      await Promise.all(replicas.map(({ server }) => server.close()));
    },
  };
}

const HEALTH = "system.replicas";

async function startReplica(n: number): Promise<ScriptedReplica> {
  const server = await startScriptedServer(({ sql }) =>
    sql.includes(HEALTH) ? replica.health : replica.answer(),
  );
  const asked = (): readonly string[] => server.requests.map(({ sql }) => sql);
  const replica: ScriptedReplica = {
    server,
    answer: () => answerOf(n),
    health: FIT,
    statements: () => asked().filter((sql) => !sql.includes(HEALTH)),
    healthAsked: () => asked().filter((sql) => sql.includes(HEALTH)).length,
  };
  return replica;
}
