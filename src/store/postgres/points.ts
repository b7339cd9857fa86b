/** Writes points to PostgreSQL exactly once and opens snapshots of them. */

import { UserError } from "../../model/errors.ts";
import { unknownLoadTest } from "../../model/load-test.ts";
import type { LiveSource, PublishedSource } from "../snapshot.ts";
import type { PointBatch, Points, StoredFigures, StoreScope } from "../store.ts";
import { sizeOfSet } from "../block/endpoint-set.ts";
import { requireLabelRoom } from "../sqlite/endpoints/label-room.ts";
import type { LoadTestRow } from "../sqlite/catalogue/load-test-rows.ts";
import type { SourceRow } from "../sqlite/catalogue/source-rows.ts";
import { EMPTY_TALLY } from "../sqlite/catalogue/tally.ts";
import {
  type AddedBatch,
  appendBatch,
  appendedOf,
  discardSource,
  publishSource,
  releasePrepared,
  withdrawSource,
} from "../sqlite/points.ts";
import { type PreparedBatch, prepareNumbered } from "../sqlite/prepare-batch.ts";
import type { PostgresCompactor } from "./compactor.ts";
import {
  IN_SCOPE,
  IS_LOAD_TEST,
  keyOf,
  LOAD_TEST,
  type LoadTestKey,
  loadTestIn,
  scopeKey,
} from "./load-test-table.ts";
import { revisionText, type Snapshots } from "./snapshots.ts";
import { IS_VISIBLE, SOURCE_COLUMNS, sourceOf } from "./source-rows.ts";
import { asksForMore, changeLoadTest, type PostgresParts } from "./writes.ts";

/** Batches stored in one transaction. */
const BATCHES_AT_ONCE = 32;

interface Waiting {
  readonly prepared: PreparedBatch;
  /** Of connections when its labels were numbered: see `Labels`. */
  readonly losses: number;
  readonly settle: (stored: Settled) => void;
}

type Settled =
  | { readonly added: AddedBatch | undefined }
  | { readonly error: unknown }
  /** Its labels may have other numbers by now. */
  | "outdated";

interface Dependencies {
  readonly snapshots: Snapshots;
  readonly compactor: PostgresCompactor;
  readonly figures: StoredFigures;
  readonly queues: BatchQueues;
}

/** Batches by number of the load test, whose row they lock one after the other. */
type BatchQueues = Map<number, Waiting[]>;

export function openPoints(
  parts: PostgresParts,
  scope: StoreScope,
  { snapshots, compactor, figures, queues }: Dependencies,
): Points {
  const { database, labels } = parts;
  const keyIn = (id: string): LoadTestKey => ({ scope, id });

  async function rowOf(id: string): Promise<LoadTestRow> {
    const [found] = await database.read(
      `SELECT ${LOAD_TEST} FROM load_tests WHERE ${IS_LOAD_TEST}`,
      keyOf(keyIn(id)),
    );
    if (found === undefined) throw unknownLoadTest(id);
    return loadTestIn(found).row;
  }

  /** Checks the limit before labels are numbered. */
  async function requireRoomAhead(
    row: LoadTestRow,
    batch: PointBatch,
    added: readonly string[],
  ): Promise<void> {
    // Staged labels count, too; without any, this is the most there can be.
    if (row.endpoints + added.length <= parts.labelLimit.max && batch.visibility === "live") return;
    await labels.catchUp(row.number);
    const all = await sourcesOf(row.id, false);
    const own = all.find(({ id }) => id === batch.sourceId && batch.visibility === "staged");
    const { endpoints } = own?.tally ?? EMPTY_TALLY;
    const known = labels.known(row.number);
    const target = { labelLimit: parts.labelLimit, reading: { endpoints: { known: () => known } } };
    requireLabelRoom(target, row, {
      atMost: row.endpoints + sizeOfSet(endpoints) + added.length,
      before: () => [...all.filter(isVisible).map(({ tally }) => tally.endpoints), endpoints],
      added,
      order: batch.labels,
    });
  }

  async function sourcesOf(id: string, onlyVisible: boolean) {
    const rows = await database.read(
      `SELECT ${SOURCE_COLUMNS} FROM sources
       WHERE load_test = (SELECT number FROM load_tests WHERE ${IS_LOAD_TEST})
         ${onlyVisible ? `AND ${IS_VISIBLE}` : ""} ORDER BY number`,
      keyOf(keyIn(id)),
    );
    return rows.map(sourceOf);
  }

  /** Stores what waits for a load test, batch by batch, many in one transaction. */
  async function storeWaiting({ id, number }: LoadTestRow, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) {
      const some = waiting.splice(0, BATCHES_AT_ONCE);
      let settled: readonly Settled[];
      try {
        settled = await storeTogether(id, some);
      } catch (error) {
        settled = some.map(() => ({ error }));
      }
      for (const [at, { settle }] of some.entries()) settle(settled[at] as Settled);
    }
    queues.delete(number);
  }

  function storeTogether(id: string, some: readonly Waiting[]): Promise<readonly Settled[]> {
    const batches = some.map(({ prepared }) => prepared);
    const wanted = {
      sourceIds: [...new Set(batches.map(({ batch }) => batch.sourceId))],
      sequences: [...new Set(batches.map(({ batch }) => batch.sequence))],
      numbers: batches.reduce((sum, { blocks }) => sum + blocks.length + 1, 0),
    };
    return changeLoadTest(parts, keyIn(id), wanted, (target) =>
      some.map(({ prepared, losses }): Settled => {
        if (losses !== database.losses) return "outdated";
        if (target === undefined) return { error: unknownLoadTest(id) };
        try {
          return { added: target.attempt(() => appendBatch(target, prepared)) };
        } catch (error) {
          if (asksForMore(error) || !(error instanceof UserError)) throw error;
          return { error };
        }
      }),
    );
  }

  return {
    figures,
    async append(batch) {
      const { losses } = database;
      const row = await rowOf(batch.loadTestId);
      const prepared = await prepareNumbered(batch, {
        loadTest: row.number,
        numbering: labels.numberingOf(row, (added) => requireRoomAhead(row, batch, added)),
        roomForMeasures: (measures) => labels.roomForMeasures(row, measures),
      });
      const settled = await new Promise<Settled>((settle) => {
        const queue = queues.get(row.number);
        if (queue !== undefined) queue.push({ prepared, losses, settle });
        else {
          const waiting: Waiting[] = [{ prepared, losses, settle }];
          queues.set(row.number, waiting);
          void storeWaiting(row, waiting);
        }
      });
      if (settled === "outdated") return this.append(batch);
      if ("error" in settled) throw settled.error;
      releasePrepared(prepared);
      const { added } = settled;
      if (added?.change !== undefined) compactor.noteBatch(added.source);
      return appendedOf(prepared, added, (revision) => revisionText(parts, row, revision));
    },
    async sources(loadTestId) {
      return (await sourcesOf(loadTestId, true)).flatMap((source) =>
        publishedIn(source, loadTestId),
      );
    },
    async findContent({ digest, sizeBytes }) {
      const rows = await database.read(
        `SELECT sources.*, load_tests.id AS load_test_id FROM sources
         JOIN load_tests ON load_tests.number = load_test
         WHERE ${IN_SCOPE} AND digest = $3 AND size_bytes = $4 ORDER BY sources.number`,
        [...scopeKey(scope), digest, sizeBytes],
      );
      return rows.flatMap((row) => publishedIn(sourceOf(row), String(row["load_test_id"])));
    },
    async liveSources(loadTestId) {
      return (await sourcesOf(loadTestId, true)).flatMap(
        ({ id, visibility, isWithdrawn, lastSequence, quality }): readonly LiveSource[] =>
          visibility === "live" && !isWithdrawn && lastSequence !== undefined
            ? [{ sourceId: id, lastSequence, ...(quality && { quality }) }]
            : [],
      );
    },
    async publish(source, replaces = [], batches) {
      const wanted = { sourceIds: [source.sourceId, ...replaces], numbers: 1, all: true };
      let attempts = 0;
      const shown = await changeLoadTest(parts, keyIn(source.loadTestId), wanted, (target) => {
        if (target === undefined) throw unknownLoadTest(source.loadTestId);
        attempts += 1;
        const staged = target.source(source.sourceId);
        // The attempt before, of which no answer came, has published it.
        if (attempts > 1 && staged?.published?.digest === source.digest) return staged;
        return publishSource(target, target.row, source, { replaces, batches });
      });
      if (shown !== undefined) await compactor.mergePublished(shown);
      return { duplicate: shown === undefined };
    },
    discard: (loadTestId, sourceId) =>
      changeLoadTest(parts, keyIn(loadTestId), { sourceIds: [sourceId], numbers: 0 }, (target) => {
        if (target !== undefined) discardSource(target, target.row, sourceId);
      }),
    withdraw: (loadTestId, sourceId) =>
      changeLoadTest(
        parts,
        keyIn(loadTestId),
        { sourceIds: [sourceId], numbers: 0, all: true },
        (target) => {
          if (target !== undefined) withdrawSource(target, target.row, sourceId);
        },
      ),
    async downsample(loadTestId) {
      return compactor.downsample(await rowOf(loadTestId));
    },
    snapshot: (loadTestId) => snapshots.open(keyIn(loadTestId)),
    snapshotBySource: (loadTestId) => snapshots.openBySource(keyIn(loadTestId)),
  };
}

function publishedIn(
  { id, published }: Pick<SourceRow, "id" | "published">,
  loadTestId: string,
): readonly PublishedSource[] {
  return published === undefined ? [] : [{ loadTestId, sourceId: id, ...published }];
}

function isVisible({ visibility, published }: SourceRow): boolean {
  return visibility === "live" || published !== undefined;
}
