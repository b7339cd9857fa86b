import { HOSTILE_LABELS } from "./labels.ts";
import type { PlannedRequest } from "./writers.ts";

const STARTED_AT_MS = Date.UTC(2026, 10, 21, 10, 0, 0);

/** A few requests of each label, some of them failed, over several seconds. */
export function planRequests(labels: readonly string[]): PlannedRequest[] {
  return labels.flatMap((label, index) =>
    [0, 1, 2].map((round) => ({
      label,
      startMs: STARTED_AT_MS + round * 1700 + index * 13,
      elapsedMs: 10 + index * 3 + round,
      receivedBytes: 1000 + index * 7 + round,
      failed: (index + round) % 3 === 0,
    })),
  );
}

export const PLANNED_REQUESTS: readonly PlannedRequest[] = planRequests(HOSTILE_LABELS);
