/** Batches that a reader can distinguish in the answers of a store. */

import type { PointBatch, Store } from "../../../src/store/store.ts";
import { batchOf, sample, stored } from "../../support/batches.ts";
import { active, failure } from "../../support/details.ts";
import { failureTable, userTable } from "../../support/plain-details.ts";

const FIRST_SECOND = 1.79e9;
const MARKER = "a batch of ";

/**
 * One request in a second of its own with a label of the source; others in seconds that batches share.
 */
export function numberedBatch(loadTestId: string, sourceId: string, sequence: number): PointBatch {
  const second = FIRST_SECOND + (sequence % 50);
  const meeting = Array.from({ length: requestsOf(sequence) - 1 }, (_, index) => ({
    ...sample(`label ${(sequence * 3 + index) % 20}`, second, 1000 + 37 * sequence + index),
    failed: (sequence + index) % 5 === 0,
  }));
  const samples = [sample(`${MARKER}${sourceId}`, FIRST_SECOND + sequence), ...meeting];
  const failures = failureTable([failure(0, `50${sequence % 4}`, second, 1 + (sequence % 3))]);
  const users = userTable([active(`host ${sequence % 2}`, second, sequence)]);
  const batch = batchOf(samples, { loadTestId, sourceId, sequence });
  return {
    ...batch,
    ...(sequence % 3 === 0 ? { failures } : {}),
    ...(sequence % 4 === 0 ? { users } : {}),
  };
}

export function requestsOf(sequence: number): number {
  return 1 + (sequence % 7);
}

/** The visible part of such batches. */
export interface Seen {
  /** As `nameOf` names them. */
  readonly batches: ReadonlySet<string>;
  /** Of all endpoints and seconds. */
  readonly requests: number;
}

/** What readers of a store see now. */
export async function seenIn(store: Store, loadTestId: string): Promise<Seen> {
  const batches = new Set<string>();
  let requests = 0;
  for (const [label, series] of await stored(store, loadTestId)) {
    for (const count of series.requests) requests += count;
    if (!label.startsWith(MARKER)) continue;
    const sourceId = label.slice(MARKER.length);
    for (const second of series.second)
      batches.add(nameOf({ sourceId, sequence: second - FIRST_SECOND }));
  }
  return { batches, requests };
}

/** Of a batch, within its load test. */
export function nameOf({ sourceId, sequence }: Pick<PointBatch, "sourceId" | "sequence">): string {
  return `${sourceId}, ${sequence}`;
}

/** The number of the batch with this name. */
export function sequenceIn(name: string): number {
  return Number(name.slice(name.lastIndexOf(",") + 1));
}
