import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Store } from "../../../src/store/store.ts";
import { collect } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { runTachograph, startTachograph } from "../../support/run-tachograph.ts";
import { addOld, digestOf, sourceDigests } from "../around/old-load-tests.ts";
import { ServedStore } from "../around/served-store.ts";
import { makeFolder, openFolder, STORE_FILE } from "../disk/data-folder.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";
import { ENDPOINTS, killedBatch } from "../killed-batch.ts";

const LOAD_TESTS = ["first", "second"];
const GROWING = "grows";
const SECONDS = 600;
const EARLIER = "an earlier file";
/** Kills of each command until it runs to its end. */
const KILLS_EACH = 4;
/** The first part of the time of a command is that of the program's start. */
const EARLIEST_SHARE = 0.3;
const APPEND_EVERY_MS = 5;

interface Run {
  /** Whether it came to its end. */
  readonly ended: Promise<boolean>;
  kill(): Promise<void>;
}

/** What is killed: a command, or a server while it responds. */
interface Killed {
  readonly name: string;
  begin(): Run;
  /** After a kill: a digest of what it made if that is complete, which is then removed. Throws if a part is to be seen. */
  madeBeforeKill(): Promise<string | undefined>;
  /** After its end: the same of what it made. */
  made(): Promise<string>;
}

export const killCommands: Fault = {
  id: "C1f",
  title:
    "Copies (also of a run that grows), exports to a file and over HTTP, backups and restores are killed: nothing half is there, and the same command then gives what an undisturbed one gives.",
  rounds: { fast: 6, nightly: 240, release: 960 },

  async run({ rounds, folder, random, log }: FaultContext): Promise<FaultFigures> {
    const data = path.join(folder, "data");
    const key = await makeFolder(data);
    for (const id of LOAD_TESTS) await addOld(data, id, { days: 1, seconds: SECONDS });
    await using server = new ServedStore(data, key);
    await server.start();
    const all = [...commandsOn(data, folder), exportOver(server)];
    const expected: { readonly tookMs: number; readonly result: string }[] = [];
    for (const each of all) {
      const beganAtMs = performance.now();
      assert.ok(await each.begin().ended, each.name);
      expected.push({ tookMs: performance.now() - beganAtMs, result: await each.made() });
    }
    const figures = { kills: 0, "before the end": 0, "run again to the end": 0 };
    for (let round = 0; round < rounds; round++) {
      const killed = all[round % all.length] as Killed;
      const { tookMs = 0, result } = expected[round % all.length] ?? {};
      const run = killed.begin();
      await setTimeout(tookMs * (EARLIEST_SHARE + (1 - EARLIEST_SHARE) * random()));
      await run.kill();
      figures.kills += 1;
      if (!(await run.ended)) figures["before the end"] += 1;
      const early = await killed.madeBeforeKill();
      if (early !== undefined) assert.equal(early, result, `${killed.name} before the kill`);
      const turn = Math.floor(round / all.length) % KILLS_EACH;
      if (turn < KILLS_EACH - 1 && round < rounds - all.length) continue;
      assert.ok(await killed.begin().ended, `${killed.name} after a kill`);
      assert.equal(await killed.made(), result, `${killed.name} after a kill`);
      figures["run again to the end"] += 1;
      log(`${round + 1} of ${rounds}: ${killed.name}`);
    }
    // The name of an incomplete export is different each time.
    const left = readdirSync(folder).filter((name) => /^(?!exported).*partial/.test(name));
    assert.deepEqual(left, [], "files are left");
    return { ...figures, "partial or different": 0 };
  },
};

function commandsOn(data: string, folder: string): readonly Killed[] {
  const at = (name: string): string => path.join(folder, name);
  return [
    copyInto(data, at("copied")),
    growingCopy(data, at("grown")),
    exportInto(data, at("exported")),
    backUpInto(data, at("backup"), at("from-backup")),
    restoreInto(data, at("source"), at("restored")),
  ];
}

function copyInto(data: string, to: string): Killed {
  return {
    name: "copy",
    begin: () => begin(["copy", "--from", data, "--to", to, "--keys", "--id", LOAD_TESTS.join()]),
    async madeBeforeKill() {
      if (existsSync(path.join(to, STORE_FILE))) await requireWholeSources(data, to);
      return undefined;
    },
    made: () => taken(to),
  };
}

/** Copies a load test to which batches are appended meanwhile. */
function growingCopy(data: string, to: string): Killed {
  const words = ["copy", "--from", data, "--to", to, "--even-running", "--id", GROWING];
  let sequence = 0;
  return {
    name: "copy of a run that grows",
    begin() {
      const run = begin(words);
      const ending = new AbortController();
      const growing = grow(data, sequence, ending.signal);
      const ended = run.ended.then(async (isDone) => {
        ending.abort();
        sequence = await growing;
        return isDone;
      });
      return { ...run, ended };
    },
    async madeBeforeKill() {
      if (!existsSync(path.join(to, STORE_FILE))) return undefined;
      const requests = await reading(to, async ({ loadTests }) => loadTests.find(GROWING));
      assert.equal((requests?.requests ?? 0) % ENDPOINTS, 0, "a part of a batch");
      return undefined;
    },
    async made() {
      await done(words);
      const [original, copied] = [
        await reading(data, (store) => digestOf(store, GROWING)),
        await reading(to, (store) => digestOf(store, GROWING)),
      ];
      assert.equal(copied, original, "the copy of what has grown");
      return "the same";
    },
  };
}

/** Returns the number of the next batch. */
async function grow(data: string, first: number, ending: AbortSignal): Promise<number> {
  return reading(data, async ({ loadTests, points }) => {
    if (first === 0) await loadTests.create(loadTest(GROWING, Date.now()));
    let sequence = first;
    do {
      await points.append({ ...killedBatch(0, sequence), loadTestId: GROWING });
      sequence += 1;
      await setTimeout(APPEND_EVERY_MS);
    } while (!ending.aborted);
    return sequence;
  });
}

function exportInto(data: string, file: string): Killed {
  writeFileSync(file, EARLIER);
  const made = async (): Promise<string> => {
    const bytes = readFileSync(file);
    writeFileSync(file, EARLIER);
    return hash("sha256", bytes);
  };
  return {
    name: "export",
    begin: () => begin(["export", "first", "--data", data, "-o", file]),
    madeBeforeKill: async () => (readFileSync(file, "utf8") === EARLIER ? undefined : made()),
    made,
  };
}

/** The server is killed, and started again after each export. */
function exportOver(server: ServedStore): Killed {
  let bytes: Uint8Array | undefined;
  const load = async (): Promise<boolean> => {
    bytes = undefined;
    const answer = await server.fetch("/Api/LoadTests/second/Export");
    assert.equal(answer.status, 200);
    bytes = new Uint8Array(await answer.arrayBuffer());
    return true;
  };
  const made = async (): Promise<string> => hash("sha256", bytes ?? "");
  return {
    name: "export over HTTP",
    begin: () => ({ ended: load().catch(isBroken), kill: () => server.kill() }),
    async madeBeforeKill() {
      await server.start();
      return bytes && made();
    },
    made,
  };
}

/** A kill breaks connections; rethrows every other error. */
function isBroken(error: unknown): boolean {
  if (!(error instanceof TypeError)) throw error;
  return false;
}

function backUpInto(data: string, backup: string, restored: string): Killed {
  const made = async (): Promise<string> => {
    await done(["restore", backup, "--data", restored]);
    rmSync(backup);
    return taken(restored);
  };
  return {
    name: "backup",
    begin: () => begin(["backup", backup, "--data", data]),
    madeBeforeKill: async () => (existsSync(backup) ? made() : undefined),
    made,
  };
}

function restoreInto(data: string, source: string, restored: string): Killed {
  return {
    name: "restore",
    begin() {
      const isFirst = !existsSync(source);
      const first = isFirst ? done(["backup", source, "--data", data]) : Promise.resolve();
      const run = first.then(() => begin(["restore", source, "--data", restored]));
      return {
        ended: run.then(({ ended }) => ended),
        kill: () => run.then((begun) => begun.kill()),
      };
    },
    async madeBeforeKill() {
      return existsSync(path.join(restored, STORE_FILE)) ? taken(restored) : undefined;
    },
    made: () => taken(restored),
  };
}

function begin(words: readonly string[]): Run {
  const { process, outcome } = startTachograph(words);
  return {
    async kill() {
      process.kill("SIGKILL");
      await outcome;
    },
    ended: outcome.then(({ exitCode, error }) => {
      assert.ok(exitCode === undefined || exitCode === 0, `${words.join(" ")}: ${error}`);
      return exitCode === 0;
    }),
  };
}

async function done(words: readonly string[]): Promise<void> {
  const { exitCode, error } = await runTachograph(words);
  assert.equal(exitCode, 0, error);
}

async function reading<Value>(
  folder: string,
  read: (store: Store) => Promise<Value>,
): Promise<Value> {
  const store = await openFolder(folder);
  return read(store).finally(() => store.close());
}

/** Requires that each source that is seen is that of the original. */
async function requireWholeSources(from: string, to: string): Promise<void> {
  for (const id of LOAD_TESTS) {
    const original = await reading(from, (store) => sourceDigests(store, id));
    const copied = await reading(to, (store) => sourceDigests(store, id));
    for (const each of copied) assert.ok(original.includes(each), `a source of ${id} in part`);
  }
}

/** A digest of the load tests of a data directory and their sources; removes it. */
async function taken(folder: string): Promise<string> {
  const digests = await reading(folder, async (store) => {
    assert.deepEqual(await collect(store.verify()), []);
    const all: unknown[] = [];
    for (const id of LOAD_TESTS) {
      const sources = await sourceDigests(store, id);
      all.push(id, await digestOf(store, id), sources.toSorted());
    }
    return all;
  });
  rmSync(folder, { recursive: true });
  return hash("sha256", JSON.stringify(digests));
}
