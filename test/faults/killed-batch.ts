import type { PointBatch } from "../../src/store/store.ts";
import { batchOf, type LabelledSample, sample } from "../support/batches.ts";

export const SENDERS = 4;
export const ENDPOINTS = 5;

/** One request of each endpoint, in a second that says which batch it came with. */
export function killedBatch(sender: number, sequence: number): PointBatch {
  return batchOf(killedSamples(sender, sequence), { sourceId: `sender ${sender}`, sequence });
}

export function killedSamples(sender: number, sequence: number): LabelledSample[] {
  return Array.from({ length: ENDPOINTS }, (_, endpoint) =>
    sample(`sender ${sender} endpoint ${endpoint}`, 1 + sequence, 1000 * endpoint),
  );
}
