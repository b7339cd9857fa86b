import { setTimeout } from "node:timers/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openClickHouseStore } from "../../../src/store/clickhouse/store.ts";
import { openMemoryStore } from "../../support/memory-store/memory-store.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { fillForCopy } from "../../support/copied-data.ts";
import { answersOf, copiedOf, copy } from "../../support/copying.ts";
import { randomFrom } from "../../support/dense-points.ts";
import { runTachograph, startTachograph } from "../../support/run-tachograph.ts";
import { temporaryDirectory } from "../../support/store-directory.ts";
import { makeDatabase } from "../stores/fresh-database.ts";
import { openStores } from "../stores/open-stores.ts";
import { type Kind, serversForTests } from "../stores/servers-for-tests.ts";
import { credentialsFor, wordsFor } from "../stores/words-for.ts";

const KILLS = 5;

/** Ten times what it takes on an idle machine. */
const TIMEOUT_MS = 120_000;

/** Load tests copied to these servers and from them are the same on the other side. */
export function copiesLoadTests(kind: Kind): void {
  const servers = serversForTests(kind);

  test(
    "a load test is copied there and back, in small batches, and again without any",
    async () => {
      const [there] = await openStores(servers(), 1);
      if (there === undefined) throw new Error("a store was opened");
      const [original, back] = [openMemoryStore(), openMemoryStore()];
      await fillForCopy(original, "run", 50);
      const first = copiedOf(await copy(original, there, { batchRows: 300 }));
      expect(first).toMatchObject({ sources: 2, copiedSources: 2, differences: [] });
      expect(copiedOf(await copy(there, back, { batchRows: 70 }))?.differences).toEqual([]);
      const expected = await answersOf(original);
      expect(await answersOf(there)).toEqual(expected);
      expect(await answersOf(back)).toEqual(expected);
      const again = copiedOf(await copy(original, there));
      expect(again).toMatchObject({ copiedSources: 0, points: 0, differences: [] });
    },
    TIMEOUT_MS,
  );

  test(
    "a copy that is killed again and again is whole in the end",
    async () => {
      const database = await makeDatabase(servers());
      onTestFinished(() => database.drop());
      const { settings } = database;
      const from = temporaryDirectory();
      const file = path.join(from, "tachograph.sqlite");
      const original = await openSqliteStore(file, { now: Date.now });
      onTestFinished(() => original.close());
      await fillForCopy(original, "run", 2000);
      const to = `clickhouse:${wordsFor(settings).join(" ")}`;
      const words = ["copy", "--from", from, "--to", to];
      const random = randomFrom(Date.now());
      const copied = await openClickHouseStore(settings, { now: Date.now });
      onTestFinished(() => copied.close());
      for (let kill = 0; kill < KILLS; kill++) {
        const killed = startTachograph(words, "ended", credentialsFor(settings));
        // A process killed while it creates the load test would keep others from it for five minutes.
        while ((await copied.loadTests.find("run")) === undefined) await setTimeout(20);
        await setTimeout(random() * 1700);
        killed.process.kill("SIGKILL");
        await killed.outcome;
      }
      const { exitCode, out, error } = await runTachograph(words, credentialsFor(settings));
      expect([exitCode, out, error]).toEqual([0, expect.stringContaining("are the same\n"), ""]);
      expect(await answersOf(copied)).toEqual(await answersOf(original));
      expect(await copied.points.sources("run")).toHaveLength(2);
    },
    TIMEOUT_MS,
  );
}
