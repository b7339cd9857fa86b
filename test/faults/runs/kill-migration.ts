import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { collect, stored } from "../../support/batches.ts";
import { storedFailures, storedUsers } from "../../support/details.ts";
import { runTachograph } from "../../support/run-tachograph.ts";
import { STORE_FILE } from "../disk/data-folder.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const FIXTURES = path.join(import.meta.dirname, "../../fixtures/store");
const OLD_STORES = ["version-1.db.gz", "version-5.db.gz"];
/** Opening a store migrates it. */
const OPENING = ["tests", "list", "--json"];

export const killMigration: Fault = {
  id: "C24",
  title:
    "A process that brings the store of an earlier version up to date is killed at its writes, one after the other: the next one finds all of it. A newer store is refused.",
  rounds: { fast: 3, nightly: 50, release: 100 },
  programs: ["strace"],

  async run({ rounds, folder, random, log }: FaultContext): Promise<FaultFigures> {
    let [kills, writes] = [0, 0];
    for (const fixture of OLD_STORES) {
      const data = path.join(folder, fixture);
      layOut(data, fixture);
      writes = await countWrites(data);
      const expected = await contentsOf(data);
      const share = Math.ceil(rounds / OLD_STORES.length);
      for (let round = 0; round < share; round++) {
        layOut(data, fixture);
        const nth = 1 + Math.floor((writes * (round + random())) / share);
        if (await isKilledAt(data, nth)) kills += 1;
        assert.deepEqual(await contentsOf(data), expected, `${fixture}, killed at write ${nth}`);
      }
      log(`${fixture}: killed within ${writes} writes`);
      await requireRefusal(data);
      rmSync(data, { recursive: true });
    }
    assert.ok(kills > 0, "a migration was killed");
    return { kills, "lost or different": 0, "newer stores refused": OLD_STORES.length };
  },
};

function layOut(data: string, fixture: string): void {
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data);
  const bytes = gunzipSync(readFileSync(path.join(FIXTURES, fixture)));
  writeFileSync(path.join(data, STORE_FILE), bytes);
}

/** The arguments of strace to trace writes to a store, with `further` ones. */
function watching(data: string, further: readonly string[]): readonly string[] {
  const files = [STORE_FILE, `${STORE_FILE}-wal`].flatMap((file) => ["-P", path.join(data, file)]);
  return ["strace", "-f", "-qq", ...files, "-e", "trace=pwrite64", ...further];
}

/** Migrates it and returns how many writes that took. */
async function countWrites(data: string): Promise<number> {
  const calls = path.join(data, "calls");
  const through = watching(data, ["-o", calls]);
  const { exitCode, error } = await runTachograph([...OPENING, "--data", data], { through });
  assert.equal(exitCode, 0, error);
  return readFileSync(calls, "utf8").split("pwrite64(").length - 1;
}

async function isKilledAt(data: string, nth: number): Promise<boolean> {
  const killing = ["-e", `inject=pwrite64:signal=SIGKILL:when=${nth}`, "-o", "/dev/null"];
  const through = watching(data, killing);
  const { exitCode } = await runTachograph([...OPENING, "--data", data], { through });
  return exitCode !== 0;
}

/** Everything in a store. Throws if any of it is damaged. */
async function contentsOf(data: string): Promise<unknown[]> {
  const store = await openSqliteStore(path.join(data, STORE_FILE), { now: () => 1_000_000 });
  try {
    assert.deepEqual(await collect(store.verify()), []);
    const lists = [store.loadTests.list(), store.points.sources("run")];
    const series = [stored(store), storedFailures(store), storedUsers(store)];
    return await Promise.all([...lists, store.points.liveSources("run"), ...series]);
  } finally {
    await store.close();
  }
}

/** A store of a later version is left unchanged, and the error names both versions. */
async function requireRefusal(data: string): Promise<void> {
  const database = new DatabaseSync(path.join(data, STORE_FILE));
  const known = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  database.exec(`PRAGMA user_version = ${known + 1}`);
  database.close();
  const { exitCode, error } = await runTachograph(["serve", "--port", "0", "--data", data]);
  assert.equal(exitCode, 1);
  assert.match(error, new RegExp(`has version ${known + 1}, this program supports ${known}`));
}
