import path from "node:path";
import { openFile } from "../../src/store/sqlite/file.ts";
import { openLoadTests } from "../../src/store/sqlite/load-tests.ts";
import { openPoints } from "../../src/store/sqlite/points.ts";
import { Sealer } from "../../src/store/sqlite/sealer.ts";
import { SnapshotKeeper } from "../../src/store/sqlite/snapshot-keeper.ts";
import { verifyFile } from "../../src/store/sqlite/verify.ts";

export interface SealedStoreOptions {
  readonly now: () => number;
  readonly runsSealed?: number;
}

/** Opens the parts of the SQLite store without its timers: sealing is done when a test says so. */
export function openSealedStore(directory: string, { now, runsSealed }: SealedStoreOptions) {
  const options = { now, quickCheckBytesMax: 0 };
  const file = openFile(path.join(directory, "store.db"), options);
  const snapshots = new SnapshotKeeper(file);
  const sealer = new Sealer(file, runsSealed);
  return {
    file,
    snapshots,
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
      await file.close();
    },
  };
}

export type SealedStore = ReturnType<typeof openSealedStore>;
