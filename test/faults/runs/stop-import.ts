import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { type RunningTachograph, startTachograph } from "../../support/run-tachograph.ts";
import { answersIn, isThere } from "../around/answers.ts";
import { IN_ALL_LABELS, resultFile } from "../around/result-file.ts";
import { STORE_FILE } from "../disk/data-folder.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const ROWS = 150_000;
const ENDS_WITHIN_MS = 2000;
/** 128 and the number of SIGTERM, as documented in docs/live.md. */
const INTERRUPTED = 143;

export const stopImport: Fault = {
  id: "C18",
  title:
    "An import is asked to end (SIGTERM): it does within 2 s, with exit code 143 and nothing visible, and the same command imports the file.",
  rounds: { fast: 2, nightly: 20, release: 20 },

  async run({ rounds, folder, random }: FaultContext): Promise<FaultFigures> {
    const file = await resultFile(folder, ROWS);
    const beginInto = async (store: string): Promise<RunningTachograph> => {
      const data = path.join(folder, store);
      const running = startTachograph(["import", file, "--id", "run", "--data", data]);
      // By then the program handles signals.
      while (!existsSync(path.join(data, STORE_FILE))) await setTimeout(2);
      return running;
    };
    const running = await beginInto("undisturbed");
    const beganAtMs = performance.now();
    await running.outcome;
    const undisturbedMs = performance.now() - beganAtMs;
    const undisturbed = await answersIn(path.join(folder, "undisturbed"), IN_ALL_LABELS);

    let [interrupted, slowestMs] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const data = path.join(folder, `stopped-${round}`);
      const stopped = await beginInto(`stopped-${round}`);
      await setTimeout((undisturbedMs * 0.8 * (round + random())) / rounds);
      const askedAtMs = performance.now();
      stopped.process.kill("SIGTERM");
      const { exitCode, error } = await stopped.outcome;
      slowestMs = Math.max(slowestMs, performance.now() - askedAtMs);
      const isVisible = await isThere(data, IN_ALL_LABELS, undisturbed[0] ?? "");
      // Without a code if the signal came when the import was done and Node was ending.
      const isDone = exitCode === 0 || (exitCode === undefined && isVisible);
      assert.ok(exitCode === INTERRUPTED || isDone, `exit code ${exitCode}: ${error}`);
      assert.equal(isVisible, isDone, "visible only where it was done");
      if (!isVisible) interrupted += 1;
      assert.equal((await (await beginInto(`stopped-${round}`)).outcome).exitCode, 0);
      assert.deepEqual(await answersIn(data, IN_ALL_LABELS), undisturbed);
    }
    assert.ok(slowestMs <= ENDS_WITHIN_MS, `it took ${slowestMs} ms to end`);
    assert.ok(interrupted > 0, "an import was interrupted");
    return {
      "imports interrupted": interrupted,
      "longest ms until it ended": Math.round(slowestMs),
    };
  },
};
