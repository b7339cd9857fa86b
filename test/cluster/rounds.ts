/** Kinds of faults, and a round: senders write, one fault happens, and what is stored is compared. */

import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { until, type Machine } from "./machines.ts";
import type { PostgresCluster, Roles } from "./postgres-cluster.ts";
import type { JudgedRuns } from "../faults/around/judged-runs.ts";
import type { OtherWriters } from "../faults/around/other-writers.ts";
import { type Acknowledgement, differences, startSending, type Target } from "./senders.ts";
import type { Service } from "./services.ts";

/** How long a fault lasts that is not repaired by itself: longer than Patroni waits for a primary. */
const FAULT_MS = 32_000;
const FREEZE_MS = 20_000;
const WHOLE_PATIENCE_MS = 120_000;
const RECOVERY_PATIENCE_MS = 180_000;
/** Written before a fault, and after all is repaired. */
const CALM_MS = 3000;

interface Place extends Roles {
  readonly cluster: PostgresCluster;
  readonly service: Service;
  /** One of the two. */
  readonly standby: Machine;
}

interface Kind {
  readonly name: string;
  begin(place: Place): void;
  /** Repairs it. @default nothing has to be done */
  end?(place: Place): Promise<void> | void;
  /** @default 0 */
  readonly lastsMs?: number;
}

export const KINDS: readonly Kind[] = [
  {
    name: "kill PostgreSQL of the primary",
    begin: ({ cluster, primary }) => cluster.kill(primary, "postgres"),
  },
  {
    name: "kill PostgreSQL and Patroni of the primary",
    begin: ({ cluster, primary }) => cluster.kill(primary, "node"),
    lastsMs: FAULT_MS,
    end: ({ cluster, primary }) => cluster.revive(primary),
  },
  {
    name: "kill PostgreSQL of a standby",
    begin: ({ cluster, standby }) => cluster.kill(standby, "postgres"),
  },
  {
    name: "cut off the primary",
    begin: ({ primary }) => primary.cut(),
    lastsMs: FAULT_MS,
    end: ({ primary }) => primary.join(),
  },
  {
    name: "cut off a standby",
    begin: ({ standby }) => standby.cut(),
    lastsMs: FAULT_MS,
    end: ({ standby }) => standby.join(),
  },
  {
    name: "freeze the primary for 20 s",
    begin: ({ primary }) => primary.signal("STOP"),
    lastsMs: FREEZE_MS,
    end: ({ primary }) => primary.signal("CONT"),
  },
  {
    name: "kill a server of Tachograph",
    begin: ({ service }) => service.kill(),
    end: ({ service }) => service.start(),
  },
  {
    name: "cut off a server of Tachograph",
    begin: ({ service }) => service.machine.cut(),
    lastsMs: FAULT_MS,
    end: ({ service }) => service.machine.join(),
  },
];

export interface RoundResult {
  readonly kind: string;
  readonly batches: number;
  /** From the fault to the first acknowledgement of a batch sent after it. */
  readonly firstMs: number;
  /** The longest time from the fault on in which no batch was acknowledged. */
  readonly pauseMs: number;
  /** The same of any one sender, whose server may be the one cut off. */
  readonly senderPauseMs: number;
  readonly differences: readonly string[];
}

export interface RoundOptions {
  readonly kind: Kind;
  readonly others: OtherWriters;
  readonly judged: JudgedRuns;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
  /** File that gets a line for each acknowledgement. */
  readonly log: string;
}

/** Throws if the cluster does not become whole, or writing does not go on in time. */
export async function runRound(
  cluster: PostgresCluster,
  target: Target,
  { kind, others, judged, random, log }: RoundOptions,
): Promise<RoundResult> {
  const roles = await cluster.whole(WHOLE_PATIENCE_MS);
  const standby = pick(roles.standbys, random);
  const place = { ...roles, cluster, standby, service: pick(target.services, random) };
  await createLoadTest(target);
  let faultAtMs = Infinity;
  let isRecovered = false;
  const sending = startSending(target, (each) => {
    appendFileSync(log, `${JSON.stringify(each)}\n`);
    isRecovered ||= each.sentAtMs > faultAtMs;
  });
  others.begin();
  await judged.add();
  await delay(CALM_MS * (1 + random()));
  faultAtMs = performance.now();
  appendFileSync(log, `${new Date().toISOString()} ${kind.name}: ${describe(place)}\n`);
  kind.begin(place);
  const breaking = async (): Promise<void> => {
    await delay(kind.lastsMs ?? 0);
    await kind.end?.(place);
    appendFileSync(log, `${new Date().toISOString()} repaired\n`);
    await until("writing goes on", RECOVERY_PATIENCE_MS, () => isRecovered || undefined);
    await cluster.whole(WHOLE_PATIENCE_MS);
    await delay(CALM_MS);
  };
  try {
    // A sender ends early only if it fails.
    await Promise.race([breaking(), sending.ended]);
    sending.stop();
    await Promise.all([sending.ended, others.stop()]);
    await others.check();
  } catch (error) {
    appendFileSync(
      log,
      `${new Date().toISOString()} ${String(error)}\n${await cluster.describe()}\n`,
    );
    throw error;
  }
  const { acknowledged } = sending;
  const found = await Promise.all(
    target.services.map((service) => differences(service, target, acknowledged)),
  );
  const after = acknowledged.filter(({ sentAtMs }) => sentAtMs > faultAtMs);
  const bySender = [...Map.groupBy(acknowledged, ({ sender }) => sender).values()];
  return {
    kind: kind.name,
    batches: acknowledged.length,
    firstMs: Math.min(...after.map(({ atMs }) => atMs)) - faultAtMs,
    pauseMs: longestPauseMs(acknowledged, faultAtMs),
    senderPauseMs: Math.max(...bySender.map((own) => longestPauseMs(own, faultAtMs))),
    differences: found.flat(),
  };
}

function longestPauseMs(acknowledged: readonly Acknowledgement[], fromMs: number): number {
  const times = [fromMs, ...acknowledged.map(({ atMs }) => atMs).filter((atMs) => atMs > fromMs)];
  return Math.max(0, ...times.map((atMs, at) => atMs - (times[at - 1] ?? atMs)));
}

async function createLoadTest({ services, key, loadTestId }: Target): Promise<void> {
  await until("a load test", WHOLE_PATIENCE_MS, async () => {
    const response = await fetch(`${services[0]?.url}/Api/LoadTests`, {
      method: "POST",
      headers: { "x-service-auth": key, "content-type": "application/json" },
      body: JSON.stringify({ id: loadTestId }),
    }).catch(() => undefined);
    return response?.status === 201 || response?.status === 409 || undefined;
  });
}

function describe({ primary, standbys, standby, service }: Place): string {
  const synchronous = standbys[0]?.name;
  return `primary ${primary.name}, synchronous ${synchronous}, chosen ${standby.name} and ${service.machine.name}`;
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item;
}
