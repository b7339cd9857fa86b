import type { Fault } from "./frame/fault.ts";
import { backUpUnderLoad } from "./runs/back-up.ts";
import { bitFlips } from "./runs/bit-flips.ts";
import { breakNetwork } from "./runs/break-network.ts";
import { busyConnections } from "./runs/busy-connections.ts";
import { busyServer } from "./runs/busy-server.ts";
import { cutLives } from "./runs/cut-lives.ts";
import { damagedFiles } from "./runs/damaged-files.ts";
import { drippingUploads } from "./runs/dripping-uploads.ts";
import { emptyLines } from "./runs/empty-lines.ts";
import { failingSyncs } from "./runs/failing-syncs.ts";
import { failingWrites } from "./runs/failing-writes.ts";
import { fewFiles } from "./runs/few-files.ts";
import { freeFloor } from "./runs/free-floor.ts";
import { fullDisk } from "./runs/full-disk.ts";
import { fullJobs } from "./runs/full-jobs.ts";
import { fullKilled } from "./runs/full-killed.ts";
import { fullImport } from "./runs/full-import.ts";
import { fullOnce } from "./runs/full-once.ts";
import { halfOpen } from "./runs/half-open.ts";
import { idleConnections } from "./runs/idle-connections.ts";
import { killCommands } from "./runs/kill-commands.ts";
import { killFollowers } from "./runs/kill-followers.ts";
import { killJudging } from "./runs/kill-judging.ts";
import { killImport } from "./runs/kill-import.ts";
import { killPostgres } from "./runs/kill-postgres.ts";
import { killLive } from "./runs/kill-live.ts";
import { killRecovering } from "./runs/kill-recovering.ts";
import { killRetention } from "./runs/kill-retention.ts";
import { killUpload } from "./runs/kill-upload.ts";
import { largeImport } from "./runs/large-import.ts";
import { movedFiles } from "./runs/moved-files.ts";
import { manyLabels } from "./runs/many-labels.ts";
import { revokedKey } from "./runs/revoked-key.ts";
import { pauseServer } from "./runs/pause-server.ts";
import { pausedReader } from "./runs/paused-reader.ts";
import { powerCuts } from "./runs/power-cuts.ts";
import { readOnly } from "./runs/read-only.ts";
import { slowSyncs } from "./runs/slow-syncs.ts";
import { smallHeap } from "./runs/small-heap.ts";
import { soak } from "./runs/soak.ts";
import { stalledReaders } from "./runs/stalled-readers.ts";
import { stepClock } from "./runs/step-clock.ts";
import { stopImport } from "./runs/stop-import.ts";
import { stopServer } from "./runs/stop-server.ts";
import { stuckLog } from "./runs/stuck-log.ts";
import { syncOrder } from "./runs/sync-order.ts";
import { turnClock } from "./runs/turn-clock.ts";
import { twoServers } from "./runs/two-servers.ts";
import { unwritableFolder } from "./runs/unwritable-folder.ts";

/** All fault runs. */
export const FAULTS: readonly Fault[] = [
  killLive,
  killUpload,
  killFollowers,
  killImport,
  killJudging,
  killRetention,
  killCommands,
  killRecovering,
  killPostgres,
  powerCuts,
  cutLives,
  syncOrder,
  fullOnce,
  failingWrites,
  failingSyncs,
  fullDisk,
  fullKilled,
  fullJobs,
  freeFloor,
  fullImport,
  unwritableFolder,
  readOnly,
  fewFiles,
  largeImport,
  smallHeap,
  bitFlips,
  damagedFiles,
  stopServer,
  stopImport,
  pauseServer,
  slowSyncs,
  pausedReader,
  turnClock,
  stepClock,
  backUpUnderLoad,
  breakNetwork,
  soak,
  busyServer,
  twoServers,
  manyLabels,
  busyConnections,
  revokedKey,
  movedFiles,
  halfOpen,
  idleConnections,
  stuckLog,
  drippingUploads,
  stalledReaders,
  emptyLines,
];
