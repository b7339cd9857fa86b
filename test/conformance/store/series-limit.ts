import { expect, test } from "vitest";
import { seriesName } from "../../../src/model/series/facets.ts";
import type { Store } from "../../../src/store/store.ts";
import { batchOf, published, requestsBySeries, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import type { OpenEmptyStore } from "../store.ts";

/** A sample per series of a label. */
function samplesOf(label: string, count: number, nameOf = (at: number) => [`user`, `${at}`]) {
  return Array.from({ length: count }, (_, at) => {
    const [name = "", value = ""] = nameOf(at);
    return sample(seriesName(label, [[name, value]]), 3);
  });
}

async function otherFacetsOf(store: Store) {
  const snapshot = await store.points.snapshot("run");
  const [source] = (await snapshot?.sources()) ?? [];
  snapshot?.release();
  return (source?.quality ?? source?.published?.quality)?.otherFacets;
}

export function seriesLimitConforms(open: OpenEmptyStore): void {
  async function openLimited(facetCombinationsMax: number, facetSeriesMax: number) {
    const facets = { facetCombinationsMax, facetSeriesMax };
    const store = await open({ labelLimit: { max: 1000, facets } });
    await store.loadTests.create(loadTest("run"));
    return store;
  }

  test("combinations beyond twice the limit of a label count as other values, again and again", async () => {
    const store = await openLimited(3, 100);
    for (const sequence of [0, 1]) {
      const appended = await store.points.append(batchOf(samplesOf("a", 11), { sequence }));
      expect(appended).toMatchObject({ duplicate: false, otherFacets: [{ name: "a", values: 5 }] });
    }
    const requests = new Map(await requestsBySeries(store));
    expect(requests.get(seriesName("a", [["user", "(other)"]]))).toBe(10);
    expect(requests.get(seriesName("a", [["user", "5"]]))).toBe(2);
    expect(await otherFacetsOf(store)).toEqual([{ name: "a", values: 10 }]);
  });

  test("so do series beyond twice the limit of the load test, but for the first of a label", async () => {
    const store = await openLimited(100, 2);
    const samples = [...samplesOf("a", 4), ...samplesOf("b", 3), ...samplesOf("c", 1)];
    const { otherFacets } = await store.points.append(batchOf(samples));
    expect(otherFacets).toEqual([{ name: "b", values: 1 }]);
    const requests = new Map(await requestsBySeries(store));
    expect(requests.get(seriesName("b", [["user", "(other)"]]))).toBe(1);
    expect(requests.get(seriesName("c", [["user", "0"]]))).toBe(1);
    expect(requests.size).toBe(8);
  });

  test("however facets are called, those beyond the limit are one series of their label", async () => {
    const store = await openLimited(3, 100);
    const samples = samplesOf("a", 11, (at) => [`forged-${at}`, "1"]);
    await store.points.append(batchOf(samples));
    const requests = await requestsBySeries(store);
    expect(requests).toHaveLength(7);
    expect(requests.find(([name]) => name.includes("(other)"))?.[1]).toBe(5);
  });

  test("a facet of many values takes none of the others' from their requests", async () => {
    const store = await openLimited(3, 100);
    const samples = Array.from({ length: 30 }, (_, at) =>
      sample(
        seriesName("a", [
          ["scenario", `s${at % 2}`],
          ["user", `${at}`],
        ]),
        3,
      ),
    );
    const { otherFacets } = await store.points.append(batchOf(samples));
    expect(otherFacets).toEqual([{ name: "a", values: 24 }]);
    const requests = (await requestsBySeries(store)).filter(([name]) => name.includes("s1"));
    expect(requests.reduce((sum, [, count]) => sum + count, 0)).toBe(15);
  });

  test("staging a source returns what has to be published with it", async () => {
    const store = await openLimited(3, 100);
    const batch = batchOf(samplesOf("a", 11), { sourceId: "file", visibility: "staged" });
    const otherFacets = [{ name: "a", values: 5 }];
    expect(await store.points.append(batch)).toMatchObject({ duplicate: false, otherFacets });
    expect(await store.points.append(batch)).toEqual({ duplicate: true, otherFacets });
    await store.points.publish(published("file"));
    expect(await otherFacetsOf(store)).toBeUndefined();
  });
}
