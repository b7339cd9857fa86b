import * as fc from "fast-check";
import { expect, test } from "vitest";
import { batchOfSeed, ComparedStores, schedules } from "../../../test/support/compared-stores.ts";

/** More of them before a release. */
const SCHEDULES = Number(process.env["TACHOGRAPH_SCHEDULES"] ?? 10);

test(
  "answers are those of the memory store, whatever is sealed, tried again and opened anew",
  async () => {
    const property = fc.asyncProperty(schedules, async (schedule) => {
      const stores = new ComparedStores();
      await stores.begin();
      for (const [sequence, { what, sourceId, seed }] of schedule.entries()) {
        await stores.take(what, batchOfSeed(sourceId, sequence, seed));
        for (const [found, wanted] of stores.compared.splice(0)) expect(found).toEqual(wanted);
      }
      await stores.end();
      for (const [found, wanted] of stores.compared) expect(found).toEqual(wanted);
    });
    await fc.assert(property, { numRuns: SCHEDULES });
  },
  30_000 + 2000 * SCHEDULES,
);
