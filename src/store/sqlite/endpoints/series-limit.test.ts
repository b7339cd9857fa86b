import { expect, test } from "vitest";
import { batchOf, requestsBySeries, sample } from "../../../../test/support/batches.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { COMBINATIONS_MAX, seriesName } from "../../../model/series/facets.ts";

test("combinations beyond twice the limit count as other values, again and again", async () => {
  const store = await openStoreIn(temporaryDirectory());
  await store.loadTests.create(loadTest("run"));
  const names = Array.from({ length: 2 * COMBINATIONS_MAX + 5 }, (_, at) =>
    seriesName("a", [["user", `${at}`]]),
  );
  for (const sequence of [0, 1]) {
    await store.points.append(
      batchOf(
        names.map((name) => sample(name, 3)),
        { sequence },
      ),
    );
  }
  const requests = new Map(await requestsBySeries(store));
  expect(requests.get(seriesName("a", [["user", "(other)"]]))).toBe(10);
  expect(requests.get(seriesName("a", [["user", "7"]]))).toBe(2);
  const snapshot = await store.points.snapshot("run");
  const [source] = (await snapshot?.sources()) ?? [];
  snapshot?.release();
  expect(source?.quality?.otherFacets).toEqual([{ name: "a", values: 10 }]);
});

test("however facets are called, those beyond the limit are one series of their label", async () => {
  const store = await openStoreIn(temporaryDirectory());
  await store.loadTests.create(loadTest("run"));
  const names = Array.from({ length: 2 * COMBINATIONS_MAX + 50 }, (_, at) =>
    seriesName("a", [[`forged-${at}`, "1"]]),
  );
  await store.points.append(batchOf(names.map((name) => sample(name, 3))));
  const requests = await requestsBySeries(store);
  expect(requests).toHaveLength(2 * COMBINATIONS_MAX + 1);
  expect(requests.find(([name]) => name.includes("(other)"))?.[1]).toBe(50);
});
