import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { FaultContext, FaultFigures } from "../frame/fault.ts";
import { batchesIn } from "./batches-in.ts";
import { LiveSenders } from "./live-senders.ts";
import { OtherWriters } from "./other-writers.ts";
import { ServedStore } from "./served-store.ts";

/** Kills per load test; a load test grows with each of them and is checked completely. */
const KILLS_EACH = 25;
const KILL_WITHIN_MS = 500;

interface Tally {
  readonly startsMs: number[];
  acknowledged: number;
  lostAcknowledgements: number;
  stackedKills: number;
}

/**
 * Kills a server within half a second after an acknowledgement, while four senders, line protocol, OpenTelemetry, remote
 * write, uploads, deletions and attachments write to it. With `again`, also kills the next server while it opens the files that the first
 * one left. Checks everything stored after each kill, before a sender retries.
 */
export async function killUnderLoad(
  { rounds, folder, random, log }: FaultContext,
  { again }: { readonly again: boolean },
): Promise<FaultFigures> {
  await using server = await ServedStore.startIn(folder);
  const tally: Tally = { startsMs: [], acknowledged: 0, lostAcknowledgements: 0, stackedKills: 0 };
  await server.createLoadTest("lines");
  const others = new OtherWriters(server);
  await others.writeFirst();
  for (let from = 0; from < rounds; from += KILLS_EACH) {
    const loadTestId = `run-${from}`;
    await server.createLoadTest(loadTestId);
    const senders = new LiveSenders({ port: server.port, key: server.key, loadTestId });
    for (let kill = from; kill < Math.min(rounds, from + KILLS_EACH); kill++) {
      others.begin();
      await senders.next();
      await setTimeout(random() * KILL_WITHIN_MS);
      senders.hold();
      await server.kill();
      await others.stop();
      if (again && (await killAgain(server, random() * startMsOf(tally)))) tally.stackedKills += 1;
      tally.startsMs.push(await server.start());
      if (await hasLostAcknowledgement(server, loadTestId, senders))
        tally.lostAcknowledgements += 1;
      await others.check();
      senders.release();
    }
    await senders.stop();
    assert.deepEqual(await batchesIn(server, loadTestId), senders.acknowledged);
    tally.acknowledged += senders.acknowledged.reduce((sum, batches) => sum + batches, 0);
    log(`${Math.min(rounds, from + KILLS_EACH)} of ${rounds}, ${tally.acknowledged} batches`);
  }
  return { ...figuresOf(tally, rounds), ...others.figures };
}

/** Returns whether it was killed before it was ready. */
async function killAgain(server: ServedStore, afterMs: number): Promise<boolean> {
  let isReady = false;
  const running = server.begin();
  running.printed("answers at").then(
    () => (isReady = true),
    () => undefined,
  );
  await setTimeout(afterMs);
  await server.kill();
  return !isReady;
}

function startMsOf({ startsMs }: Tally): number {
  return startsMs.at(-1) ?? KILL_WITHIN_MS;
}

/**
 * Throws unless every sender has its acknowledged batches and at most one more that was in flight.
 */
async function hasLostAcknowledgement(
  server: ServedStore,
  loadTestId: string,
  { acknowledged }: LiveSenders,
): Promise<boolean> {
  const found = await batchesIn(server, loadTestId);
  const unacknowledged = found.map((batches, sender) => batches - (acknowledged[sender] ?? 0));
  const isRight = unacknowledged.every((batches) => batches === 0 || batches === 1);
  assert.ok(isRight, `stored: ${found.join(", ")}, acknowledged: ${acknowledged.join(", ")}`);
  return unacknowledged.includes(1);
}

function figuresOf(tally: Tally, rounds: number): FaultFigures {
  const startsMs = tally.startsMs.toSorted((left, right) => left - right);
  return {
    kills: rounds,
    ...(tally.stackedKills === 0 ? {} : { "kills before it was ready": tally.stackedKills }),
    "batches acknowledged": tally.acknowledged,
    "kills that lost an acknowledgement": tally.lostAcknowledgements,
    "lost, doubled or partial": 0,
    "median ms to the first 200": Math.round(startsMs[Math.floor(startsMs.length / 2)] ?? 0),
    "longest ms": Math.round(startsMs.at(-1) ?? 0),
  };
}
