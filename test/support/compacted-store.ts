import path from "node:path";
import { Background, checkpointsBeside } from "../../src/store/sqlite/compaction/background.ts";
import { openRunFigures } from "../../src/store/sqlite/catalogue/run-figures.ts";
import { openFile } from "../../src/store/sqlite/file.ts";
import { openLoadTests } from "../../src/store/sqlite/catalogue/load-tests.ts";
import { openPoints } from "../../src/store/sqlite/points.ts";
import { Compactor } from "../../src/store/sqlite/compaction/compactor.ts";
import { MergedSeriesCache } from "../../src/store/sqlite/blocks/merged-series.ts";
import { RunTotals } from "../../src/store/sqlite/compaction/run-totals.ts";
import { SnapshotKeeper } from "../../src/store/sqlite/snapshot-keeper.ts";
import { verifyFile } from "../../src/store/sqlite/verify.ts";

export interface CompactedStoreOptions {
  readonly now: () => number;
  readonly runsCompacted?: number;
  /** Whether a second thread merges and checkpoints, as in a server. @default false */
  readonly isBeside?: boolean;
  /** Pages of the log after which it checkpoints; overridden only by tests. */
  readonly logPages?: number;
}

/**
 * Opens the parts of the SQLite store without timers: compaction runs only when a test starts it.
 */
export function openCompactedStore(
  directory: string,
  { now, runsCompacted, isBeside = false, logPages }: CompactedStoreOptions,
) {
  const options = { now, quickCheckBytesMax: 0 };
  const file = openFile(path.join(directory, "store.db"), options);
  const background = new Background(file.path);
  const totals = new RunTotals((request) => background.totals(request));
  const merged = new MergedSeriesCache({ blocksMin: 2 });
  const snapshots = new SnapshotKeeper(file, isBeside ? totals : undefined, { small: 0, merged });
  const mergeBeside = isBeside ? background.merge.bind(background) : undefined;
  const compactor = new Compactor(file, { runsCompacted, mergeBeside });
  if (isBeside) file.queue.onChanges = (changes) => totals.note(changes);
  if (isBeside) file.queue.onCommit = checkpointsBeside(file.writer, background, logPages);
  return {
    file,
    snapshots,
    background,
    compactor,
    loadTests: openLoadTests(file, {}),
    points: openPoints(file, {}, { snapshots, compactor, figures: openRunFigures(file) }),
    verify: () => verifyFile(file, snapshots),
    /** Compacts everything that can be compacted. */
    async compact(): Promise<void> {
      compactor.sweep();
      await compactor.idle();
    },
    async close(): Promise<void> {
      await compactor.stop();
      await background.stop();
      await file.close();
    },
  };
}

export type CompactedStore = ReturnType<typeof openCompactedStore>;
