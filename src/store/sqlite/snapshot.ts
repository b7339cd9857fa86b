/** Reading one load test as it was at one revision. */

import type { DistributionColumns, SumColumns } from "../../model/data-points.ts";
import { UserError } from "../../model/errors.ts";
import { compareLabels } from "../../model/label.ts";
import type { Endpoint, LoadTest } from "../../model/load-test.ts";
import { mergeSeries, mergeSums } from "../../model/merge-points.ts";
import type { SecondRange } from "../../model/second-range.ts";
import { failuresOf } from "../stored-failures.ts";
import { indexesOf, sliceDistribution, sliceSums } from "../series.ts";
import type { Snapshot } from "../store.ts";
import type { BlockRow } from "./block-rows.ts";
import { BURIAL_DELAY_MS } from "./burial.ts";
import { describeDamage } from "./damage.ts";
import { endpointsIn, setHas, uniteSets } from "./endpoint-set.ts";
import type { SqliteFile } from "./file.ts";
import type { LoadTestRow } from "./load-test-rows.ts";
import { groupOf } from "./numbered-points.ts";
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
  let listed: VisibleBlocks | undefined;
  let released = false;

  function blocks(): VisibleBlocks {
    listed ??= listBlocks(file, start, openedAtMs);
    return listed;
  }

  async function* read(
    endpoints: readonly Endpoint[],
    range: SecondRange,
    detail: "sums" | "distribution",
  ): AsyncGenerator<never> {
    for (const endpoint of endpoints) {
      const rows = blocks().of(endpoint.number, range);
      const parts = rows.map((row) => {
        try {
          return detail === "sums"
            ? readSums(cache, row, endpoint.number, range)
            : readSeries(cache, row, endpoint.number, range);
        } catch (error) {
          throw describeDamage(error, start.loadTest, [endpoint.label], row);
        }
      });
      const columns =
        detail === "sums"
          ? mergeSums(parts)
          : mergeSeries(parts as (SumColumns & DistributionColumns)[]);
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
      const found = file.reading.endpoints
        .list(start.row.number)
        .filter(({ number }) => visible.has(number));
      if (found.length !== visible.size) {
        throw damaged(start.loadTest, `${visible.size - found.length} labels are missing`);
      }
      return found.toSorted((left, right) => compareLabels(left.label, right.label));
    },
    async *failures(endpoints, range) {
      for (const endpoint of endpoints) yield failuresOf([], endpoint, range);
    },
    async *users() {},
    release() {
      if (!released) start.release();
      released = true;
    },
  };
}

/** The blocks of one snapshot, found by endpoint. */
interface VisibleBlocks {
  /** Numbers of all endpoints with a point, ascending. */
  endpoints(): readonly number[];
  /** The blocks that may hold points of the endpoint in the range. */
  of(endpoint: number, range: SecondRange): readonly BlockRow[];
}

function listBlocks(file: SqliteFile, start: SnapshotStart, openedAtMs: number): VisibleBlocks {
  const { loadTest, row } = start;
  if (file.now() - openedAtMs >= BURIAL_DELAY_MS) {
    throw new UserError("busy", `the snapshot of load test "${loadTest.id}" was left unread`);
  }
  const rows = file.reading.blocks.visible(row.number, start.revision);
  if (rows.length !== row.blocks) {
    throw damaged(loadTest, `${rows.length} blocks are visible, ${row.blocks} were stored`);
  }
  const byGroup = Map.groupBy(rows, (block) => block.endpoint_group);
  const mixed = byGroup.get(null) ?? [];
  return {
    endpoints: () => endpointsIn(uniteSets(rows.map(({ endpoints }) => endpoints))),
    of: (endpoint, range) =>
      [...(byGroup.get(groupOf(endpoint)) ?? []), ...mixed].filter(
        ({ endpoints, first_second, last_second }) =>
          first_second < range.until && last_second >= range.from && setHas(endpoints, endpoint),
      ),
  };
}

function readSums(
  cache: SegmentCache,
  row: BlockRow,
  endpoint: number,
  range: SecondRange,
): SumColumns {
  const sums = cache.plain(row).series(endpoint) ?? missing(endpoint);
  const { from, until } = indexesOf(sums.second, range);
  return from === 0 && until === sums.second.length ? sums : sliceSums(sums, from, until);
}

function readSeries(
  cache: SegmentCache,
  row: BlockRow,
  endpoint: number,
  range: SecondRange,
): SumColumns & DistributionColumns {
  const { plain, distribution } = cache.both(row);
  const sums = plain.series(endpoint) ?? missing(endpoint);
  const rest = distribution.series(endpoint) ?? missing(endpoint);
  const { from, until } = indexesOf(sums.second, range);
  if (from === 0 && until === sums.second.length) return { ...sums, ...rest };
  return { ...sliceSums(sums, from, until), ...sliceDistribution(rest, from, until) };
}

function missing(endpoint: number): never {
  throw new UserError("damaged-store", `endpoint ${endpoint} is not in it`);
}

function damaged(loadTest: LoadTest, why: string): UserError {
  return new UserError("damaged-store", `cannot read load test "${loadTest.id}": ${why}`);
}
