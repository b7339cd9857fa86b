import { ALL_SECONDS, pickPoints } from "../../model/columns.ts";
import type { SeriesColumns } from "../../model/data-points.ts";
import { mergeSeries } from "../../model/merge-points.ts";
import { copyOfPoints } from "../../model/point-facts.ts";
import { derivedRole, isShown, type StoredRole } from "../../model/role.ts";
import { labelOfSeries } from "../../model/series/facets.ts";
import { openOverall } from "../../query/read-overall.ts";
import { ALL_ENDPOINTS, hashOfLabel, ofHashes } from "../../series/endpoint-selection.ts";
import { openSnapshot, revisionOf, type Snapshots } from "../../series/open-snapshot.ts";
import { selectedDistributions } from "../../series/selected-series.ts";
import type { PointBatch, RevisionStep } from "../../store/store.ts";
import type { LoadTestReader } from "../load-test-reader.ts";
import type { Limit } from "../check/limit.ts";
import { GrowingSeries } from "./growing-series.ts";
import { LATE_DATA_SECONDS } from "../check/watch-run.ts";
import { SKEW_MAX_SECONDS, Senders } from "./senders.ts";

/** A batch that was stored. */
export interface StoredBatch {
  readonly batch: PointBatch;
  readonly revisions: RevisionStep;
  /** When, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Batches kept while the store is read, and revisions kept until the next call of `isCurrent`. */
const OBSERVED_MAX = 1000;

/** Series with a label that a limit names. */
interface NamedSeries {
  readonly label: string;
  readonly hash: string;
  readonly series: GrowingSeries;
  hasRequests: boolean;
}

function unseen(label: string): NamedSeries {
  return { label, hash: hashOfLabel(label), series: new GrowingSeries(), hasRequests: false };
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
  readonly #longestSeconds: number;
  readonly #overall = new GrowingSeries();
  /** By label. */
  readonly #named: ReadonlyMap<string, NamedSeries>;
  /** Names of series whose rows repeat others. Only these are remembered: a run may have a million series. */
  readonly #derived = new Set<string>();
  /** Stored while the store is read. */
  #pending: StoredBatch[] | undefined = [];
  #revision: string | undefined;
  /** Since the last call of `isCurrent`. */
  readonly #observed = new Set<string>();
  /** Revision that `isCurrent` found before its batch was observed. */
  #awaited: string | undefined;

  /** Of limits about all requests or those of an endpoint. */
  constructor(loadTestId: string, limits: readonly Limit[]) {
    [this.#loadTestId, this.limits] = [loadTestId, limits];
    this.#longestSeconds = Math.max(0, ...limits.map(({ window }) => window?.seconds ?? 0));
    const labels = new Set(limits.flatMap(({ label }) => label ?? []));
    this.#named = new Map(Array.from(labels, (label) => [label, unseen(label)]));
  }

  /** Reads what is stored for windows that end after a second, and for data that arrive late for it. Throws what `openSnapshot` throws. */
  async read(points: Snapshots, until: number, nowMs: number): Promise<void> {
    const snapshot = await openSnapshot(points, this.#loadTestId);
    try {
      this.removeUnneeded(until);
      const range = { from: this.#from, until: ALL_SECONDS.until };
      const index = await snapshot.index();
      const derived = await index.named(Uint32Array.from(index.roles.keys()).toSorted());
      for (const { label } of derived) this.#derived.add(label);
      this.isUsable = derived.length === 0 || derived.length < index.numbers.length;
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
    const pending = this.#pending ?? [];
    this.#pending = undefined;
    this.changedFrom = Infinity;
    for (const each of pending) this.observe(each);
  }

  /** Adds a batch unless it was read before. If it is not the next one, or cannot be added, `isCurrent` returns `false`. */
  observe(stored: StoredBatch): void {
    const { batch, revisions, nowMs } = stored;
    if (this.#pending !== undefined) {
      // `isCurrent` notices that a batch was left out by the revisions of the next one.
      if (this.#pending.length >= OBSERVED_MAX) return;
      // Columns are lent.
      this.#pending.push({ ...stored, batch: { ...batch, points: copyOfPoints(batch.points) } });
      return;
    }
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
      until - 2 * this.#longestSeconds - 1 - LATE_DATA_SECONDS - SKEW_MAX_SECONDS,
    );
    for (const { series } of [{ series: this.#overall }, ...this.#named.values()]) {
      series.removeBefore(this.#from);
    }
  }

  /** As of a store. Of labels without a request there are none. */
  readonly windows: LoadTestReader["windows"] = async (query) => {
    const { isMerged, selection, windowSeconds: seconds, percents, range } = query;
    const asked = { seconds, percents, range };
    if (isMerged) return [this.#overall.windows(asked)];
    const hashes = new Set(selection.by === "hashes" ? selection.hashes : []);
    return [...this.#named.values()].flatMap(({ label, hash, series, hasRequests }) =>
      hasRequests && hashes.has(hash) ? [{ label, ...series.windows(asked) }] : [],
    );
  };

  #addPoints({ labels, roles, points }: PointBatch): void {
    const shown = labels.map((_, label) => isShown(roles?.[label] ?? "request"));
    const counted = labels.map((name, label) => shown[label] && this.#counts(name, roles?.[label]));
    const named = labels.map((name, label) =>
      shown[label] ? this.#named.get(labelOfSeries(name)) : undefined,
    );
    const rowsWhere = (isWanted: (label: number) => boolean | undefined): Uint32Array =>
      Uint32Array.from(
        points.endpoint.keys().filter((row) => isWanted(points.endpoint[row] as number)),
      );
    const rows = rowsWhere((label) => counted[label]);
    const isEach = rows.length === points.endpoint.length;
    // Columns are lent: picked ones are copies.
    this.#add(undefined, isEach ? copyOfPoints(points) : pickPoints(points, rows));
    for (const own of new Set(named.filter((each) => each !== undefined))) {
      const ownRows = rowsWhere((label) => named[label] === own);
      this.#add(own, pickPoints(points, ownRows));
    }
  }

  /** Whether the rows of a series count in totals. A series whose rows did not is read again. */
  #counts(name: string, role: StoredRole | undefined): boolean {
    if (derivedRole(role) !== undefined) {
      this.#derived.add(name);
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
    const merged = mergeSeries([columns]);
    const whole = this.#from === 0 ? 1 : this.#from + 2 * this.#longestSeconds + 1;
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
