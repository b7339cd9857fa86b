import { readEvents } from "../../../src/client/read-events.ts";
import { openStream } from "./client.ts";
import type { LoadTestDetail } from "./load-tests.ts";
import type { CheckedThreshold, Limit } from "./thresholds.ts";

/** A threshold over windows, with its newest window: docs/live.md. */
export interface RunningLimit extends Limit, Pick<CheckedThreshold, "fails"> {
  readonly isBroken: boolean;
  /** UNIX second, while it is broken. */
  readonly brokenSince?: number;
  readonly measured: number;
  readonly window: NonNullable<CheckedThreshold["window"]>;
}

/** An event of a stream: either the load test, or all its thresholds over windows. */
export interface LiveEvent {
  readonly loadTest?: LoadTestDetail;
  readonly limits?: readonly RunningLimit[];
}

/** Follows a load test until it is over. Throws `ApiError`, or the abort's error. */
export async function followLoadTest(
  id: string,
  signal: AbortSignal,
  take: (event: LiveEvent) => void,
): Promise<void> {
  for await (const { name, data } of readEvents(openStream(id, signal))) {
    if (name === "data") take({ loadTest: data as LoadTestDetail });
    if (name === "thresholds") take({ limits: data as readonly RunningLimit[] });
  }
}
