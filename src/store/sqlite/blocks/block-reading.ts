/** Reads the blocks that a snapshot of a load test sees, or those of one of its sources. */

import type { OutcomeColumns, SeriesColumns, SumColumns } from "../../../model/data-points.ts";
import { UserError } from "../../../model/errors.ts";
import type { Endpoint } from "../../../model/load-test.ts";
import {
  ALL_SECONDS,
  chunksOf,
  type SecondRange,
  type SumRoom,
  viewSeries,
} from "../../../model/columns.ts";
import { mergeOutcomeSeries, mergeSeries, mergeSums } from "../../../model/merge-points.ts";
import {
  type ColumnRange,
  type SumPart,
  joinSeries,
  joinSums,
  partOfRange,
  withinRange,
} from "../../join-series.ts";
import {
  failuresOf,
  usersOf,
  measureIndexOf,
  measuresOf,
  wholeMinutes,
} from "../../stored-details.ts";
import type { BlockRow } from "./block-rows.ts";
import type { FoundBlocks } from "./found-blocks.ts";
import { attemptBlock, ROWS_AHEAD, withBlocks } from "./attempt-block.ts";
import type { MergedSeriesCache, MergePlan, ReadPlan } from "./merged-series.ts";
import { type BlockPlace, readTogether, scatteredBlocks } from "./read-together.ts";
import type { SegmentCache } from "./segment-cache.ts";
import type { PointDetail, Readings } from "../../snapshot.ts";
import { Yielder } from "../../../concurrency/yielder.ts";

interface Wanted {
  readonly range: SecondRange;
  readonly room?: SumRoom | undefined;
}

/** Blocks of an endpoint that are read in one step: small ones, of which there may be thousands, take some milliseconds. */
const BLOCKS_AT_ONCE = 16;

/** `blocks` is called on the first read. */
export function openBlockReading(place: BlockPlace, blocks: () => Promise<FoundBlocks>): Readings {
  const { cache, loading, merged } = place;
  const attempt = <Result>(row: BlockRow, labels: readonly string[], work: () => Result): Result =>
    attemptBlock({ ...place, row, labels: () => labels }, work);

  function sumsOf(
    rows: readonly BlockRow[],
    { number, label }: Endpoint,
    { range, room }: Wanted,
  ): SumColumns {
    const parts = rows.map((row): SumPart => {
      const part = attempt(row, [label], () => partIn(cache, row, number, range));
      return { ...part, putInto: (at) => attempt(row, [label], () => part.putInto(at)) };
    });
    return mergeSums([joinSums(parts, room)]);
  }

  function seriesOf(
    rows: readonly BlockRow[],
    { number, label }: Endpoint,
    { range }: Wanted,
  ): SeriesColumns {
    const ranges = rows.map((row) =>
      attempt(row, [label], () => withinRange(seriesIn(cache, row, number), range)),
    );
    return mergeSeries([joinSeries(ranges)]);
  }

  function outcomesOf(
    rows: readonly BlockRow[],
    { number, label }: Endpoint,
    { range }: Wanted,
  ): OutcomeColumns {
    return mergeOutcomeSeries(
      rows.map((row) =>
        attempt(row, [label], () => {
          const { columns, from, until } = withinRange(outcomesIn(cache, row, number), range);
          return viewSeries(columns, from, until);
        }),
      ),
    );
  }

  async function* read(
    endpoints: readonly Endpoint[],
    range: SecondRange,
    detail: PointDetail,
    room?: SumRoom,
  ): AsyncGenerator<never> {
    const found = await blocks();
    const columnsOf = { sums: sumsOf, distribution: seriesOf, outcomes: outcomesOf }[detail];
    const merge = MERGES[detail] as (parts: readonly SumColumns[]) => SumColumns;
    const scattered = scatteredBlocks(place, found, { range, endpoints: endpoints.length });
    if (scattered !== undefined) {
      for await (const { endpoint, columns } of readTogether(scattered, endpoints, detail)) {
        yield { endpoint, columns: columns ?? columnsOf([], endpoint, { range }) } as never;
      }
      return;
    }
    const yielder = new Yielder();
    for (const [at, endpoint] of endpoints.entries()) {
      const planOf = ({ number }: Endpoint) => planned(found, number, range, detail);
      if (loading !== undefined && at % ROWS_AHEAD === 0) {
        const next = endpoints.slice(at, at + ROWS_AHEAD).map(planOf);
        await loading.ahead(
          next.flatMap(({ plans, rest }) => [
            ...plans.flatMap(({ unmerged }) => unmerged),
            ...rest,
          ]),
        );
      }
      const plan = await mergeMore(() => planOf(endpoint), endpoint);
      const readSome = (rows: readonly BlockRow[], own?: SumRoom) =>
        columnsOf(rows, endpoint, { range, room: own });
      let parts = await partsOf(plan, readSome, { room, yielder });
      for (const { merged: known } of plan.plans) {
        const own = known === plan.plans.at(-1)?.merged ? room : undefined;
        if (known !== undefined) parts = [known.series.mergedWith(parts, range, detail, own)];
      }
      const columns = parts.length === 1 ? parts[0] : merge(parts);
      // The return type of `read` depends on `detail`, which one implementation cannot express.
      yield { endpoint, columns } as never;
    }
  }

  /** Points of the blocks that are not merged; one empty part if there are no points at all. */
  async function partsOf(
    { plans, rest }: ReadPlan,
    readSome: (rows: readonly BlockRow[], room?: SumRoom) => SumColumns,
    { room, yielder }: { readonly room: SumRoom | undefined; readonly yielder: Yielder },
  ): Promise<SumColumns[]> {
    const parts = [];
    if (plans.length === 0 && rest.length === 0) parts.push(readSome([]));
    const own = plans.length === 0 && rest.length <= BLOCKS_AT_ONCE ? room : undefined;
    for (const some of chunksOf(rest, BLOCKS_AT_ONCE)) {
      parts.push(await withBlocks(loading, some, () => readSome(some, own)));
      await yielder.pass();
    }
    return parts;
  }

  function planned(
    found: FoundBlocks,
    endpoint: number,
    range: SecondRange,
    detail: PointDetail,
  ): ReadPlan {
    return merged === undefined || detail === "outcomes"
      ? { plans: [], rest: found.points(endpoint, range) }
      : merged.plan(found.points(endpoint, ALL_SECONDS), endpoint, range);
  }

  /** Merges and keeps what the plan says. Returns what is left of it. */
  async function mergeMore(planNow: () => ReadPlan, endpoint: Endpoint): Promise<ReadPlan> {
    const { plans, rest } = planNow();
    if (merged === undefined) return { plans, rest };
    const done = [];
    for (const plan of plans) {
      const { stage, unmerged } = plan;
      if (unmerged.length === 0) done.push(plan);
      else if (stage === "live") done.push(await mergePlan(merged, plan, endpoint));
      else {
        // Another reader may have merged them by then.
        const merging = merged.merging.run(() => {
          const now = planNow().plans.find((own) => own.stage === stage) ?? plan;
          return mergePlan(merged, now, endpoint);
        });
        done.push(await merging);
      }
    }
    return { plans: done, rest };
  }

  async function mergePlan(
    into: MergedSeriesCache,
    plan: MergePlan,
    endpoint: Endpoint,
  ): Promise<MergePlan> {
    const { stage, merged: known, unmerged } = plan;
    if (unmerged.length === 0) return plan;
    const yielder = new Yielder();
    const parts: SeriesColumns[] = [];
    for (const some of chunksOf(unmerged, BLOCKS_AT_ONCE)) {
      const readSome = () => seriesOf(some, endpoint, { range: ALL_SECONDS });
      parts.push(await withBlocks(loading, some, readSome));
      await yielder.pass();
    }
    // Other endpoints of these blocks have been merged by now, too, so the blocks need not stay open.
    if (stage === "final") for (const number of known?.blocks ?? []) cache.forget(number);
    const series =
      known?.series.mergedWith(parts, ALL_SECONDS, "distribution") ?? mergeSeries(parts);
    return into.keep(plan, endpoint.number, series);
  }

  return {
    read,
    async *failures(endpoints, range) {
      const found = await blocks();
      for (const endpoint of endpoints) {
        const rows = found.failures(endpoint.number, range);
        const tables = await withBlocks(loading, rows, () =>
          rows.map((row) => attempt(row, [endpoint.label], () => cache.failures(row))),
        );
        yield failuresOf(tables, endpoint, range);
      }
    },
    async *users(range) {
      const rows = (await blocks()).users(range);
      const parts = await withBlocks(loading, rows, () =>
        rows.flatMap((row) => attempt(row, [], () => cache.users(row))),
      );
      yield* usersOf(parts, range);
    },
    async measureIndex() {
      const rows = (await blocks()).measures();
      const yielder = new Yielder();
      const parts = [];
      for (const row of rows) {
        const { series, unstored } = await withBlocks(loading, [row], () =>
          attempt(row, [], () => cache.measures(row)),
        );
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
        const part = await withBlocks(loading, [row], () =>
          attempt(row, [], () => cache.measures(row)),
        );
        // Opened again where it is read: all together may be large.
        const table = (number: number) => attempt(row, [], () => cache.measures(row).table(number));
        parts.push({ series: part.series, unstored: part.unstored, table });
        await yielder.pass();
      }
      const tables = measuresOf(parts, series, range);
      for (;;) {
        const { done = false, value } = await withBlocks(loading, rows, () => tables.next());
        if (done || value === undefined) return;
        yield value;
        await yielder.pass();
      }
    },
  };
}

const MERGES = {
  sums: mergeSums,
  distribution: mergeSeries,
  outcomes: mergeOutcomeSeries,
} as const;

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
): ColumnRange<SeriesColumns> {
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

function missing(endpoint: number): never {
  throw new UserError("damaged-store", `endpoint ${endpoint} is not in it`);
}
