import assert from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import type { LoadTestSummary } from "../../../src/model/load-test.ts";
import type { Store } from "../../../src/store/store.ts";
import { collect } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { addOld, digestOf, sumsOf } from "../around/old-load-tests.ts";
import { ServedStore } from "../around/served-store.ts";
import { makeFolder, openFolder } from "../disk/data-folder.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const SECONDS = 600;
/** By what happens to them: a pass changes at most a tenth of all, so that several passes are needed. */
const OLD = {
  old: { count: 3, days: 300 },
  many: { count: 3, days: 100 },
  coarse: { count: 5, days: 90 },
  fresh: { count: 1, days: 10 },
} as const;
const EMPTY = 38;
const WORDS = ["--keep-days", "200", "--keep-seconds-days", "50"];
const DELETED = /^(old|many)-/;
/** A server begins a pass a second after its start. */
const [KILLED_FROM_MS, KILLED_WITHIN_MS] = [1000, 1000];
const BEGUN_MS = 1300;
const PASS_WITHIN_MS = 10_000;

export const killRetention: Fault = {
  id: "C1e",
  title:
    "The server is killed while it deletes load tests by age and by count and merges seconds into minutes: each is there whole or not at all, counts, averages, percentiles and failures stay, and the end is that of an undisturbed server.",
  rounds: { fast: 1, nightly: 100, release: 400 },

  async run({ rounds, folder, random, log }: FaultContext): Promise<FaultFigures> {
    const template = path.join(folder, "template");
    const key = await makeFolder(template);
    await fill(template);
    const expected = await expectedIn(template, path.join(folder, "undisturbed"));
    const data = path.join(folder, "data");
    cpSync(template, data, { recursive: true });
    const kept = OLD.coarse.count + OLD.fresh.count + EMPTY;
    // The load test `run` of the folder, which is empty, is deleted by age.
    const words = [...WORDS, "--keep-tests", String(kept)];
    await using server = new ServedStore(data, key, words);
    const figures = { kills: 0, "seen in between": 0, "stores completed": 0 };
    while (figures.kills < rounds) {
      await server.start();
      await setTimeout(KILLED_FROM_MS + random() * KILLED_WITHIN_MS);
      await server.kill();
      figures.kills += 1;
      const left = await check(data, expected);
      if (left.isBetween) figures["seen in between"] += 1;
      log(`${figures.kills} of ${rounds}, ${left.toDo} left`);
      if (left.toDo > 0 && figures.kills < rounds) continue;
      await complete(server, expected);
      figures["stores completed"] += 1;
      rmSync(data, { recursive: true });
      cpSync(template, data, { recursive: true });
    }
    return { ...figures, "changed or partial": 0 };
  },
};

async function fill(template: string): Promise<void> {
  for (const [name, { count, days }] of Object.entries(OLD)) {
    for (let at = 0; at < count; at++)
      await addOld(template, `${name}-${at}`, { days, seconds: SECONDS });
  }
  const store = await openFolder(template);
  for (let at = 0; at < EMPTY; at++)
    await store.loadTests.create(loadTest(`empty-${at}`, Date.now()));
  await store.close();
}

interface Expected {
  readonly sums: string;
  /** Of each number, by second and by minute. */
  readonly fine: string;
  readonly coarse: string;
}

type ExpectedById = ReadonlyMap<string, Expected>;

async function expectedIn(template: string, undisturbed: string): Promise<ExpectedById> {
  cpSync(template, undisturbed, { recursive: true });
  const store = await openFolder(undisturbed);
  const expected = new Map<string, Expected>();
  for (const { id, requests } of await store.loadTests.list()) {
    if (requests === 0) continue;
    const [sums, fine] = [await sumsOf(store, id), await digestOf(store, id)];
    assert.ok(await store.points.downsample(id));
    assert.equal(await sumsOf(store, id), sums, "minutes have the sums of seconds");
    expected.set(id, { sums, fine, coarse: await digestOf(store, id) });
  }
  await store.close();
  return expected;
}

interface Left {
  /** Load tests still to be deleted or merged. */
  readonly toDo: number;
  /** Whether one has some minutes already and some seconds still. */
  readonly isBetween: boolean;
}

/** Requires all of each load test, or nothing of those that may be deleted. */
async function check(data: string, expected: ExpectedById): Promise<Left> {
  const store = await openFolder(data);
  try {
    const all = await store.loadTests.list();
    const there = new Map(all.map((each) => [each.id, each]));
    let [toDo, isBetween] = [0, false];
    for (const [id, own] of expected) {
      const found = there.get(id);
      if (found === undefined) {
        assert.match(id, DELETED, `${id} was deleted`);
        continue;
      }
      const state = await stateOf(store, found, own);
      isBetween ||= state === "between";
      const isDone = id.startsWith("fresh") || (id.startsWith("coarse") && state === "marked");
      if (!isDone) toDo += 1;
    }
    assert.equal(all.filter(({ id }) => id.startsWith("empty")).length, EMPTY);
    assert.deepEqual(await collect(store.verify()), []);
    return { toDo, isBetween };
  } finally {
    await store.close();
  }
}

async function stateOf(
  store: Store,
  { id, secondsPerPoint }: LoadTestSummary,
  { sums, fine, coarse }: Expected,
): Promise<"fine" | "between" | "marked"> {
  assert.equal(await sumsOf(store, id), sums, id);
  const digest = await digestOf(store, id);
  if (secondsPerPoint === 60) assert.equal(digest, coarse, id);
  if (id.startsWith("fresh")) assert.equal(digest, fine, id);
  if (secondsPerPoint === 60) return "marked";
  return digest === fine ? "fine" : "between";
}

/** Restarts the server until a pass leaves nothing to do. */
async function complete(server: ServedStore, expected: ExpectedById): Promise<void> {
  for (let pass = 0; pass < expected.size; pass++) {
    if ((await check(server.data, expected)).toDo === 0) return;
    await server.start();
    await setTimeout(BEGUN_MS);
    // Stopping waits for the pass.
    const stopping = setTimeout(PASS_WITHIN_MS, "late", { ref: false });
    const log = await Promise.race([server.stop(), stopping]);
    assert.doesNotMatch(log, /^late$|pruning_failed/);
  }
  assert.fail("passes change nothing more, and something is left to do");
}
