import { Yielder } from "../../concurrency/yielder.ts";
import { ALL_SECONDS, pickPoints } from "../../model/columns.ts";
import type { SeriesColumns } from "../../model/data-points.ts";
import { mergeSeries } from "../../model/merge-points.ts";
import { copyOfColumns } from "../../model/point-facts.ts";
import { derivedRole, isShown, type StoredRole } from "../../model/role.ts";
import { labelOfSeries } from "../../model/series/facets.ts";
import { openOverall } from "../../query/read-overall.ts";
import { ALL_ENDPOINTS, hashOfLabel, ofHashes } from "../../series/endpoint-selection.ts";
import { openSnapshot, revisionOf, type Snapshots } from "../../series/open-snapshot.ts";
import { selectedDistributions } from "../../series/selected-series.ts";
import type { PointBatch, RevisionStep } from "../../store/store.ts";
import type { SeriesOfWindows } from "../load-test-reader.ts";
import { allStarts, judgeWindows } from "../check/check-windows.ts";
import { type Judged, type Limit, percentOfFigure, rowSeconds } from "../check/limit.ts";
import { LATE_DATA_SECONDS, type RecentPart } from "../check/watch-run.ts";
import { GrowingSeries, recentStarts, type WindowsQuery } from "./growing-series.ts";
import { SKEW_MAX_SECONDS, Senders } from "./senders.ts";

/** A batch that was stored. */
export interface StoredBatch {
  readonly batch: PointBatch;
  readonly revisions: RevisionStep;
  /** When, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Batches kept until `catchUp`, and revisions kept until the next call of `isCurrent`. */
const OBSERVED_MAX = 1000;

/** Names of series whose rows repeat others. With more, windows are judged from the store. */
const DERIVED_MAX = 10_000;

/** Series with a label that a limit names. */
interface NamedSeries {
  readonly label: string;
  readonly hash: string;
  readonly series: GrowingSeries;
  hasRequests: boolean;
}

/** Whether it is about all requests or those of one endpoint: its windows can be judged without a summary. */
export function isPlain({ each, facets, selector }: Limit): boolean {
  return each === undefined && facets === undefined && selector === undefined;
}

/** First seconds of the windows to judge for these limits, in a range of `recentParts`. */
function startsFor(limits: readonly Limit[]): WindowsQuery["startsIn"] {
  const isAnyOther = limits.some(({ window }) => window?.inARow !== undefined);
  return isAnyOther ? allStarts : recentStarts;
}

/** The series that limits are about, with windows of their lengths. */
function seriesFor(limits: readonly Limit[]): GrowingSeries {
  const byLength = Map.groupBy(limits, ({ window }) => window?.seconds ?? 0);
  const percents = Array.from(byLength, ([seconds, own]) => {
    return [seconds, own.flatMap(({ figure }) => percentOfFigure(figure) ?? [])] as const;
  });
  return new GrowingSeries(new Map(percents.map(([seconds, own]) => [seconds, [...new Set(own)]])));
}

/**
 * The newest data of a running load test, as far as limits need them: read once, then updated with each batch that is stored. Revisions
 * show whether anything else has changed, such as by another process: see `isCurrent`.
 */
export class RunningData {
  readonly limits: readonly Limit[];
  readonly senders = new Senders();
  /** First second that has new points since this was set, and whole windows in these data. */
  changedFrom = Infinity;
  /** Whether windows can be made of these data: of points of one second, with times that were measured, none far ahead of this clock. */
  isUsable = true;
  readonly #loadTestId: string;
  /** Seconds before it are not known. */
  #from = 0;
  /** Seconds of the longest windows in a row. */
  readonly #longestSeconds: number;
  readonly #overall: GrowingSeries;
  /** By label. */
  readonly #named: ReadonlyMap<string, NamedSeries>;
  /** Names of series whose rows repeat others. Only these are remembered, at most `DERIVED_MAX`: a run may have a million series. */
  readonly #derived = new Set<string>();
  /** Since the last call of `catchUp`. */
  #pending: StoredBatch[] = [];
  #revision: string | undefined;
  /** Since the last call of `isCurrent`. */
  readonly #observed = new Set<string>();
  /** Revision that `isCurrent` found before its batch was observed. */
  #awaited: string | undefined;

  /** Of limits about all requests or those of an endpoint. */
  constructor(loadTestId: string, limits: readonly Limit[]) {
    [this.#loadTestId, this.limits] = [loadTestId, limits];
    this.#longestSeconds = Math.max(
      0,
      ...limits.map(({ window }) => (window === undefined ? 0 : rowSeconds(window))),
    );
    const byLabel = Map.groupBy(limits.filter(isPlain), ({ label }) => label);
    this.#overall = seriesFor(byLabel.get(undefined) ?? []);
    const named = Array.from(byLabel, ([label, own]): readonly NamedSeries[] => {
      if (label === undefined) return [];
      return [{ label, hash: hashOfLabel(label), series: seriesFor(own), hasRequests: false }];
    });
    this.#named = new Map(named.flat().map((each) => [each.label, each]));
  }

  /** Reads what is stored for windows that end after a second, and for data that arrive late for it. Throws what `openSnapshot` throws. */
  async read(points: Snapshots, until: number, nowMs: number): Promise<void> {
    const snapshot = await openSnapshot(points, this.#loadTestId);
    try {
      this.removeUnneeded(until);
      const range = { from: this.#from, until: ALL_SECONDS.until };
      const index = await snapshot.index();
      const { size } = index.roles;
      this.isUsable = size <= DERIVED_MAX && (size === 0 || size < index.numbers.length);
      const derived = Uint32Array.from(this.isUsable ? index.roles.keys() : []);
      for (const { label } of await index.named(derived.toSorted())) this.#derived.add(label);
      const overall = await openOverall(snapshot, ALL_ENDPOINTS);
      for await (const { columns } of overall.distributions(range)) {
        this.isUsable &&= !isAnyAhead(columns, nowMs);
        this.#add(undefined, columns);
      }
      const hashes = Array.from(this.#named.values(), ({ hash }) => hash);
      const selection = ofHashes(ALL_ENDPOINTS, hashes);
      const series = selectedDistributions(snapshot, { selection, range });
      for await (const { endpoint, columns } of series) {
        this.#add(this.#named.get(endpoint.label), columns);
      }
      this.#revision = ownRevision(snapshot.revision);
    } finally {
      snapshot.release();
    }
    this.changedFrom = Infinity;
    await this.catchUp();
  }

  /** Keeps a copy for `catchUp`: its sender waits for the call. */
  observe({ batch, ...stored }: StoredBatch): void {
    // `isCurrent` notices that a batch was left out by the revisions of the next one.
    if (this.#pending.length >= OBSERVED_MAX) return;
    const { outcomes: _, ...unsplit } = batch.points;
    this.#pending.push({ ...stored, batch: { ...batch, points: copyOfColumns(unsplit) } });
  }

  /** Adds observed batches, unless they were read before. If one is not the next, or cannot be added, `isCurrent` returns `false`. Yields to the event loop. */
  async catchUp(): Promise<void> {
    const [pending, yielder] = [this.#pending, new Yielder()];
    this.#pending = [];
    for (const each of pending) {
      this.#addBatch(each);
      await yielder.pass();
    }
  }

  #addBatch({ batch, revisions, nowMs }: StoredBatch): void {
    if (revisions.before !== this.#revision) return;
    this.#revision = revisions.after;
    if (this.#observed.size < OBSERVED_MAX) this.#observed.add(revisions.after);
    this.isUsable &&= batch.reported === undefined && !isAnyAhead(batch.points, nowMs);
    const last = lastSecondOf(batch, nowMs);
    // Without a request, nothing is late.
    const first = batch.points.second.reduce((least, each) => Math.min(least, each), last);
    if (last > 0) this.senders.observe(batch.sourceId, { first, last }, nowMs);
    if (!this.isUsable) return;
    try {
      this.#addPoints(batch);
    } catch {
      this.#invalidate();
    }
  }

  /** From now on these data are not current, and have to be read again. */
  #invalidate(): void {
    this.#revision = undefined;
    this.#observed.clear();
  }

  /** Whether all that is stored was read or observed; `undefined`: not yet known, as a batch may be on its way. */
  async isCurrent(points: Snapshots): Promise<boolean | undefined> {
    const stored = ownRevision(await revisionOf(points, this.#loadTestId));
    await this.catchUp();
    const isKnown = (revision: string | undefined): boolean =>
      revision === this.#revision || (revision !== undefined && this.#observed.has(revision));
    const isMissed = this.#awaited !== undefined && !isKnown(this.#awaited);
    this.#awaited = isKnown(stored) ? undefined : stored;
    this.#observed.clear();
    if (isMissed) return false;
    return this.#awaited === undefined ? true : undefined;
  }

  /** Removes what neither windows that end after a second need, nor data that arrive late for it. */
  removeUnneeded(until: number): void {
    this.#from = Math.max(
      0,
      until - this.#longestSeconds - 1 - LATE_DATA_SECONDS - SKEW_MAX_SECONDS,
    );
    for (const { series } of [{ series: this.#overall }, ...this.#named.values()]) {
      series.removeBefore(this.#from);
    }
  }

  /** Judges plain limits over windows of one length, in those that `startsFor` says. Throws `sum-too-large`. */
  async judge({ limits, range }: RecentPart): Promise<readonly Judged[]> {
    const judged: Judged[] = [];
    for (const [label, own] of Map.groupBy(limits, (limit) => limit.label)) {
      const startsIn = startsFor(own);
      const seconds = own[0]?.window?.seconds ?? 0;
      const series = this.#windowsOf(label, { seconds, range, startsIn });
      for (const limit of own) {
        const windows = series && { series, span: range, startsIn };
        judged.push(
          windows ? await judgeWindows(limit, windows) : { limit, outcome: "notEvaluated" },
        );
      }
    }
    return judged;
  }

  /** Of all requests, or those with a label; `undefined` if it has none. */
  #windowsOf(label: string | undefined, query: WindowsQuery): SeriesOfWindows | undefined {
    if (label === undefined) return this.#overall.windows(query);
    const named = this.#named.get(label);
    return named?.hasRequests === true ? { label, ...named.series.windows(query) } : undefined;
  }

  #addPoints({ labels, roles, points }: PointBatch): void {
    const shown = labels.map((_, label) => isShown(roles?.[label] ?? "request"));
    const counted = labels.map((name, label) => shown[label] && this.#counts(name, roles?.[label]));
    const named = labels.map((name, label) =>
      shown[label] ? this.#named.get(labelOfSeries(name)) : undefined,
    );
    const rowsWhere = (isWanted: (label: number) => boolean | undefined): Uint32Array => {
      const rows: number[] = [];
      for (const [row, label] of points.endpoint.entries()) if (isWanted(label)) rows.push(row);
      return Uint32Array.from(rows);
    };
    const rows = rowsWhere((label) => counted[label]);
    const isEach = rows.length === points.endpoint.length;
    this.#add(undefined, isEach ? points : pickPoints(points, rows));
    for (const own of new Set(named.filter((each) => each !== undefined))) {
      const ownRows = rowsWhere((label) => named[label] === own);
      this.#add(own, pickPoints(points, ownRows));
    }
  }

  /** Whether the rows of a series count in totals. A series whose rows did not is read again. */
  #counts(name: string, role: StoredRole | undefined): boolean {
    if (derivedRole(role) !== undefined) {
      this.#derived.add(name);
      if (this.#derived.size > DERIVED_MAX) {
        this.isUsable = false;
        this.#derived.clear();
      }
      return false;
    }
    if (this.#derived.delete(name)) this.#invalidate();
    return true;
  }

  /** `named`: of a limit; `undefined`: all requests. */
  #add(named: NamedSeries | undefined, { ...columns }: SeriesColumns): void {
    if (columns.second.length === 0) return;
    this.isUsable &&= columns.windowSeconds?.every((seconds) => seconds === 1) ?? true;
    if (named !== undefined) named.hasRequests = true;
    const unique = mergeSeries([columns]);
    // Columns may be lent; merged ones are copies.
    const merged = unique.second === columns.second ? copyOfColumns(unique) : unique;
    const whole = this.#from === 0 ? 1 : this.#from + this.#longestSeconds + 1;
    for (const second of merged.second) {
      if (second >= whole) this.changedFrom = Math.min(this.changedFrom, second);
    }
    (named?.series ?? this.#overall).add(merged);
  }
}

/** Without those of its environment. */
function ownRevision(revision: string | undefined): string | undefined {
  return revision?.split("+")[0];
}

function isAnyAhead({ second }: Pick<SeriesColumns, "second">, nowMs: number): boolean {
  const latest = latestSecond(nowMs);
  return second.some((each) => each > latest);
}

/** Data after it come from a wrong clock: windows neither wait for them nor end there. */
export function latestSecond(nowMs: number): number {
  return Math.floor(nowMs / 1000) + SKEW_MAX_SECONDS;
}

/** With a request, or with active users, which are all that is sent while a target hangs. 0 without one, apart from those far ahead. */
function lastSecondOf({ points, users }: PointBatch, nowMs: number): number {
  const latest = latestSecond(nowMs);
  let last = 0;
  for (const second of points.second) if (second <= latest) last = Math.max(last, second);
  for (const [row, active] of users?.counts.active.entries() ?? []) {
    const second = users?.counts.second[row] ?? 0;
    if (active > 0 && second <= latest) last = Math.max(last, second);
  }
  return last;
}
