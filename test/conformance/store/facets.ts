/** A label with facets is several series: whoever reads labels sees what one series would have given. */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { IDS_VALUE, seriesName } from "../../../src/model/series/facets.ts";
import { ALL_SECONDS } from "../../../src/model/columns.ts";
import { readFacets } from "../../../src/query/read-facets.ts";
import { ALL_ENDPOINTS } from "../../../src/series/endpoint-selection.ts";
import type { FacetSelection } from "../../../src/series/series-groups.ts";
import { openSnapshot } from "../../../src/series/open-snapshot.ts";
import { hashOfLabel } from "../../../src/series/endpoint-selection.ts";
import { listByLabel } from "../../../src/series/selected-series.ts";
import type { Store } from "../../../src/store/store.ts";
import { readAll } from "../../support/facet-parts.ts";
import {
  batchOf,
  collect,
  expectedSeries,
  sample,
  type LabelledSample,
  type Series,
} from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { samplesArbitrary } from "../../support/plain-points.ts";
import { randomCases } from "../../support/random-cases.ts";

const LABELS = ["a", "a b", "\u{10000}", "\ue000"];

/** Series by label, as read and as scanned. */
async function readBack(store: Store, loadTestId: string, facets?: FacetSelection) {
  const snapshot = await openSnapshot(store.points, loadTestId, {
    selection: facets && { facets },
  });
  try {
    const index = await snapshot.index();
    const endpoints = await listByLabel(index, index.numbers);
    const read: [string, Series][] = [];
    for await (const each of snapshot.read(endpoints, ALL_SECONDS, "distribution")) {
      if (each.columns.second.length > 0) read.push([each.endpoint.label, each.columns]);
    }
    const scanned = new Map<number, number>();
    for (const points of await collect(index.scan(index.numbers, ALL_SECONDS, "sums"))) {
      for (const [row, endpoint] of points.endpoint.entries()) {
        const requests = points.requests[row] as number;
        scanned.set(endpoint, (scanned.get(endpoint) ?? 0) + requests);
      }
    }
    const named = await index.named(Uint32Array.from(scanned.keys()));
    const hashed = await index.hashed(endpoints.map(({ label }) => hashOfLabel(label)));
    expect([...hashed]).toEqual([...index.numbers]);
    const totals = named.map(({ label, number }) => [label, scanned.get(number)]);
    return { read, totals: new Map(totals as [string, number][]) };
  } finally {
    snapshot.release();
  }
}

export function facetsConform(open: () => Promise<Store>, labels = [...LABELS, "a\u0000"]): void {
  const facetted = fc.record({
    label: fc.constantFrom(...labels),
    scenario: fc.constantFrom(undefined, "browse", "pay \u0001"),
  });

  test("however a label is split by facets, labels are as if it were not, and values add up", async () => {
    const store = await open();
    let runs = 0;
    const batches = fc.array(
      fc.tuple(samplesArbitrary, fc.array(facetted, { minLength: 1, maxLength: 4 })),
      { minLength: 1, maxLength: 4 },
    );
    const property = fc.asyncProperty(batches, async (given) => {
      const loadTestId = `run-${runs++}`;
      await store.loadTests.create(loadTest(loadTestId));
      const all: (LabelledSample & { readonly scenario: string | undefined })[] = [];
      for (const [sequence, [samples, kinds]] of given.entries()) {
        const own = samples.map((each, at) => ({
          ...each,
          ...(kinds[at % kinds.length] as (typeof kinds)[number]),
        }));
        all.push(...own);
        const named = own.map(({ scenario, ...each }) => ({
          ...each,
          label: seriesName(each.label, scenario === undefined ? [] : [["scenario", scenario]]),
        }));
        const about = { loadTestId, sourceId: `sender ${sequence % 2}`, sequence };
        await store.points.append(batchOf(named, about));
      }
      const { read, totals } = await readBack(store, loadTestId);
      expect(read).toEqual(expectedSeries(all));
      expect(totals).toEqual(requestsOf(all));
      const found = await store.loadTests.find(loadTestId);
      expect(found?.endpoints).toBe(new Set(all.map(({ label }) => label)).size);
      const browse = all.filter(({ scenario }) => scenario === "browse");
      const wanted = { tag: "scenario", value: "browse", isNot: false };
      const where = { where: [wanted], by: [], mayBeMissing: true } as const;
      expect((await readBack(store, loadTestId, where)).read).toEqual(expectedSeries(browse));
    });
    await fc.assert(property, { numRuns: randomCases(30) });
  });

  test("a facet of which further values are ids is left out of series, which merge", async () => {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    const given = ["7", "8", IDS_VALUE].map((user, at) => ({ ...sample("a", at), user }));
    const named = given.map(({ user, ...each }) => ({
      ...each,
      label: seriesName("a", [
        ["scenario", "browse"],
        ["user", user],
      ]),
    }));
    await store.points.append(batchOf([...named, sample("b", 3)]));
    const apart = { where: [], by: [], areApart: true } as const;
    const browse = given.map((each) => ({
      ...each,
      label: seriesName("a", [["scenario", "browse"]]),
    }));
    const read = await readAll(store.points, "run", apart);
    expect([...read]).toEqual(expectedSeries([...browse, sample("b", 3)]));
    const by = { where: [], by: ["user"] } as const;
    await expect(readBack(store, "run", by)).rejects.toMatchObject({
      code: expect.stringMatching("unknown-facet|too-many-endpoints") as unknown,
    });
    const { facets } = await readFacets(store.points, {
      loadTestId: "run",
      selection: ALL_ENDPOINTS,
    });
    expect(facets.map(({ name }) => name)).toEqual(["scenario"]);
  });
}

function requestsOf(samples: readonly LabelledSample[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { label } of samples) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
}
