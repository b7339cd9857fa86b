import { hash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { jtlPieces } from "../../bench/make-jtl.ts";
import { runTachograph, startTachograph } from "../support/run-tachograph.ts";

/** `.ci/run` kills 20 times; a full run before a release 100 times and more. */
const KILLS = Number(process.env["TACHOGRAPH_KILLS"] ?? 5);

const FORMATS = ["csv", "xy", "default"];

let folder = "";
let results = "";
let undisturbedMs = 0;
let undisturbed: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-kill-"));
  results = path.join(folder, "results.jtl");
  const pieces = jtlPieces({ rows: 400_000, seconds: 1800, seed: 7 });
  await pipeline(Readable.from(pieces), createWriteStream(results));
  const startedAtMs = performance.now();
  await importInto("undisturbed").outcome;
  undisturbedMs = performance.now() - startedAtMs;
  undisturbed = await answers("undisturbed");
}, 60_000);

afterAll(() => rm(folder, { recursive: true }));

function importInto(store: string): ReturnType<typeof startTachograph> {
  return startTachograph(["import", results, "--id", "run", "--data", path.join(folder, store)]);
}

/** Length and digest of what readers see, in all three formats. */
async function answers(store: string): Promise<string[]> {
  const data = path.join(folder, store);
  const outcomes = await Promise.all(
    FORMATS.map((format) =>
      runTachograph(["metrics", "run", "--filter", "/api/v2", "--format", format, "--data", data]),
    ),
  );
  return outcomes.map(({ out }) => `${out.length} ${hash("sha256", out)}`);
}

test(
  `after each of ${KILLS} kills a repeated import gives what an undisturbed one gives`,
  { timeout: 30_000 + KILLS * 10_000 },
  async () => {
    expect(undisturbed.every((answer) => Number.parseInt(answer, 10) > 1_000_000)).toBe(true);
    let killed = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const store = `killed-${kill}`;
      const running = importInto(store);
      // From before the first byte is read to after the last one is stored.
      await setTimeout((undisturbedMs * (kill + 0.5)) / KILLS);
      running.process.kill("SIGKILL");
      if ((await running.outcome).exitCode === undefined) killed += 1;
      const { exitCode, error } = await importInto(store).outcome;
      expect({ exitCode, error }).toEqual({ exitCode: 0, error: "" });
      expect(await answers(store)).toEqual(undisturbed);
      await rm(path.join(folder, store), { recursive: true });
    }
    expect(killed).toBeGreaterThan(KILLS / 2);
  },
);
