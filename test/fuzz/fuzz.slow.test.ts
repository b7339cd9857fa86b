import { afterAll, expect, test } from "vitest";
import { seededRandom } from "../../bench/seeded-random.ts";
import { campaign, failureOf } from "./campaign.ts";
import { readCorpus } from "./corpus.ts";
import { Mutator } from "./mutator.ts";
import { openTargets } from "./targets.ts";

const INPUTS = Number(process.env["TACHOGRAPH_FUZZ_INPUTS"] ?? 100);
const SEED = 5;

const TARGETS = openTargets();

afterAll(async () => {
  for (const target of TARGETS) await target.close?.();
});

test.each(TARGETS)("$name: seeds and inputs that failed once pass", async (target) => {
  const saved = readCorpus(target.name);
  expect(saved.length).toBeGreaterThan(0);
  for (const { name, bytes } of saved) {
    expect({ name, failure: await failureOf(target, bytes) }).toEqual({ name });
  }
});

test.each(TARGETS)("$name: mutated inputs fail only with an error message", async (target) => {
  const seeds = readCorpus(target.name).map(({ bytes }) => bytes);
  let left = INPUTS / (target.cost ?? 1);
  const counted = {
    ...target,
    run(input: Uint8Array) {
      left -= 1;
      return target.run(input);
    },
  };
  const mutator = new Mutator(seeds, seededRandom(SEED), target);
  for await (const finding of campaign(counted, mutator, { isOver: () => left <= 0 })) {
    expect(finding).toBeUndefined();
  }
});
