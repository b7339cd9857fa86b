/**
 * Loaded into a measured process by `--import`: tells over the socket that `TACHOGRAPH_PROBE` names
 * how long its event loop was away since it was last asked; the first question starts it.
 */

import { createServer } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

export interface Delays {
  /** Beyond the millisecond between two looks at the loop. */
  readonly p99Ms: number;
  readonly maxMs: number;
}

const RESOLUTION_MS = 1;

const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
const server = createServer((socket) => {
  const read: Delays = { p99Ms: beyond(delays.percentile(99)), maxMs: beyond(delays.max) };
  delays.reset();
  delays.enable();
  socket.end(JSON.stringify(read));
});
// Worker threads load this as well, and their error would end the process.
if (isMainThread) {
  // Listening alone must not keep the process going.
  server.listen(process.env["TACHOGRAPH_PROBE"]).unref();
}

function beyond(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
}
