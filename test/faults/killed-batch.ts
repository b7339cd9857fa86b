import type { PointBatch } from "../../src/store/store.ts";
import { batchOf, type LabelledSample, sample } from "../support/batches.ts";
import { active, failure } from "../support/details.ts";
import { failureTable, userTable } from "../support/plain-details.ts";

export const SENDERS = 4;
export const ENDPOINTS = 5;

/** The last endpoint of a sender gets another label after so many batches, so that labels are numbered all the time. */
const BATCHES_OF_LABEL = 8;

/**
 * One request of each endpoint, the first of them failed, and a user, in a second that identifies the batch.
 */
export function killedBatch(sender: number, sequence: number): PointBatch {
  const second = 1 + sequence;
  return batchOf(killedSamples(sender, sequence), {
    sourceId: `sender-${sender}`,
    sequence,
    failures: failureTable([failure(0, "500", second)]),
    users: userTable([active("host", second, 1)]),
  });
}

export function killedSamples(sender: number, sequence: number): LabelledSample[] {
  return Array.from({ length: ENDPOINTS }, (_, endpoint) => ({
    ...sample(killedLabel(sender, endpoint, sequence), 1 + sequence, 1000 * endpoint),
    failed: endpoint === 0,
  }));
}

export function killedLabel(sender: number, endpoint: number, sequence: number): string {
  const label = `sender ${sender} endpoint ${endpoint}`;
  const part = Math.floor(sequence / BATCHES_OF_LABEL);
  return endpoint === ENDPOINTS - 1 ? `${label} part ${part}` : label;
}
