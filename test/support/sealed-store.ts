import path from "node:path";
import { Background, checkpointsBeside } from "../../src/store/sqlite/background.ts";
import { openFile } from "../../src/store/sqlite/file.ts";
import { openLoadTests } from "../../src/store/sqlite/load-tests.ts";
import { openPoints } from "../../src/store/sqlite/points.ts";
import { Sealer } from "../../src/store/sqlite/sealer.ts";
import { SnapshotKeeper } from "../../src/store/sqlite/snapshot-keeper.ts";
import { verifyFile } from "../../src/store/sqlite/verify.ts";

export interface SealedStoreOptions {
  readonly now: () => number;
  readonly runsSealed?: number;
  /** Whether a second thread merges and checkpoints, as in a server. @default false */
  readonly isBeside?: boolean;
  /** Pages of the log after which it checkpoints; only tests choose another number. */
  readonly logPages?: number;
}

/** Opens the parts of the SQLite store without its timers: sealing is done when a test says so. */
export function openSealedStore(
  directory: string,
  { now, runsSealed, isBeside = false, logPages }: SealedStoreOptions,
) {
  const options = { now, quickCheckBytesMax: 0 };
  const file = openFile(path.join(directory, "store.db"), options);
  const snapshots = new SnapshotKeeper(file);
  const background = new Background(file.path);
  const mergeBeside = isBeside ? background.merge.bind(background) : undefined;
  const sealer = new Sealer(file, { runsSealed, mergeBeside });
  if (isBeside) file.queue.onCommit = checkpointsBeside(file.writer, background, logPages);
  return {
    file,
    snapshots,
    background,
    sealer,
    loadTests: openLoadTests(file),
    points: openPoints(file, { snapshots, sealer }),
    verify: () => verifyFile(file, snapshots),
    /** Seals all there is to be sealed. */
    async seal(): Promise<void> {
      sealer.sweep();
      await sealer.idle();
    },
    async close(): Promise<void> {
      await sealer.stop();
      await background.stop();
      await file.close();
    },
  };
}

export type SealedStore = ReturnType<typeof openSealedStore>;
