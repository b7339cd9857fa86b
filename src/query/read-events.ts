import type { EventJson } from "../api/measures.ts";
import type { LoadTestEvent } from "../model/measures/load-test-events.ts";
import { type Snapshots, withSnapshot } from "../series/open-snapshot.ts";

/** Returns the events of a load test, by time. Throws `unknown-load-test`. */
export async function readEvents(
  points: Snapshots,
  loadTestId: string,
): Promise<readonly EventJson[]> {
  return withSnapshot(points, { loadTestId }, async ({ loadTest }) =>
    (loadTest.events ?? []).map(eventJson),
  );
}

export function eventJson({ id, atMs, untilMs, text, ...told }: LoadTestEvent): EventJson {
  const { endpoint, author, writtenAtMs } = told;
  return {
    id,
    at: isoTime(atMs),
    ...(untilMs !== undefined && { until: isoTime(untilMs) }),
    text,
    ...(endpoint !== undefined && { endpoint }),
    ...(author !== undefined && { author }),
    ...(writtenAtMs !== undefined && { writtenAt: isoTime(writtenAtMs) }),
  };
}

function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
