/** The thread in which `watchTarget` fuzzes a target. */

import { parentPort, workerData } from "node:worker_threads";
import { seededRandom } from "../../bench/seeded-random.ts";
import { campaign, failureOf, type Finding, kindOf, shortened } from "./campaign.ts";
import { readCorpus } from "./corpus.ts";
import { Coverage } from "./coverage.ts";
import { Mutator } from "./mutator.ts";
import type { FuzzTarget } from "./target.ts";
import { openTargets } from "./targets.ts";
import { type FuzzOrder, INPUT_ROOM, STATE } from "./watch-target.ts";

const { name, seconds, seed, state, input: shown } = workerData as FuzzOrder;
const numbers = new Int32Array(state);
const target = shownTarget(openTargets().find((each) => each.name === name));
const coverage = new Coverage();
const seeds = readCorpus(name).map(({ bytes }) => bytes);
const mutator = new Mutator(seeds, seededRandom(seed), target);
const endsAt = performance.now() + seconds * 1000;
const kinds = new Set<string>();

for (const input of seeds) {
  const reason = await failureOf(target, input);
  if (reason !== undefined) tell({ input, reason });
}
coverage.takeNew();
const isOver = (): boolean => {
  numbers[STATE.blocks] = coverage.blocks;
  numbers[STATE.pool] = mutator.pool.length - seeds.length;
  return performance.now() > endsAt;
};
for await (const finding of campaign(target, mutator, { coverage, isOver })) {
  const kind = kindOf(finding.reason);
  if (kinds.has(kind)) continue;
  kinds.add(kind);
  tell({ ...finding, input: await shortened(target, finding) });
}
await target.close?.();
coverage.close();

function tell(finding: Finding): void {
  parentPort?.postMessage(finding, []);
}

/** Publishes each input to the watcher before it runs. */
function shownTarget(found: FuzzTarget | undefined): FuzzTarget {
  if (found === undefined) throw new Error(`BUG: no target ${name}`);
  return {
    ...found,
    run(input) {
      const bytes = input.subarray(0, INPUT_ROOM);
      new Uint8Array(shown).set(bytes);
      numbers[STATE.inputBytes] = bytes.length;
      Atomics.add(numbers, STATE.inputs, 1);
      return found.run(input);
    },
  };
}
