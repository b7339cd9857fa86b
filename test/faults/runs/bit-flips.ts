import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeFolder, STORE_FILE } from "../disk/data-folder.ts";
import { answersOf, fillForDamage, isFound, wrongIn } from "../disk/damaged-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

/** Enough bytes around a place to find it in the file. */
const AROUND_BYTES = 24;
const FOUND_SHARE_MIN = 0.99;

export const bitFlips: Fault = {
  id: "C15",
  title:
    "A bit of a closed store is flipped anywhere: every answer is byte for byte the right one or an error, and verify finds 99 % of the flips in stored measurements.",
  rounds: { fast: 100, nightly: 1000, release: 1000 },

  async run({ rounds, folder, random }: FaultContext): Promise<FaultFigures> {
    const whole = path.join(folder, "whole");
    await makeFolder(whole, fillForDamage);
    const right = await answersOf(whole, true);
    assert.equal(right["verify"], "nothing");
    const bytes = readFileSync(path.join(whole, STORE_FILE));
    const places = livePlaces(whole, bytes);
    const figures = { refused: 0, right: 0, live: 0, found: 0 };
    for (let round = 0; round < rounds; round++) {
      // Every other round flips a bit in the measurements, the others anywhere in the file.
      const isLive = round % 2 === 0;
      const at = isLive ? places(random) : Math.floor(random() * bytes.length);
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] as number) ^ (1 << Math.floor(random() * 8));
      const store = written(path.join(folder, "damaged"), damaged);
      const answers = await answersOf(store, round % 4 < 2);
      assert.deepEqual(wrongIn(answers, right), [], `wrong answers after a flip in byte ${at}`);
      figures[Object.values(answers).includes("refused") ? "refused" : "right"] += 1;
      if (!isLive) continue;
      figures.live += 1;
      if (isFound(answers)) figures.found += 1;
    }
    assert.ok(
      figures.found >= FOUND_SHARE_MIN * figures.live,
      `verify found ${figures.found} of ${figures.live}`,
    );
    return {
      flips: rounds,
      "silently wrong": 0,
      "answered with an error": figures.refused,
      harmless: figures.right,
      "in measurements": figures.live,
      "of these found by verify": figures.found,
    };
  },
};

/** Writes a store with these bytes to a new folder. */
function written(folder: string, bytes: Buffer): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(path.join(folder, STORE_FILE), bytes);
  return folder;
}

/** Returns random places in the file that hold stored measurements. */
function livePlaces(folder: string, file: Buffer): (random: () => number) => number {
  const database = new DatabaseSync(path.join(folder, STORE_FILE), { readOnly: true });
  const segments = database
    .prepare(
      "SELECT plain, distribution FROM segments JOIN blocks ON number = block WHERE shown_until IS NULL",
    )
    .all()
    .flatMap(({ plain, distribution }) => [plain, distribution ?? []].flat() as Uint8Array[]);
  database.close();
  const total = segments.reduce((sum, { length }) => sum + length, 0);
  return (random) => {
    for (;;) {
      let at = Math.floor(random() * total);
      const segment = segments.find(({ length }) => (at -= length) < 0) ?? new Uint8Array(0);
      const place = segment.length + at;
      const from = Math.max(0, place - AROUND_BYTES);
      const around = segment.subarray(from, place + AROUND_BYTES);
      // Not found if a segment continues in another page, found twice if a page is an old copy.
      const found = file.indexOf(around);
      if (found !== -1 && file.lastIndexOf(around) === found) return found + place - from;
    }
  };
}
