/** Reads the blocks that a snapshot of a load test sees, or those of one of its sources. */

import type {
  DistributionColumns,
  OutcomeColumns,
  SumColumns,
} from "../../../model/data-points.ts";
import { UserError } from "../../../model/errors.ts";
import type { Endpoint, LoadTest } from "../../../model/load-test.ts";
import { mergeOutcomeSeries, mergeSeries, mergeSums } from "../../../model/merge-points.ts";
import type { SecondRange } from "../../../model/second-range.ts";
import {
  type ColumnRange,
  type SumPart,
  joinSeries,
  joinSums,
  partOfRange,
  withinRange,
} from "../../join-series.ts";
import { failuresOf, usersOf } from "../../stored-details.ts";
import { measureIndexOf, measuresOf, wholeMinutes } from "../../stored-measures.ts";
import { GC_GRACE_MS, type BlockRow } from "./block-rows.ts";
import type { SqliteFile } from "../file.ts";
import type { FoundBlocks } from "./found-blocks.ts";
import type { SegmentCache } from "./segment-cache.ts";
import type { PointDetail, Readings } from "../../snapshot.ts";
import { Yielder } from "../../../concurrency/yielder.ts";
import { sliceSeries } from "../../series.ts";

const LABELS_LISTED = 3;

export interface BlockPlace {
  readonly file: SqliteFile;
  readonly cache: SegmentCache;
  readonly loadTest: LoadTest;
}

/** `blocks` is called on the first read. */
export function openBlockReading(
  { file, cache, loadTest }: BlockPlace,
  blocks: () => Promise<FoundBlocks>,
): Readings {
  /** Reads part of a block. Errors name what is affected. */
  function attempt<Result>(row: BlockRow, labels: readonly string[], work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (!file.reading.blocks.has(row.number)) throw tookTooLong(loadTest);
      throw describeDamage(error, loadTest, labels, row);
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
    const ranges = rows.map((row) =>
      attempt(row, [label], () => withinRange(seriesIn(cache, row, number), range)),
    );
    return mergeSeries([joinSeries(ranges)]);
  }

  function outcomesOf(
    rows: readonly BlockRow[],
    { number, label }: Endpoint,
    range: SecondRange,
  ): OutcomeColumns {
    return mergeOutcomeSeries(
      rows.map((row) =>
        attempt(row, [label], () => {
          const { columns, from, until } = withinRange(outcomesIn(cache, row, number), range);
          return sliceSeries(columns, from, until);
        }),
      ),
    );
  }

  async function* read(
    endpoints: readonly Endpoint[],
    range: SecondRange,
    detail: PointDetail,
  ): AsyncGenerator<never> {
    const found = await blocks();
    const columnsOf = { sums: sumsOf, distribution: seriesOf, outcomes: outcomesOf }[detail];
    for (const endpoint of endpoints) {
      const columns = columnsOf(found.points(endpoint.number, range), endpoint, range);
      // The return type of `read` depends on `detail`, which one implementation cannot express.
      yield { endpoint, columns } as never;
    }
  }

  return {
    read,
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
    async measureIndex() {
      const rows = (await blocks()).measures();
      const yielder = new Yielder();
      const parts = [];
      for (const row of rows) {
        const { series, unstored } = attempt(row, [], () => cache.measures(row));
        parts.push({ series, unstored });
        await yielder.pass();
      }
      return measureIndexOf(parts);
    },
    async *measures(series, range) {
      const rows = (await blocks()).measures(wholeMinutes(range));
      const yielder = new Yielder();
      const parts = [];
      for (const row of rows) {
        const part = attempt(row, [], () => cache.measures(row));
        // Opened again where it is read: all together may be large.
        const table = (number: number) => attempt(row, [], () => cache.measures(row).table(number));
        parts.push({ series: part.series, unstored: part.unstored, table });
        await yielder.pass();
      }
      for (const table of measuresOf(parts, series, range)) {
        yield table;
        await yielder.pass();
      }
    },
  };
}

/** Returns the points in the range. Only blocks that extend beyond it have to be decoded. */
function partIn(cache: SegmentCache, row: BlockRow, endpoint: number, range: SecondRange): SumPart {
  const plain = cache.plain(row);
  const isWithin = row.first_second >= range.from && row.last_second < range.until;
  if (isWithin) return plain.part(endpoint) ?? missing(endpoint);
  return partOfRange(withinRange(plain.rangeOf(endpoint) ?? missing(endpoint), range));
}

function seriesIn(
  cache: SegmentCache,
  row: BlockRow,
  endpoint: number,
): ColumnRange<SumColumns & DistributionColumns> {
  const { plain, distribution } = cache.both(row);
  const sums = plain.rangeOf(endpoint) ?? missing(endpoint);
  const rest = distribution.rangeOf(endpoint) ?? missing(endpoint);
  return { ...sums, columns: { ...sums.columns, ...rest.columns } };
}

function outcomesIn(
  cache: SegmentCache,
  row: BlockRow,
  endpoint: number,
): ColumnRange<OutcomeColumns> {
  const { columns, ...range } = seriesIn(cache, row, endpoint);
  const outcomes = cache.both(row).distribution.outcomesOf(endpoint);
  return { ...range, columns: outcomes === undefined ? columns : { ...columns, outcomes } };
}

/** Another process has removed the block meanwhile. */
export function tookTooLong({ id }: LoadTest): UserError {
  const seconds = GC_GRACE_MS / 1000;
  return new UserError("busy", `load test "${id}" was not read for ${seconds} s: restart the read`);
}

function missing(endpoint: number): never {
  throw new UserError("damaged-store", `endpoint ${endpoint} is not in it`);
}

/** Describes what damaged bytes affect: the load test, its endpoints and the minutes. */
/** Returns the error to throw instead of `error`, which occurred while a block was read. */
export function describeDamage(
  error: unknown,
  loadTest: Pick<LoadTest, "id">,
  labels: readonly string[],
  block: Pick<BlockRow, "number" | "kind" | "first_second" | "last_second">,
): unknown {
  // A `RangeError` means that the checksum matches but the bytes cannot be decoded.
  const isDamage = error instanceof UserError || error instanceof RangeError;
  if (!isDamage || (error instanceof UserError && error.code !== "damaged-store")) return error;
  const of = block.kind === "points" ? "" : `${block.kind} of `;
  const whose = labels.length === 0 ? "" : `${endpointsNamed(labels)}, `;
  const affected = `${of}${whose}${minutesOf(block)}`;
  return new UserError(
    "damaged-store",
    `cannot read load test "${loadTest.id}", ${affected}: block ${block.number}: ${error.message}`,
    { cause: error },
  );
}

function endpointsNamed(labels: readonly string[]): string {
  const named = labels.slice(0, LABELS_LISTED).map((label) => JSON.stringify(label));
  const more = labels.length - named.length;
  const list = named.join(", ") + (more > 0 ? ` and ${more} more` : "");
  return labels.length === 1 ? `endpoint ${list}` : `endpoints ${list}`;
}

function minutesOf({
  first_second,
  last_second,
}: Pick<BlockRow, "first_second" | "last_second">): string {
  const [from, until] = [minuteOf(first_second), minuteOf(last_second)];
  return from === until ? `minute ${from}` : `minutes ${from} to ${until}`;
}

function minuteOf(second: number): string {
  return `${new Date(second * 1000).toISOString().slice(0, 16)}Z`;
}
