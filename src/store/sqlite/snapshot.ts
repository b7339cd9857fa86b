/** Reading one load test as it was at one revision. */

import type { DistributionColumns, SumColumns } from "../../model/data-points.ts";
import { UserError } from "../../model/errors.ts";
import { compareLabels } from "../../model/label.ts";
import type { Endpoint, LoadTest } from "../../model/load-test.ts";
import { mergeSeries, mergeSums } from "../../model/merge-points.ts";
import type { SecondRange } from "../../model/second-range.ts";
import { failuresOf } from "../stored-failures.ts";
import { endpointOf } from "../stored-roles.ts";
import { usersOf } from "../stored-users.ts";
import { joinSeries, joinSums, type StretchOf, withinRange } from "../join-series.ts";
import type { Snapshot } from "../store.ts";
import type { BlockRow } from "./block-rows.ts";
import { BURIAL_DELAY_MS } from "./burial.ts";
import { describeDamage } from "./damage.ts";
import type { SqliteFile } from "./file.ts";
import { findBlocks, type FoundBlocks } from "./found-blocks.ts";
import type { LoadTestRow } from "./load-test-rows.ts";
import type { SegmentCache } from "./segment-cache.ts";

export interface SnapshotStart {
  readonly row: LoadTestRow;
  readonly loadTest: LoadTest;
  /** The store's revision: what is read. */
  readonly revision: number;
  /** What readers get to tell states of the load test apart. */
  readonly revisionText: string;
  readonly release: () => void;
}

/** Nothing is read before it is asked for: an unchanged answer needs only the revision. */
export function openSqliteSnapshot(
  file: SqliteFile,
  cache: SegmentCache,
  start: SnapshotStart,
): Snapshot {
  const openedAtMs = file.now();
  let listed: FoundBlocks | undefined;
  let released = false;

  function blocks(): FoundBlocks {
    listed ??= listBlocks(file, start, openedAtMs);
    return listed;
  }

  function readEach<Part>(
    rows: readonly BlockRow[],
    labels: readonly string[],
    readOne: (row: BlockRow) => Part,
  ): Part[] {
    return rows.map((row) => {
      try {
        return readOne(row);
      } catch (error) {
        if (!file.reading.blocks.has(row.number)) throw tookTooLong(start.loadTest);
        throw describeDamage(error, start.loadTest, labels, row);
      }
    });
  }

  async function* read(
    endpoints: readonly Endpoint[],
    range: SecondRange,
    detail: "sums" | "distribution",
  ): AsyncGenerator<never> {
    for (const endpoint of endpoints) {
      const rows = blocks().points(endpoint.number, range);
      const stretches = <Columns extends SumColumns>(find: FindStretch<Columns>) =>
        readEach(rows, [endpoint.label], (row) =>
          withinRange(find(cache, row, endpoint.number), range),
        );
      const columns =
        detail === "sums"
          ? mergeSums([joinSums(stretches(sumsIn))])
          : mergeSeries([joinSeries(stretches(seriesIn))]);
      // The overloads of `read` promise what `detail` chooses; one body cannot say so in types.
      yield { endpoint, columns } as never;
    }
  }

  return {
    loadTest: start.loadTest,
    revision: start.revisionText,
    read,
    async endpoints() {
      const visible = new Set(blocks().endpoints());
      const roles = blocks().roles();
      const found = file.reading.endpoints
        .list(start.row.number)
        .filter(({ number }) => visible.has(number));
      if (found.length !== visible.size) {
        throw damaged(start.loadTest, `${visible.size - found.length} labels are missing`);
      }
      return found
        .map((endpoint) => endpointOf(endpoint, roles))
        .toSorted((left, right) => compareLabels(left.label, right.label));
    },
    async *failures(endpoints, range) {
      for (const endpoint of endpoints) {
        const rows = blocks().failures(endpoint.number, range);
        const tables = readEach(rows, [endpoint.label], (row) => cache.failures(row));
        yield failuresOf(tables, endpoint, range);
      }
    },
    async *users(range) {
      const parts = readEach(blocks().users(range), [], (row) => cache.users(row));
      yield* usersOf(parts.flat(), range);
    },
    release() {
      if (!released) start.release();
      released = true;
    },
  };
}

function listBlocks(file: SqliteFile, start: SnapshotStart, openedAtMs: number): FoundBlocks {
  const { loadTest, row } = start;
  if (file.now() - openedAtMs >= BURIAL_DELAY_MS) {
    throw tookTooLong(loadTest);
  }
  const rows = file.reading.blocks.visible(row.number, start.revision);
  if (rows.length !== row.blocks) {
    throw damaged(loadTest, `${rows.length} blocks are visible, ${row.blocks} were stored`);
  }
  return findBlocks(rows);
}

type FindStretch<Columns> = (
  cache: SegmentCache,
  row: BlockRow,
  endpoint: number,
) => StretchOf<Columns>;

function sumsIn(cache: SegmentCache, row: BlockRow, endpoint: number): StretchOf<SumColumns> {
  return cache.plain(row).stretch(endpoint) ?? missing(endpoint);
}

function seriesIn(
  cache: SegmentCache,
  row: BlockRow,
  endpoint: number,
): StretchOf<SumColumns & DistributionColumns> {
  const { plain, distribution } = cache.both(row);
  const sums = plain.stretch(endpoint) ?? missing(endpoint);
  const rest = distribution.stretch(endpoint) ?? missing(endpoint);
  return { ...sums, columns: { ...sums.columns, ...rest.columns } };
}

/** What was read is not in the file any more: another process has buried it meanwhile. */
function tookTooLong({ id }: LoadTest): UserError {
  const seconds = BURIAL_DELAY_MS / 1000;
  return new UserError("busy", `load test "${id}" was left unread for ${seconds} s: read it again`);
}

function missing(endpoint: number): never {
  throw new UserError("damaged-store", `endpoint ${endpoint} is not in it`);
}

function damaged(loadTest: LoadTest, why: string): UserError {
  return new UserError("damaged-store", `cannot read load test "${loadTest.id}": ${why}`);
}
