import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Equivalent } from "./equivalents.ts";
import { changeOf } from "./mutant.ts";
import { runGroup } from "./run-group.ts";
import { recordOutcome, scorePercent, type Verdict } from "./verdicts.ts";

const FILE = "test/mutation/fixture/sum-below.ts";

const GROUP = {
  name: "fixture",
  files: { [FILE]: "it is small" },
  tests: ["test/mutation/fixture/sum-below.check.ts"],
};

const EQUIVALENT: Equivalent = {
  file: FILE,
  line: "for (let at = 0; at < values.length; at++) {",
  change: "at < values.length → at <= values.length",
  reason: "behind the last value there is none, which is not below anything",
};

const STALE: Equivalent = { ...EQUIVALENT, change: "at++ → at--" };

test("mutants are detected, survive, loop endlessly and are restored from the journal", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "tachograph-mutation-test-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const journal = path.join(folder, "journal.jsonl");
  const run = await runGroup(GROUP, [EQUIVALENT], { journal });
  const { judged, stale } = recordOutcome(run, [EQUIVALENT, STALE]);
  const verdicts = new Map<string, Verdict>(
    judged.map(({ mutant, verdict }) => [`${mutant.line}: ${changeOf(mutant)}`, verdict]),
  );
  expect(Object.fromEntries(verdicts)).toEqual({
    "3: 10 → 11": "killed",
    "5: { let sum = 0; for (let at = 0; at < values.length; at++) { const value = values[at] as number; if (value < LIMIT) sum += value; } return sum; } → {}":
      "killed",
    "6: 0 → 1": "killed",
    "7: 0 → 1": "killed",
    "7: at < values.length → at <= values.length": "equivalent",
    "7: at < values.length → at >= values.length": "killed",
    "7: at < values.length → false": "killed",
    "7: at++ → at--": "timed out",
    "7: { const value = values[at] as number; if (value < LIMIT) sum += value; } → {}": "killed",
    "9: value < LIMIT → value <= LIMIT": "killed",
    "9: value < LIMIT → value >= LIMIT": "killed",
    "9: value < LIMIT → true": "killed",
    "9: value < LIMIT → false": "killed",
    "9: sum += value → sum -= value": "killed",
    "11: return sum; → (nothing)": "killed",
    "15: return true; → (nothing)": "not covered",
    "15: true → false": "not covered",
  });
  expect(stale).toEqual([STALE]);
  // 14 of the 16 that can be detected.
  expect(scorePercent(judged)).toBe(87.5);

  const again = await runGroup(GROUP, [EQUIVALENT], { journal });
  expect(recordOutcome(again, [EQUIVALENT]).judged).toEqual(judged);
});
