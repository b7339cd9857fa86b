/**
 * Lives through all lanes at the same time in the store of the folder that is its first argument; the second is a key. Prints
 * `lane step` for what is acknowledged. Half way, and at the end, it rests until the store has tidied up: by then, its clock says that
 * sources are quiet, so that they are merged, and after the second half, that nobody reads what was merged.
 */

import assert from "node:assert/strict";
import { writeSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runTachograph } from "../../support/run-tachograph.ts";
import { openFolder } from "../disk/data-folder.ts";
import { JUDGED, noticesTo, WATCHED } from "./judged-lanes.ts";
import { askedOf, type Lane, type Life, MAIN } from "./lane.ts";
import { LATER_MS, NOTICES, openLanes } from "./lanes.ts";

/** The store tidies up after two seconds. */
const REST_MS = 2600;

const [folder = "", key = ""] = process.argv.slice(2);
let laterMs = 0;
const now = (): number => Date.now() + laterMs;
const store = await openFolder(path.join(folder, MAIN), { now });
const life: Life = {
  ...askedOf(store, key, now),
  store,
  folder,
  now,
  fetchNotice: noticesTo((id) => {
    writeSync(1, `${NOTICES} ${[...JUDGED, WATCHED].indexOf(id)}\n`);
  }),
  async command(words) {
    const { exitCode, error } = await runTachograph(words);
    assert.equal(exitCode, 0, error);
  },
};
const lanes = openLanes();
await live((steps) => [0, Math.ceil(steps / 2)]);
laterMs += LATER_MS;
await delay(REST_MS);
laterMs += LATER_MS;
await live((steps) => [Math.ceil(steps / 2), steps]);
await delay(REST_MS);
writeSync(2, "lived\n");
await store.close();

async function live(
  partOf: (steps: number) => readonly [from: number, until: number],
): Promise<void> {
  await Promise.all(lanes.map((lane, number) => act(lane, number, partOf(lane.steps.length))));
}

async function act(
  { steps, name }: Lane,
  lane: number,
  [from, until]: readonly [number, number],
): Promise<void> {
  for (const [at, step] of steps.slice(from, until).entries()) {
    try {
      await step.act(life);
    } catch (cause) {
      throw new Error(`step ${from + at} of ${name} failed`, { cause });
    }
    writeSync(1, `${lane} ${from + at}\n`);
  }
}
