/** Reading one load test as it was at one revision. */

import type { DistributionColumns, SumColumns } from "../../model/data-points.ts";
import { UserError } from "../../model/errors.ts";
import type { Endpoint, LoadTest } from "../../model/load-test.ts";
import { mergeSeries, mergeSums } from "../../model/merge-points.ts";
import type { SecondRange } from "../../model/second-range.ts";
import { failuresOf } from "../stored-failures.ts";
import { endpointOf } from "../stored-roles.ts";
import { usersOf } from "../stored-users.ts";
import {
  joinSeries,
  joinSums,
  partOfStretch,
  type StretchOf,
  type SumPart,
  withinRange,
} from "../join-series.ts";
import type { Snapshot } from "../store.ts";
import type { BlockLists } from "./block-lists.ts";
import type { BlockRow } from "./block-rows.ts";
import { BURIAL_DELAY_MS } from "./burial.ts";
import type { EndpointLists } from "./endpoint-lists.ts";
import { describeDamage } from "./damage.ts";
import type { SqliteFile } from "./file.ts";
import { findBlocks, type FoundBlocks } from "./found-blocks.ts";
import type { LoadTestRow } from "./load-test-rows.ts";
import type { SegmentCache } from "./segment-cache.ts";
import { Turns } from "./turns.ts";

export interface SnapshotStart {
  readonly row: LoadTestRow;
  readonly loadTest: LoadTest;
  /** The store's revision: what is read. */
  readonly revision: number;
  /** What readers get to tell states of the load test apart. */
  readonly revisionText: string;
  readonly release: () => void;
}

/** What the snapshots of a process keep of what they read, for each other. */
export interface KeptReadings {
  readonly segments: SegmentCache;
  readonly endpointLists: EndpointLists;
  readonly blockLists: BlockLists;
}

/** Nothing is read before it is asked for: an unchanged answer needs only the revision. */
export function openSqliteSnapshot(
  file: SqliteFile,
  { segments: cache, endpointLists, blockLists }: KeptReadings,
  start: SnapshotStart,
): Snapshot {
  const openedAtMs = file.now();
  let listed: Promise<FoundBlocks> | undefined;
  let released = false;

  function blocks(): Promise<FoundBlocks> {
    const { row, revision } = start;
    listed ??= blockLists.get(row.number, revision, () => listBlocks(file, start, openedAtMs));
    return listed;
  }

  /** Reads something of a block, and says what is affected where that cannot be done. */
  function attempt<Result>(row: BlockRow, labels: readonly string[], work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (!file.reading.blocks.has(row.number)) throw tookTooLong(start.loadTest);
      throw describeDamage(error, start.loadTest, labels, row);
    }
  }

  function sumsOf(
    rows: readonly BlockRow[],
    { number, label }: Endpoint,
    range: SecondRange,
  ): SumColumns {
    const parts = rows.map((row): SumPart => {
      const part = attempt(row, [label], () => partIn(cache, row, number, range));
      return { ...part, putInto: (place) => attempt(row, [label], () => part.putInto(place)) };
    });
    return mergeSums([joinSums(parts)]);
  }

  function seriesOf(
    rows: readonly BlockRow[],
    { number, label }: Endpoint,
    range: SecondRange,
  ): SumColumns & DistributionColumns {
    const stretches = rows.map((row) =>
      attempt(row, [label], () => withinRange(seriesIn(cache, row, number), range)),
    );
    return mergeSeries([joinSeries(stretches)]);
  }

  async function* read(
    endpoints: readonly Endpoint[],
    range: SecondRange,
    detail: "sums" | "distribution",
  ): AsyncGenerator<never> {
    const found = await blocks();
    const columnsOf = detail === "sums" ? sumsOf : seriesOf;
    for (const endpoint of endpoints) {
      const columns = columnsOf(found.points(endpoint.number, range), endpoint, range);
      // The overloads of `read` promise what `detail` chooses; one body cannot say so in types.
      yield { endpoint, columns } as never;
    }
  }

  return {
    loadTest: start.loadTest,
    revision: start.revisionText,
    read,
    async endpoints() {
      const turns = new Turns();
      const found = await blocks();
      const visible = found.endpoints();
      await turns.pass();
      const roles = found.roles();
      await turns.pass();
      const labelled = (await endpointLists.sorted(start.row.number)).filter(({ number }) =>
        visible.has(number),
      );
      if (labelled.length !== visible.size) {
        throw damaged(start.loadTest, `${visible.size - labelled.length} labels are missing`);
      }
      return roles.size === 0 ? labelled : labelled.map((endpoint) => endpointOf(endpoint, roles));
    },
    async *failures(endpoints, range) {
      const found = await blocks();
      for (const endpoint of endpoints) {
        const rows = found.failures(endpoint.number, range);
        const tables = rows.map((row) => attempt(row, [endpoint.label], () => cache.failures(row)));
        yield failuresOf(tables, endpoint, range);
      }
    },
    async *users(range) {
      const rows = (await blocks()).users(range);
      const parts = rows.flatMap((row) => attempt(row, [], () => cache.users(row)));
      yield* usersOf(parts, range);
    },
    release() {
      if (!released) start.release();
      released = true;
    },
  };
}

/** Read at a time: some milliseconds. */
const BLOCKS_AT_ONCE = 512;

async function listBlocks(
  file: SqliteFile,
  start: SnapshotStart,
  openedAtMs: number,
): Promise<FoundBlocks> {
  const { loadTest, row, revision } = start;
  const turns = new Turns();
  const rows: BlockRow[] = [];
  for (;;) {
    if (file.now() - openedAtMs >= BURIAL_DELAY_MS) throw tookTooLong(loadTest);
    const behind = rows.at(-1)?.number ?? 0;
    const page = file.reading.blocks.visible(row.number, revision, {
      behind,
      rows: BLOCKS_AT_ONCE,
    });
    rows.push(...page);
    if (page.length < BLOCKS_AT_ONCE) break;
    await turns.pass();
  }
  if (rows.length !== row.blocks) {
    throw damaged(loadTest, `${rows.length} blocks are visible, ${row.blocks} were stored`);
  }
  return findBlocks(rows);
}

/** The points in the range. Only a block that reaches beyond it has to be decoded to tell them. */
function partIn(cache: SegmentCache, row: BlockRow, endpoint: number, range: SecondRange): SumPart {
  const plain = cache.plain(row);
  const isWithin = row.first_second >= range.from && row.last_second < range.until;
  if (isWithin) return plain.part(endpoint) ?? missing(endpoint);
  return partOfStretch(withinRange(plain.stretch(endpoint) ?? missing(endpoint), range));
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
