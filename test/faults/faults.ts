import type { Fault } from "./frame/fault.ts";
import { freeFloor } from "./runs/free-floor.ts";
import { fullImport } from "./runs/full-import.ts";
import { largeImport } from "./runs/large-import.ts";
import { fewFiles } from "./runs/few-files.ts";
import { smallHeap } from "./runs/small-heap.ts";
import { pausedReader } from "./runs/paused-reader.ts";
import { slowSyncs } from "./runs/slow-syncs.ts";
import { unwritableFolder } from "./runs/unwritable-folder.ts";
import { bitFlips } from "./runs/bit-flips.ts";
import { damagedFiles } from "./runs/damaged-files.ts";
import { failingSyncs } from "./runs/failing-syncs.ts";
import { failingWrites } from "./runs/failing-writes.ts";
import { fullDisk } from "./runs/full-disk.ts";
import { fullOnce } from "./runs/full-once.ts";
import { killLive } from "./runs/kill-live.ts";
import { killRecovering } from "./runs/kill-recovering.ts";
import { powerCuts } from "./runs/power-cuts.ts";
import { syncOrder } from "./runs/sync-order.ts";
import { twoServers } from "./runs/two-servers.ts";

/** All fault runs, in the order of docs/reliability.md. */
export const FAULTS: readonly Fault[] = [
  killLive,
  killRecovering,
  powerCuts,
  syncOrder,
  fullOnce,
  failingWrites,
  failingSyncs,
  fullDisk,
  freeFloor,
  fullImport,
  unwritableFolder,
  fewFiles,
  largeImport,
  smallHeap,
  bitFlips,
  damagedFiles,
  slowSyncs,
  pausedReader,
  twoServers,
];
