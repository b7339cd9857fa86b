import { hourOf, SECONDS_PER_HOUR } from "../model/measures/environment.ts";
import { type MeasureSeries, type MeasureTable } from "../model/measures/measure-table.ts";
import { mergeMeasures, compareSeries, keyOfSeries } from "../model/measures/merge-measures.ts";
import type { LoadTestSummary } from "../model/load-test.ts";
import type { SecondRange } from "../model/columns.ts";
import type { MeasureIndex, Snapshot } from "../store/snapshot.ts";
import type { Store } from "../store/store.ts";

export type ProjectStore = Pick<Store, "loadTests" | "points" | "within">;

/** The time of a load test in an environment, as far as it is not copied into the load test. */
export interface Stretch {
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

/** Seconds for which requests may go on after the last one has started. */
const LAST_REQUEST_SECONDS_MAX = 60;

/** Whether the stretch of a load test can reach into an hour, which begins at this second. */
export function isMeasuredIn(
  { from, until }: Pick<LoadTestSummary, "from" | "until">,
  hour: number,
): boolean {
  if (from === undefined || until === undefined) return false;
  return from < hour + SECONDS_PER_HOUR && until + LAST_REQUEST_SECONDS_MAX >= hour;
}

/** Opens the one of a load test, to be closed by `releaseStretch`; `undefined` without measures. */
export async function openStretch(
  { loadTests, points, within }: ProjectStore,
  own: Snapshot,
  environment: string,
): Promise<Stretch | undefined> {
  const { id } = own.loadTest;
  const { from, until: lastStart } = (await loadTests.find(id)) ?? {};
  if (from === undefined || lastStart === undefined) return undefined;
  const until = await lastSecondOf(own, lastStart);
  const live = await points.liveSources(id);
  const sourceId = `environment.${environment}`;
  const copiedUntil = live.find((each) => each.sourceId === sourceId)?.lastSequence;
  const earliest = until + 1 - HOURS_MAX * SECONDS_PER_HOUR;
  const range = { from: Math.max(from, earliest, copiedUntil ?? 0), until: until + 1 };
  const hours: Hour[] = [];
  const stretch = { sourceId, copiedUntil, range, hours };
  try {
    const measured = within({ environment });
    const begun = { from: hourOf(range.from), until: range.until };
    for (const { id: hourId, hour = 0 } of await measured.loadTests.list({ hours: begun })) {
      const snapshot = await measured.points.snapshot(hourId);
      const whole = { from: hour, until: hour + SECONDS_PER_HOUR };
      if (snapshot !== undefined) hours.push({ range: common(range, whole), snapshot });
    }
    return hours.length === 0 ? undefined : stretch;
  } catch (error) {
    releaseStretch(stretch);
    throw error;
  }
}

/** The second in which the last request ended; of very many endpoints, that of its start. */
async function lastSecondOf(snapshot: Snapshot, lastStart: number): Promise<number> {
  const index = await snapshot.index();
  const from = Math.max(1, lastStart - LAST_REQUEST_SECONDS_MAX);
  const range = { from, until: lastStart + 1 };
  let last = lastStart;
  if (index.isLarge) return last;
  for await (const { second, maxMicros } of index.scan(index.numbers, range, "distribution")) {
    for (const [point, micros] of maxMicros.entries()) {
      const end = (second[point] as number) + Math.floor(micros / 1_000_000);
      if (Number.isFinite(end)) last = Math.max(last, end);
    }
  }
  return Math.min(last, lastStart + LAST_REQUEST_SECONDS_MAX);
}

export function releaseStretch({ hours }: Pick<Stretch, "hours">): void {
  for (const { snapshot } of hours) snapshot.release();
}

/** Reads what is in the range, as one table. Throws `damaged-store`, `sum-too-large`. */
export async function readStretch({ hours }: Stretch, range: SecondRange): Promise<MeasureTable> {
  const tables: MeasureTable[] = [];
  for (const { snapshot } of hoursIn(hours, range)) {
    const { series } = await snapshot.measureIndex();
    tables.push(...(await Array.fromAsync(snapshot.measures(series, range))));
  }
  return mergeMeasures(tables);
}

/** Opens what belongs to a project, where load tests have the measures of their environment as if sent to them. */
export function openProject(store: Store, project: string | undefined): Store {
  const own = project === undefined ? store : store.within({ project });
  const snapshot = (id: string) => openWithEnvironments(own, id);
  return { ...own, points: { ...own.points, snapshot } };
}

/** Returns what has a load test; first `undefined`, for what belongs to no project. */
export async function projectsIn({
  scopes,
}: Pick<Store, "scopes">): Promise<readonly (string | undefined)[]> {
  return [...new Set([undefined, ...(await scopes()).map(({ project }) => project)])];
}

async function openWithEnvironments(
  store: ProjectStore,
  id: string,
): Promise<Snapshot | undefined> {
  const snapshot = await store.points.snapshot(id);
  const environment = snapshot?.loadTest.environment;
  if (snapshot === undefined || environment === undefined) return snapshot;
  try {
    // Opened after the snapshot: what was copied in between is missing once, and never counts twice.
    const stretch = await openStretch(store, snapshot, environment);
    return stretch === undefined ? snapshot : joined(snapshot, stretch);
  } catch (error) {
    snapshot.release();
    throw error;
  }
}

function joined(own: Snapshot, { hours }: Stretch): Snapshot {
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
        ...hoursIn(hours, range).map((hour) =>
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
      releaseStretch({ hours });
    },
  };
}

function hoursIn(hours: readonly Hour[], { from, until }: SecondRange): readonly Hour[] {
  return hours.filter(({ range }) => range.from < until && range.until > from);
}

function common(left: SecondRange, right: SecondRange): SecondRange {
  const from = Math.max(left.from, right.from);
  return { from, until: Math.max(from, Math.min(left.until, right.until)) };
}
