import {
  environmentsIn,
  hourInEnvironment,
  hoursWithin,
  SECONDS_PER_HOUR,
  targetOfEnvironment,
} from "../model/measures/environment.ts";
import { type MeasureSeries, type MeasureTable } from "../model/measures/measure-table.ts";
import { mergeMeasures, compareSeries, keyOfSeries } from "../model/measures/merge-measures.ts";
import type { SecondRange } from "../model/second-range.ts";
import type { MeasureIndex, Snapshot } from "../store/snapshot.ts";
import type { Store } from "../store/store.ts";

export type WholeStore = Pick<Store, "loadTests" | "points">;

/** The time of a load test in an environment, as far as it is not copied into the load test. */
export interface Stretch {
  /** Of what is copied. */
  readonly sourceId: string;
  /** Until when everything is copied; `undefined`: nothing is. */
  readonly copiedUntil: number | undefined;
  readonly range: SecondRange;
  readonly hours: readonly Hour[];
}

interface Hour {
  /** Part of the stretch. */
  readonly range: SecondRange;
  readonly snapshot: Snapshot;
}

/** Hours that are looked at, the last ones: a timestamp can be years off. */
const HOURS_MAX = 200;

/** Opens those that have measures; to be closed by `releaseAll`. Ids are those of the store. */
export async function openStretches(
  { loadTests, points }: WholeStore,
  id: string,
  environments: readonly string[],
): Promise<readonly Stretch[]> {
  const { from, until } = (await loadTests.find(id)) ?? {};
  if (from === undefined || until === undefined) return [];
  const live = await points.liveSources(id);
  const project = id.slice(0, id.lastIndexOf("/") + 1);
  const opened: Stretch[] = [];
  try {
    for (const environment of environments) {
      const sourceId = `environment.${environment}`;
      const copiedUntil = live.find((each) => each.sourceId === sourceId)?.lastSequence;
      const earliest = until + 1 - HOURS_MAX * SECONDS_PER_HOUR;
      const range = { from: Math.max(from, earliest, copiedUntil ?? 0), until: until + 1 };
      const hours: Hour[] = [];
      opened.push({ sourceId, copiedUntil, range, hours });
      for (const second of hoursWithin(range.from, range.until)) {
        const target = project + targetOfEnvironment(environment);
        const snapshot = await points.snapshot(hourInEnvironment(target, second));
        const hour = { from: second, until: second + SECONDS_PER_HOUR };
        if (snapshot !== undefined) hours.push({ range: common(range, hour), snapshot });
      }
    }
    return opened.filter(({ hours }) => hours.length > 0);
  } catch (error) {
    releaseAll(opened);
    throw error;
  }
}

export function releaseAll(stretches: readonly Stretch[]): void {
  for (const { snapshot } of stretches.flatMap(({ hours }) => hours)) snapshot.release();
}

/** Reads what is in the range, as one table. Throws `damaged-store`, `sum-too-large`. */
export async function readStretch({ hours }: Stretch, range: SecondRange): Promise<MeasureTable> {
  const tables: MeasureTable[] = [];
  for (const { snapshot } of within(hours, range)) {
    const { series } = await snapshot.measureIndex();
    tables.push(...(await Array.fromAsync(snapshot.measures(series, range))));
  }
  return mergeMeasures(tables);
}

/** Opens a load test with the measures of environments that its tags name, as if sent to it. Ids are the store's. */
export async function openWithEnvironments(
  store: WholeStore,
  id: string,
): Promise<Snapshot | undefined> {
  const snapshot = await store.points.snapshot(id);
  const environments = environmentsIn(snapshot?.loadTest.tags ?? []);
  if (snapshot === undefined || environments.length === 0) return snapshot;
  try {
    // Opened after the snapshot: what was copied in between is missing once, and never counts twice.
    const stretches = await openStretches(store, id, environments);
    return stretches.length === 0 ? snapshot : joined(snapshot, stretches);
  } catch (error) {
    snapshot.release();
    throw error;
  }
}

function joined(own: Snapshot, stretches: readonly Stretch[]): Snapshot {
  const hours = stretches.flatMap((stretch) => stretch.hours);
  const snapshots = [own, ...hours.map(({ snapshot }) => snapshot)];
  return {
    ...own,
    revision: snapshots.map(({ revision }) => revision).join("+"),
    async measureIndex(): Promise<MeasureIndex> {
      const indexes = await Promise.all(snapshots.map((each) => each.measureIndex()));
      const byKey = new Map(
        indexes.flatMap(({ series }) => series).map((series) => [keyOfSeries(series), series]),
      );
      const { unstored } = indexes[0] as MeasureIndex;
      return { series: [...byKey.values()].toSorted(compareSeries), unstored };
    },
    async *measures(series: readonly MeasureSeries[], range: SecondRange) {
      const tables = [
        own.measures(series, range),
        ...within(hours, range).map((hour) =>
          hour.snapshot.measures(series, common(range, hour.range)),
        ),
      ].map((each) => each[Symbol.asyncIterator]());
      // Each yields a table per series.
      for (const _ of series) {
        const next = await Promise.all(tables.map((each) => each.next()));
        yield mergeMeasures(next.map(({ value }) => value as MeasureTable));
      }
    },
    release() {
      own.release();
      releaseAll(stretches);
    },
  };
}

function within(hours: readonly Hour[], { from, until }: SecondRange): readonly Hour[] {
  return hours.filter(({ range }) => range.from < until && range.until > from);
}

function common(left: SecondRange, right: SecondRange): SecondRange {
  const from = Math.max(left.from, right.from);
  return { from, until: Math.max(from, Math.min(left.until, right.until)) };
}
