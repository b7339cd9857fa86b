import type { Store } from "../../../src/store/store.ts";
import { batchOf, published, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";

const NAME = "shop";
const THRESHOLDS = { thresholds: [{ failIf: ["errors > 10%", "errors > 50% over 2s"] }] };
const SECONDS = 20;

/** A load test without data for so long is over, and still looked at for windows that broke. */
export const QUIET_MS = 65_000;

/** Keeps the thresholds of `addEnded`. */
export async function keepThresholds({ thresholds }: Store): Promise<void> {
  await thresholds.keep(NAME, JSON.stringify(THRESHOLDS));
}

interface Ended {
  /** When its last second was measured. */
  readonly nowMs: number;
  readonly isLive: boolean;
  /** Of its 20 requests, one a second, 5 in a row fail: both thresholds fail. */
  readonly hasFailures: boolean;
}

/** Adds a load test, as a file or a live source. The clock of the store is at `nowMs`. */
export async function addEnded(
  { loadTests, points }: Store,
  id: string,
  { nowMs, isLive, hasFailures }: Ended,
): Promise<void> {
  await loadTests.create({ ...loadTest(id, nowMs), name: NAME });
  const samples = Array.from({ length: SECONDS }, (_, at) => ({
    ...sample("GET /cart", Math.floor(nowMs / 1000) - SECONDS + at),
    failed: hasFailures && at >= 5 && at < 10,
  }));
  const about = { loadTestId: id, sourceId: "one" };
  await points.append(batchOf(samples, { ...about, visibility: isLive ? "live" : "staged" }));
  if (!isLive) await points.publish(published("one", id));
}
