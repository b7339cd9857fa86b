/** Which of some blocks hold an endpoint, where their rows do not tell its group. */

import { lowerBound } from "../series.ts";
import type { BlockRow } from "./block-rows.ts";
import { groupOf } from "./encode-blocks.ts";
import { boundsOf, setHas } from "./endpoint-set.ts";

/**
 * To look at all blocks for one endpoint is faster than to make an index of them; for each of 100,000
 * endpoints, which thousands of blocks hold, it takes minutes.
 */
const SCANS_MAX = 64;

/** Answers the blocks of an endpoint, in the order of `rows`. Only tests choose another `scansMax`. */
export function blocksByEndpoint(
  rows: readonly BlockRow[],
  scansMax = SCANS_MAX,
): (endpoint: number) => readonly BlockRow[] {
  let scans = 0;
  let index: ReturnType<typeof indexOf> | undefined;
  return (endpoint) => {
    if (scans === scansMax) return (index ??= indexOf(rows))(endpoint);
    scans += 1;
    return rows.filter((row) => setHas(row.endpoints, endpoint));
  };
}

interface IndexedBlock {
  readonly row: BlockRow;
  /** Where the runs of its endpoints begin and end, in turn: ascending. */
  readonly bounds: Uint32Array;
}

/** By group, which takes little room even where every block holds every endpoint. */
function indexOf(rows: readonly BlockRow[]): (endpoint: number) => readonly BlockRow[] {
  const byGroup = new Map<number, IndexedBlock[]>();
  for (const row of rows) {
    const block = { row, bounds: boundsOf(row.endpoints) };
    for (const group of groupsIn(block.bounds)) {
      const blocks = byGroup.get(group);
      if (blocks === undefined) byGroup.set(group, [block]);
      else blocks.push(block);
    }
  }
  return (endpoint) =>
    (byGroup.get(groupOf(endpoint)) ?? [])
      .filter(({ bounds }) => isWithin(bounds, endpoint))
      .map(({ row }) => row);
}

/** The groups of all endpoints within the bounds, each once. */
function* groupsIn(bounds: Uint32Array): Generator<number> {
  let next = 0;
  for (let run = 0; run < bounds.length; run += 2) {
    const last = groupOf((bounds[run + 1] as number) - 1);
    for (next = Math.max(next, groupOf(bounds[run] as number)); next <= last; next++) yield next;
  }
}

/** A run has begun and not ended where an odd number of bounds lies at the endpoint or before it. */
function isWithin(bounds: Uint32Array, endpoint: number): boolean {
  return lowerBound(bounds, endpoint + 1) % 2 === 1;
}
