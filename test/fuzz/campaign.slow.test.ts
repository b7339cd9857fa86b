import { expect, test } from "vitest";
import { seededRandom } from "../../bench/seeded-random.ts";
import { busyMs, campaign, type Finding, shortened } from "./campaign.ts";
import { Mutator } from "./mutator.ts";
import type { FuzzTarget } from "./target.ts";

const SEED = Buffer.from('count,name\n1,a\n2,"b"\n');

/** Fails for a ten-digit number after a quote. */
const planted: FuzzTarget = {
  name: "planted",
  run(input) {
    const text = Buffer.from(input).toString("latin1");
    if (/"[^\n]*\n\d{10}/.test(text)) throw new RangeError("planted");
  },
};

async function firstFinding(seed: number): Promise<Finding | undefined> {
  const mutator = new Mutator([SEED], seededRandom(seed));
  let looks = 0;
  for await (const finding of campaign(planted, mutator, { isOver: () => (looks += 1) > 500 })) {
    return finding;
  }
  return undefined;
}

test("a planted bug is found, by the same input each time, and its input is minimised", async () => {
  const finding = await firstFinding(7);
  expect(finding?.reason).toContain("RangeError: planted");
  expect(await firstFinding(7)).toMatchObject({ input: finding?.input });
  const shortest = await shortened(planted, finding as Finding);
  expect(Buffer.from(shortest).toString("latin1")).toMatch(/^"\n\d{10}$/);
});

test("an input that takes too long is a finding", async () => {
  const slow: FuzzTarget = {
    name: "slow",
    run() {
      const until = busyMs() + 2100;
      while (busyMs() < until);
    },
  };
  const mutator = new Mutator([SEED], seededRandom(1));
  let looks = 0;
  for await (const { reason } of campaign(slow, mutator, { isOver: () => (looks += 1) > 1 })) {
    expect(reason).toMatch(/^it took \d{4,5} ms$/);
    return;
  }
  expect.unreachable();
});
