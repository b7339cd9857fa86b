/** The requests of the values of a facet are those of the whole: counts, sums and histograms, byte for byte. */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { SeriesColumns } from "../src/model/data-points.ts";
import { mergeSeries } from "../src/model/merge-points.ts";
import { ALL_SECONDS } from "../src/model/columns.ts";
import { openSnapshot } from "../src/series/open-snapshot.ts";
import { listByLabel } from "../src/series/selected-series.ts";
import { type FacetSelection, NO_VALUE } from "../src/series/series-groups.ts";
import type { Store } from "../src/store/store.ts";
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
      const whole = await readAll(store);
      const count = [...whole.values()].flatMap(({ requests }) => [...requests]);
      expect(count.reduce((sum, each) => sum + each, 0)).toBe(rows.length);
      for (const [name, values] of VALUES) {
        const by = await readAll(store, { where: [], by: [name], mayBeMissing: true });
        const parts = new Map<string, SeriesColumns[]>();
        for (const value of values) {
          const wanted = { tag: name, value, isNot: false };
          for (const [label, columns] of await readAll(store, {
            where: [wanted],
            by: [],
            mayBeMissing: true,
          })) {
            expect(by.get(`${value || NO_VALUE} › ${label}`)).toEqual(columns);
            parts.set(label, [...(parts.get(label) ?? []), columns]);
          }
        }
        const merged = [...parts].map(([label, columns]) => [label, mergeSeries(columns)] as const);
        expect(new Map(merged)).toEqual(whole);
      }
    },
  );
  await fc.assert(property, { numRuns: 200 });
}, 120_000);

async function readAll(store: Store, facets?: FacetSelection) {
  const snapshot = await openSnapshot(store.points, "run", {
    selection: facets && { facets },
  });
  const index = await snapshot.index();
  const all = new Map<string, SeriesColumns>();
  const endpoints = await listByLabel(index, index.numbers);
  for await (const { endpoint, columns } of snapshot.read(endpoints, ALL_SECONDS, "distribution")) {
    if (columns.second.length > 0) all.set(endpoint.label, columns);
  }
  snapshot.release();
  return all;
}
