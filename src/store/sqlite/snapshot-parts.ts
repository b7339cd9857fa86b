/** What snapshots of a store file and of a database read alike. */

import { UserError } from "../../model/errors.ts";
import { compareLabels } from "../../model/label.ts";
import type { Endpoint, LoadTest } from "../../model/load-test.ts";
import { NumberSet } from "../../model/row-groups.ts";
import type { DataPoints } from "../../model/data-points.ts";
import { ALL_SECONDS, pickPoints, type SecondRange } from "../../model/columns.ts";
import { listedIndex } from "../listed-index.ts";
import {
  type EndpointIndex,
  pointDetail,
  type Readings,
  type ScanOrder,
  type ScannedDetail,
  type SourceReading,
  type VisibleSource,
} from "../snapshot.ts";
import { shownEndpoints } from "../stored-details.ts";
import { openBlockReading } from "./blocks/block-reading.ts";
import type { FoundBlocks } from "./blocks/found-blocks.ts";
import {
  areEvicted,
  type BlockPlace,
  scanTogether,
  scatteredBlocks,
} from "./blocks/read-together.ts";
import { addUp, isWithin, scanBlocks } from "./blocks/scan-blocks.ts";
import type { SourceRow } from "./catalogue/source-rows.ts";
import type { EndpointLists } from "./endpoints/endpoint-lists.ts";

export interface LabelledPlace extends BlockPlace {
  readonly endpointLists: EndpointLists;
  /** Of the load test. */
  readonly number: number;
  /** Sums of all points, if they were asked for and are known. */
  readonly totals?: () => Promise<readonly DataPoints[] | undefined> | undefined;
}

/** Opens the index of not very many endpoints; `reading` reads the same blocks. Throws `damaged-store`. */
export async function openIndex(
  place: LabelledPlace,
  found: FoundBlocks,
  reading: Readings,
): Promise<EndpointIndex> {
  const roles = found.roles();
  const listed = listedIndex(shownEndpoints(await endpointsIn(place, found), roles), reading);
  return {
    ...listed,
    async *scan(wanted: Uint32Array, range: SecondRange, detail: ScannedDetail, order?: ScanOrder) {
      const totals =
        detail === "totals" ? await totalsOf(place, found, { wanted, range }) : undefined;
      if (totals !== undefined) {
        yield* totals as Iterable<never>;
        return;
      }
      const rows = found.allPoints(range);
      const [own, all] = [pointDetail(detail), found.numbers().length];
      const isApart = areEvicted(place.cache, rows) && !(place.merged?.suits(rows) ?? false);
      if (order === "any" && 2 * wanted.length > all && isApart) {
        const some = wanted.length === all ? undefined : await listed.named(wanted);
        yield* scanBlocks({ ...place, rows, range }, some, own) as AsyncIterable<never>;
        return;
      }
      const scattered = scatteredBlocks(place, found, { range, endpoints: wanted.length });
      // `detail` determines the columns.
      yield* (
        scattered === undefined
          ? listed.scan(wanted, range, detail as "sums")
          : scanTogether(scattered, await listed.named(wanted), own)
      ) as AsyncIterable<never>;
    },
  };
}

/** Returns the sums of the selected endpoints if they are known or all of them are; `undefined` if points must be read by endpoint. */
async function totalsOf(
  { totals, ...place }: LabelledPlace,
  found: FoundBlocks,
  { wanted, range }: { readonly wanted: Uint32Array; readonly range: SecondRange },
): Promise<Iterable<DataPoints> | undefined> {
  const rows = found.allPoints(range);
  const isAll = wanted.length === found.numbers().length;
  const isWhole = found.allPoints(ALL_SECONDS).every((row) => isWithin(row, range));
  const known = isWhole ? await totals?.() : undefined;
  if (known !== undefined) return isAll ? known : selected(known, new NumberSet(wanted));
  if (!isAll) return undefined;
  return (await addUp({ ...place, rows, range })).all();
}

function* selected(totals: readonly DataPoints[], wanted: NumberSet): Generator<DataPoints> {
  for (const points of totals) {
    const places = Array.from(points.endpoint.keys());
    const own = places.filter((place) => wanted.has(points.endpoint[place] as number));
    if (own.length > 0) yield pickPoints(points, Uint32Array.from(own));
  }
}

/** `whole` lists the blocks of all sources. */
export function openSource(
  source: SourceRow,
  place: LabelledPlace,
  whole: () => Promise<FoundBlocks>,
): Omit<SourceReading, "reported" | "samples"> {
  let own: Promise<FoundBlocks> | undefined;
  const blocks = () => (own ??= whole().then((found) => found.ofSource(source.number)));
  return {
    ...visibleSource(source, place.loadTest.id),
    ...openBlockReading(place, blocks),
    async endpoints() {
      const found = await blocks();
      const roles = found.roles();
      const endpoints = await endpointsIn(place, found);
      return endpoints.map((endpoint) => ({
        endpoint,
        role: roles.get(endpoint.number) ?? "request",
      }));
    },
  };
}

async function endpointsIn(
  { endpointLists, number: loadTest, ...place }: LabelledPlace,
  found: FoundBlocks,
): Promise<readonly Endpoint[]> {
  const visible = found.numbers();
  const isVisible = new NumberSet(visible);
  const all = await endpointLists.sorted(loadTest);
  const labelled = all.filter(({ number }) => isVisible.has(number));
  if (labelled.length === visible.length) return labelled;
  throw damaged(place.loadTest, `${visible.length - labelled.length} labels are missing`);
}

export function visibleSource(
  { id: sourceId, published, format, unrecorded, quality }: SourceRow,
  loadTestId: string,
): VisibleSource {
  return {
    sourceId,
    published: published && { loadTestId, sourceId, ...published },
    format,
    unrecorded,
    quality,
  };
}

export function bySourceId(left: SourceRow, right: SourceRow): number {
  return compareLabels(left.id, right.id);
}

export function damaged({ id }: Pick<LoadTest, "id">, why: string): UserError {
  return new UserError("damaged-store", `cannot read load test "${id}": ${why}`);
}
