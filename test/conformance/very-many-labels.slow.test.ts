/** Labels of load tests whose endpoints are read one by one, and as very many ones. */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareLabels } from "../../src/model/label.ts";
import { listLabels } from "../../src/catalogue/list-labels.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import { batchOf, sample } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../support/store-directory.ts";
import { randomCases } from "../support/random-cases.ts";

const LABELS = [
  "/a/1",
  "/a/2",
  "/a/3",
  "/a/44",
  "/a/{id}",
  "/b/7?q=x",
  "/dp/x",
  "/dp/y",
  "/dp/*",
  "/商品",
  "/\u{1f600}",
  "/\uff5e",
  "",
];

const anyLabels = fc.array(fc.constantFrom(...LABELS), {
  minLength: 1,
  maxLength: 40,
});
const anySearch = fc.constantFrom("", "/", "a/", "dp", "商", "nothing");

test("labels are counted, and the first listed, in every store", async () => {
  const anyLimit = fc.oneof(fc.integer({ min: 1, max: 14 }), fc.constant(2 ** 32));
  await fc.assert(
    fc.asyncProperty(anyLabels, anySearch, anyLimit, async (labels, search, limit) => {
      const found = labels.filter((label) => label.includes(search));
      const counted = [...Map.groupBy(found, (label) => label)]
        .map(([label, { length }]) => ({ label, requests: length }))
        .toSorted((one, other) => compareLabels(one.label, other.label))
        .toSorted((one, other) => other.requests - one.requests);
      for (const { points } of await filled(labels)) {
        expect(await listLabels(points, { loadTestId: "run", search }, limit)).toEqual({
          labels: counted.length,
          requests: found.length,
          most: counted.slice(0, limit),
        });
      }
    }),
    { numRuns: randomCases(40) },
  );
}, 60_000);

/** One request for each time that a label is named, in batches of a few. */
async function filled(labels: readonly string[]): Promise<readonly Store[]> {
  const stores = [openMemoryStore(), await openStoreIn(temporaryDirectory(), { listedMax: 0 })];
  for (const store of stores) {
    await store.loadTests.create(loadTest());
    for (let at = 0, sequence = 0; at < labels.length; at += 7, sequence++) {
      const samples = labels.slice(at, at + 7).map((label, place) => sample(label, 100 + place));
      await store.points.append(batchOf(samples, { sequence }));
    }
  }
  return stores;
}
