import { hourOf, SECONDS_PER_HOUR } from "../model/measures/environment.ts";
import { type MeasureSeries, type MeasureTable } from "../model/measures/measure-table.ts";
import { mergeMeasures, compareSeries, keyOfSeries } from "../model/measures/merge-measures.ts";
import type { LoadTestSummary } from "../model/load-test.ts";
import type { SecondRange } from "../model/columns.ts";
import type { LiveSource, MeasureIndex, Snapshot } from "../store/snapshot.ts";
import type { Store } from "../store/store.ts";

export type ProjectStore = Pick<Store, "loadTests" | "points" | "within">;

/** The time of a load test in an environment, as far as it is not copied into the load test. */
export interface Stretch {
  /** Ascending. Several if earlier requests came after the measures of later ones had been copied. */
  readonly gaps: readonly Gap[];
  readonly hours: readonly Hour[];
}

/** Seconds that are not copied. */
export interface Gap {
  readonly range: SecondRange;
  /** The source to copy them into. */
  readonly sourceId: string;
  /** First second that this source does not have; `undefined`: there is no such source yet. */
  readonly copiedUntil: number | undefined;
}

/** Seconds that are copied, into one source. */
interface Copy extends SecondRange {
  readonly sourceId: string;
}

interface Hour {
  /** Part of a gap. */
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
  snapshot: Snapshot,
  environment: string,
): Promise<Stretch | undefined> {
  const { id } = snapshot.loadTest;
  const { from, until: lastStart } = (await loadTests.find(id)) ?? {};
  if (from === undefined || lastStart === undefined) return undefined;
  const until = await lastSecondOf(snapshot, lastStart);
  const earliest = until + 1 - HOURS_MAX * SECONDS_PER_HOUR;
  const own = { from: Math.max(from, earliest), until: until + 1 };
  const [live, published] = await Promise.all([points.liveSources(id), points.sources(id)]);
  // How far one went is not known once it is closed, as in a copy of the run.
  const closed = published.map(({ sourceId }) => ({ sourceId, lastSequence: Infinity }));
  const gaps = gapsIn(own, copiesIn([...live, ...closed], environment), environment);
  const [first, last] = [gaps[0], gaps.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const hours: Hour[] = [];
  const stretch = { gaps, hours };
  try {
    const measured = within({ environment });
    const started = { from: hourOf(first.range.from), until: last.range.until };
    for (const { id: hourId, hour = 0 } of await measured.loadTests.list({ hours: started })) {
      const whole = { from: hour, until: hour + SECONDS_PER_HOUR };
      const parts = gaps.map((gap) => common(gap.range, whole));
      for (const range of parts.filter((part) => part.from < part.until)) {
        const hourly = await measured.points.snapshot(hourId);
        if (hourly !== undefined) hours.push({ range, snapshot: hourly });
      }
    }
    return hours.length === 0 ? undefined : stretch;
  } catch (error) {
    releaseStretch(stretch);
    throw error;
  }
}

/** Ascending. */
function copiesIn(live: readonly LiveSource[], environment: string): readonly Copy[] {
  const copies = live.flatMap(({ sourceId, lastSequence: until }): readonly Copy[] => {
    const [, from, name] = COPY.exec(sourceId) ?? [];
    if (name !== environment) return [];
    return [{ sourceId, from: Number(from ?? 0), until }];
  });
  return copies.toSorted((left, right) => left.from - right.from);
}

/** The first copied second, and the environment. Older names have no second: everything before the last one is copied. */
const COPY = /^environment(?:-from\.(\d+))?\.(.+)$/;

function gapsIn(own: SecondRange, copies: readonly Copy[], environment: string): readonly Gap[] {
  const gaps: Gap[] = [];
  let { from } = own;
  let sourceId = `environment-from.${from}.${environment}`;
  let copiedUntil: number | undefined;
  for (const copy of [...copies, undefined]) {
    const range = { from, until: Math.min(own.until, copy?.from ?? own.until) };
    if (range.from < range.until) gaps.push({ range, sourceId, copiedUntil });
    if (copy === undefined) break;
    from = Math.max(from, copy.until);
    [sourceId, copiedUntil] = [copy.sourceId, copy.until];
  }
  return gaps;
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
export async function readStretch(
  { hours }: Pick<Stretch, "hours">,
  range: SecondRange,
): Promise<MeasureTable> {
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
