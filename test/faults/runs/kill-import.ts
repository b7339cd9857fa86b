import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { startTachograph } from "../../support/run-tachograph.ts";
import { answersIn, isThere } from "../around/answers.ts";
import { IN_ALL_LABELS, resultFile } from "../around/result-file.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

/** 200 MB at the gates with enough time. */
const ROWS = 870_000;
const FEWER_ROWS = 150_000;
const MANY_ROUNDS = 20;

export const killImport: Fault = {
  id: "C2",
  title:
    "An import is killed at any instant: nothing or all of the file is visible, and the same command gives what an undisturbed one gives.",
  rounds: { fast: 3, nightly: 40, release: 200 },

  async run({ rounds, folder, random, log }: FaultContext): Promise<FaultFigures> {
    const file = await resultFile(folder, rounds < MANY_ROUNDS ? FEWER_ROWS : ROWS);
    const importInto = (store: string): ReturnType<typeof startTachograph> =>
      startTachograph(["import", file, "--id", "run", "--data", path.join(folder, store)]);

    const beganAtMs = performance.now();
    await importInto("undisturbed").outcome;
    const undisturbedMs = performance.now() - beganAtMs;
    const undisturbed = await answersIn(path.join(folder, "undisturbed"), IN_ALL_LABELS);
    const [metrics = ""] = undisturbed;
    assert.ok(Number.parseInt(metrics, 10) > 1_000_000, "there is something to compare");

    let [killed, wasThere] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const data = path.join(folder, `killed-${round}`);
      const running = importInto(`killed-${round}`);
      // Anywhere from before the first byte is read to after the last one is stored.
      await setTimeout((undisturbedMs * (round + random())) / rounds);
      running.process.kill("SIGKILL");
      if ((await running.outcome).exitCode === undefined) killed += 1;
      if (await isThere(data, IN_ALL_LABELS, metrics)) wasThere += 1;
      const { exitCode, error } = await importInto(`killed-${round}`).outcome;
      assert.deepEqual({ exitCode, error }, { exitCode: 0, error: "" });
      assert.deepEqual(await answersIn(data, IN_ALL_LABELS), undisturbed);
      rmSync(data, { recursive: true });
      log(`${round + 1} of ${rounds}`);
    }
    assert.ok(killed >= rounds / 3, `only ${killed} of ${rounds} were killed before their end`);
    return { kills: killed, "published before the kill": wasThere, "partial or different": 0 };
  },
};
