import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { storeFile } from "../../src/data-directory/directory.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { batchOf, sample } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { runTachograph, startTachograph } from "../support/run-tachograph.ts";
import { temporaryDirectory } from "../support/store-directory.ts";

/** To copy so many takes far longer than a signal does. */
const LABELS = 4000;

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "copy ends at %s, with exit code %i, and goes on when it is repeated",
  async (signal, exitCode) => {
    const [from, to] = [temporaryDirectory(), path.join(temporaryDirectory(), "copy")];
    const store = await openSqliteStore(storeFile(from), { now: Date.now });
    await store.loadTests.create(loadTest("run"));
    const samples = Array.from({ length: LABELS }, (_, number) => sample(`label ${number}`, 1));
    await store.points.append(batchOf(samples));
    await store.close();
    const words = ["copy", "--from", from, "--to", to, "--even-running"];
    const copying = startTachograph(words);
    while (!existsSync(storeFile(to))) await setTimeout(5);
    copying.process.kill(signal);
    expect(await copying.outcome).toEqual({ exitCode, out: "", error: "interrupted\n" });
    const { out } = await runTachograph(words);
    expect(out).toContain("4,000 points sent, both sides are the same\n");
  },
);
