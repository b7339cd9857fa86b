import { judgedLane, watchedLane } from "./judged-lanes.ts";
import { backupLane, copyLane, exportLane, oldLane } from "./kept-lanes.ts";
import type { Lane } from "./lane.ts";
import { batchLane, protocolLanes, uploadLane } from "./written-lanes.ts";

/** Everything that writes to a store. Acknowledgements have the number of the lane, then that of the step. */
export function openLanes(): readonly Lane[] {
  return [
    ...protocolLanes(),
    batchLane(),
    uploadLane(),
    oldLane(),
    judgedLane(),
    watchedLane(),
    copyLane(),
    exportLane(),
    backupLane(),
  ];
}

/** How far the clock of a life jumps, twice: longer than sources are awaited, and merged blocks are kept. */
export const LATER_MS = 130_000;

/** In place of the number of a lane: a notice was received, of the load test with this number. */
export const NOTICES = 100;
