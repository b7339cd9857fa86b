/** Several processes write to one server, which is killed meanwhile: what was acknowledged is stored, once. */

import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import type { Store } from "../../src/store/store.ts";
import { BATCH_MEDIA_TYPE, encodeBatch } from "../../src/wire/batch.ts";
import { ENDPOINTS, killedBatch, killedSamples, SENDERS } from "../faults/killed-batch.ts";
import { batchOf, collect, expectedSeries, sample, stored } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { runTachograph, startTachograph } from "../support/run-tachograph.ts";
import { type PostgresServer, startServer } from "./server.ts";

const BATCHES = 150;
const KILLS = 3;
const ALL_SAMPLES = Array.from({ length: SENDERS }, (_, sender) =>
  Array.from({ length: BATCHES }, (__, sequence) => killedSamples(sender, sequence)).flat(),
).flat();

let server: PostgresServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function openStore(url: string): Promise<Store> {
  const store = await openPostgresStore(url, { now: Date.now });
  onTestFinished(() => store.close());
  return store;
}

test("of two stores that send the same batch, one stores it and the other one sees a duplicate", async () => {
  const url = await server.create();
  const [left, right] = [await openStore(url), await openStore(url)];
  await left.loadTests.create(loadTest("run"));
  const batches = Array.from({ length: 40 }, (_, sequence) =>
    batchOf([sample("a", sequence + 1), sample(`b${sequence}`, sequence + 1)], { sequence }),
  );
  const answers = await Promise.all(
    batches.map((batch) => Promise.all([left, right].map(({ points }) => points.append(batch)))),
  );
  for (const pair of answers) {
    expect(pair.filter(({ duplicate }) => duplicate)).toHaveLength(1);
  }
  const samples = batches.flatMap((_, at) => [sample("a", at + 1), sample(`b${at}`, at + 1)]);
  for (const store of [left, right]) {
    expect(await stored(store)).toEqual(expectedSeries(samples));
    expect(await collect(store.verify())).toEqual([]);
  }
});

test("of two stores that send different batches with one number, one is refused and leaves nothing", async () => {
  const url = await server.create();
  const [left, right] = [await openStore(url), await openStore(url)];
  await left.loadTests.create(loadTest("run"));
  const [one, other] = [sample("a", 1, 7), sample("b", 2, 9)];
  const results = await Promise.allSettled([
    left.points.append(batchOf([one])),
    right.points.append(batchOf([other])),
  ]);
  const [kept] = [one, other].filter((_, at) => results[at]?.status === "fulfilled");
  expect(results.filter(({ status }) => status === "rejected")).toEqual([
    { status: "rejected", reason: expect.objectContaining({ code: "sequence-reused" }) },
  ]);
  expect(await stored(right)).toEqual(expectedSeries(kept === undefined ? [] : [kept]));
  expect(await collect(left.verify())).toEqual([]);
});

test(`senders in processes of their own lose and double nothing when the server is killed ${KILLS} times`, async () => {
  const url = await server.create();
  const store = await openStore(url);
  await store.loadTests.create(loadTest("run"));
  let acknowledged = 0;
  const senders = Array.from({ length: SENDERS }, (_, sender) =>
    runSender(url, sender, () => (acknowledged += 1)),
  );
  const all = Promise.all(senders);
  for (let kill = 1; kill <= KILLS; kill++) {
    const atLeast = (kill * SENDERS * BATCHES) / (KILLS + 1);
    await reached(all, () => acknowledged >= atLeast);
    await server.kill();
    expect(acknowledged).toBeLessThan(SENDERS * BATCHES);
    await server.start();
  }
  expect(await all).toEqual(Array.from({ length: SENDERS }, () => [0, BATCHES]));
  expect(await stored(store)).toEqual(expectedSeries(ALL_SAMPLES));
  expect(await collect(store.verify())).toEqual([]);
});

test("a server of Tachograph that is killed keeps what it has acknowledged, and another one goes on", async () => {
  const url = await server.create();
  const words = ["keys", "create", "--postgres", url, "--name", "sender", "--scope", "write"];
  const key = (await runTachograph(words)).out.trim();
  const store = await openStore(url);
  await store.loadTests.create(loadTest("run"));
  const serving = [await startServing(url), await startServing(url)] as const;
  let acknowledged = 0;
  const deliver = async (sender: number): Promise<void> => {
    // Each begins at the server that will be killed, or at the other one.
    let at = sender % serving.length;
    for (let sequence = 0; sequence < BATCHES;) {
      const batch = killedBatch(sender, sequence);
      const answer = await fetch(`${serving[at]?.url}/Api/LoadTests/run/Batches`, {
        method: "POST",
        headers: { "x-service-auth": key, "content-type": BATCH_MEDIA_TYPE },
        body: encodeBatch(batch),
      })
        .then(async (response) => ({ isStored: response.ok, text: await response.text() }))
        .catch(() => undefined);
      if (answer === undefined) at = (at + 1) % serving.length;
      else {
        if (!answer.isStored) throw new Error(answer.text);
        sequence += 1;
        acknowledged += 1;
      }
    }
  };
  const all = Promise.all(Array.from({ length: SENDERS }, (_, sender) => deliver(sender)));
  await reached(all, () => acknowledged >= (SENDERS * BATCHES) / 3);
  const [{ program }] = serving;
  program.process.kill("SIGKILL");
  await program.outcome;
  expect(acknowledged).toBeLessThan(SENDERS * BATCHES);
  await all;
  const { requests } = (await store.loadTests.find("run")) ?? {};
  expect(requests).toBe(SENDERS * BATCHES * ENDPOINTS);
  expect(await stored(store)).toEqual(expectedSeries(ALL_SAMPLES));
  const verified = await runTachograph(["verify", "--postgres", url]);
  expect(verified).toMatchObject({ exitCode: 0, error: "no damage found\n" });
});

/** Waits for progress of `work`; throws if it fails or ends before. */
async function reached(work: Promise<unknown>, isReached: () => boolean): Promise<void> {
  const ended = work.then(() => true);
  while (!isReached()) {
    if (await Promise.race([ended, delay(5, false)])) throw new Error("ended too early");
  }
}

async function startServing(url: string) {
  const program = startTachograph(["serve", "--port", "0", "--postgres", url]);
  onTestFinished(() => void program.process.kill("SIGKILL"));
  const greeting = await program.printed("http://");
  return { program, url: /http:\/\/[^\s/]+/.exec(greeting)?.[0] ?? "" };
}

/** Returns the exit code and the number of batches acknowledged. */
async function runSender(
  url: string,
  sender: number,
  onAcknowledged: () => void,
): Promise<readonly [exitCode: number | null, acknowledged: number]> {
  const words = [path.join(import.meta.dirname, "append-child.ts"), url, sender, BATCHES];
  const child = spawn(process.execPath, words.map(String), {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let acknowledged = 0;
  for await (const _ of createInterface({ input: child.stdout })) {
    acknowledged += 1;
    onAcknowledged();
  }
  return [await ended, acknowledged];
}
