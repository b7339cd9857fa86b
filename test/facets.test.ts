/** The requests of the values of a facet are those of the whole: counts, sums and histograms, byte for byte. */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { expectToAddUp, readAll } from "./support/facet-parts.ts";
import { importInto } from "./support/imports.ts";
import { openMemoryStore } from "./support/memory-store/memory-store.ts";

/** Of the threads and hosts below. */
const VALUES = [
  ["threadGroup", ["Browse", "Pay, later", "Pay", ""]],
  ["hostname", ["a", "b", ""]],
] as const;

const row = fc.record({
  atMs: fc.integer({ min: 0, max: 4000 }),
  elapsedMs: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 9_999_999 })),
  label: fc.constantFrom("GET /", "GET /cart", "GET /cart-0", "POST /pay"),
  thread: fc.constantFrom(
    "Browse 1-1",
    "Browse 1-12",
    "Pay, later 2-1",
    "10.0.0.3-Pay 2-1",
    "",
    "x",
  ),
  host: fc.constantFrom("a", "b", ""),
  hasPassed: fc.boolean(),
  bytes: fc.nat(1_000_000),
});

test("values of a facet add up to the whole", async () => {
  const property = fc.asyncProperty(
    fc.array(row, { minLength: 1, maxLength: 60 }),
    async (rows) => {
      const store = openMemoryStore();
      const lines = rows.map(({ atMs, elapsedMs, label, thread, host, hasPassed, bytes }) =>
        [1_700_000_000_000 + atMs, elapsedMs, label, `"${thread}"`, host, hasPassed, bytes].join(),
      );
      const header = "timeStamp,elapsed,label,threadName,Hostname,success,bytes";
      await importInto(store, [header, ...lines, ""].join("\n"));
      const whole = await readAll(store.points, "run");
      const count = [...whole.values()].flatMap(({ requests }) => [...requests]);
      expect(count.reduce((sum, each) => sum + each, 0)).toBe(rows.length);
      for (const facet of VALUES) await expectToAddUp(store.points, "run", facet);
    },
  );
  await fc.assert(property, { numRuns: 1000 });
}, 120_000);
