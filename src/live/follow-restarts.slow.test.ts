import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stored } from "../../test/support/batches.ts";
import {
  follow,
  HEADER,
  importWhole,
  K6,
  PAUSE,
  ROWS,
  storedByImport,
} from "../../test/support/follow.ts";
import { WrittenFile } from "../../test/support/written-file.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { Store } from "../store/store.ts";
import type { ImportTarget } from "../import/ensure-load-test.ts";
import { randomCases } from "../../test/support/random-cases.ts";

class Killed extends Error {}

/** Kills the follower at its `n`th append, before or after the store has accepted it. */
function killing(store: Store, n: number, when: "before" | "after"): ImportTarget {
  let appends = 0;
  return {
    ...store,
    points: {
      ...store.points,
      async append(batch) {
        appends += 1;
        if (appends === n && when === "before") throw new Killed();
        const answer = await store.points.append(batch);
        if (appends === n) throw new Killed();
        return answer;
      },
    },
  };
}

const stretch = fc.record({
  /** How much the file grows before each poll. */
  growth: fc.array(fc.nat(400), { maxLength: 12 }),
  end: fc.oneof(
    fc.constant("signal" as const),
    fc.record({ n: fc.integer({ min: 1, max: 5 }), when: fc.constantFrom("before", "after") }),
  ),
});

test.each([
  ["JMeter", HEADER + ROWS.join("")],
  ["k6", K6],
])(
  "however a file of %s grows, and whenever its follower is killed or ended, nothing is lost or doubled",
  async (_, content) => {
    const property = fc.asyncProperty(fc.array(stretch, { maxLength: 8 }), async (stretches) => {
      const store = openMemoryStore();
      const file = new WrittenFile();
      const bytes = Buffer.from(content);
      const grow = (by: number): void => {
        file.append(bytes.subarray(file.bytes.length, file.bytes.length + by));
      };
      grow(1);
      for (const { growth, end } of stretches) {
        const steps = growth.map((by) => () => grow(by));
        const target = end === "signal" ? store : killing(store, end.n, end.when);
        await follow(file, steps, { store, target }).catch((error: unknown) => {
          // The first bytes are not enough to detect the format.
          if (!(error instanceof Killed) && file.bytes.length > 300) throw error;
        });
      }
      grow(bytes.length);
      const reports = await follow(file, PAUSE, { store });
      expect(await stored(store)).toEqual(await storedByImport(bytes));
      expect(reports).toHaveLength(1);
      expect(reports[0]?.samples).toEqual((await importWhole(openMemoryStore(), bytes)).samples);
    });
    await fc.assert(property, { numRuns: randomCases(100) });
  },
);
