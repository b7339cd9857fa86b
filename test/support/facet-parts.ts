/** The values of a facet, and what they add up to. */

import { expect } from "vitest";
import { ALL_SECONDS } from "../../src/model/columns.ts";
import type { SeriesColumns } from "../../src/model/data-points.ts";
import { mergeSeries } from "../../src/model/merge-points.ts";
import { openSnapshot } from "../../src/series/open-snapshot.ts";
import { listByLabel } from "../../src/series/selected-series.ts";
import { type FacetSelection, NO_VALUE } from "../../src/series/series-groups.ts";
import type { Points } from "../../src/store/store.ts";

/** Data points with histograms by label. */
export async function readAll(points: Points, loadTestId: string, facets?: FacetSelection) {
  const snapshot = await openSnapshot(points, loadTestId, { selection: facets && { facets } });
  const index = await snapshot.index();
  const all = new Map<string, SeriesColumns>();
  const endpoints = await listByLabel(index, index.numbers);
  for await (const { endpoint, columns } of snapshot.read(endpoints, ALL_SECONDS, "distribution")) {
    if (columns.second.length > 0) all.set(endpoint.label, columns);
  }
  snapshot.release();
  return all;
}

/** Expects that each value, chosen or split by, has the same points, and that all together are the whole. An empty value is none. */
export async function expectToAddUp(
  points: Points,
  loadTestId: string,
  [name, values]: readonly [name: string, values: readonly string[]],
): Promise<void> {
  const by = await readAll(points, loadTestId, { where: [], by: [name], mayBeMissing: true });
  const parts = new Map<string, SeriesColumns[]>();
  for (const value of values) {
    const wanted = { tag: name, value, isNot: false };
    const chosen = await readAll(points, loadTestId, {
      where: [wanted],
      by: [],
      mayBeMissing: true,
    });
    for (const [label, columns] of chosen) {
      expect(by.get(`${value || NO_VALUE} › ${label}`)).toEqual(columns);
      parts.set(label, [...(parts.get(label) ?? []), columns]);
    }
  }
  const merged = [...parts].map(([label, columns]) => [label, mergeSeries(columns)] as const);
  expect(new Map(merged)).toEqual(await readAll(points, loadTestId));
}
