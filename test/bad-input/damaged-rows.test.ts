import { expect, test } from "vitest";
import { checkDamaged } from "./check-damaged.ts";
import { DAMAGES, FORMATS_DAMAGED } from "./damaged-rows.ts";

const SEED = 7;

// One file of each kind of damage in each format; the nightly gate has 10,000.
test("no threshold passes because the rows that break it were damaged", async () => {
  const files = Object.keys(DAMAGES).length * FORMATS_DAMAGED.length;
  expect(files).toBe(360);
  expect(await Array.fromAsync(checkDamaged(SEED, files))).toEqual([]);
});
