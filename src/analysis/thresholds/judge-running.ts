import type { RunningLimitJson } from "../../api/live.ts";
import { Yielder } from "../../concurrency/yielder.ts";
import { LruCache } from "../../concurrency/lru-cache.ts";
import { UserError } from "../../model/errors.ts";
import { type LoadTestSummary, requireLoadTest } from "../../model/load-test.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { PointBatch, RevisionStep, Store } from "../../store/store.ts";
import { isOfFew, prepareWindows } from "../check/check-windows.ts";
import { FirstRequest } from "../check/first-request.ts";
import { type CheckedLimit, failsCheck, type Judged, type Limit } from "../check/limit.ts";
import { LATE_DATA_SECONDS, type RecentPart, recentParts } from "../check/watch-run.ts";
import { type LoadTestReader, openStoreReader } from "../load-test-reader.ts";
import { checkThresholds } from "./check-thresholds.ts";
import { isPlain, latestSecond, RunningData } from "./running-data.ts";
import { statesOf } from "./running-states.ts";
import { limitsOf } from "./stored-thresholds.ts";

/** How often new load tests are searched for, and each that is followed is compared with the store. */
const EVERY_MS = 4000;

/** How often the observed data of a load test are judged. */
const JUDGED_EVERY_MS = 1000;

/** After this time, a look leaves load tests that were not read yet to the next: those of a restarted server keep no others waiting. */
const FIRST_LOOKS_MS = 250;

/** The share of the time that reading the store again may take, for all load tests together. */
const READING_SHARE = 0.04;

/** Latest load tests among which running ones are looked for. */
const LOAD_TESTS_MAX = 1000;

/** A load test is followed for this time after its last data. */
const FOLLOWED_MS = 300_000;

/** As long as until it counts as finished: see `FinishedJudge`. */
const QUIET_MS = 60_000;

/** Live data of requests that are older are not those of a running load test. */
const RECENT_SECONDS = 3600;

/** Age from which a second counts while it is not known who sends. */
const SETTLED_SECONDS = 5;

const DAY_MS = 24 * 60 * 60 * 1000;

export interface RunningJudgeDependencies {
  readonly store: Pick<Store, "loadTests" | "points" | "thresholds" | "version">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Monotonic. */
  readonly clockMs: () => number;
  /** Called when limits break that fail the run, the first time. */
  readonly onBroken: (loadTest: LoadTestSummary, broken: readonly CheckedLimit[]) => Promise<void>;
  /** Called when all of these are kept again, the first time. */
  readonly onRecovered: (loadTest: LoadTestSummary, kept: readonly CheckedLimit[]) => Promise<void>;
  /** Called with why a load test is not judged any more while it runs. */
  readonly failed: (loadTestId: string, reason: string) => void;
}

interface Followed {
  readonly id: string;
  readonly createdAtMs: number;
  dueAtMs: number;
  /** When it was last compared with the store. */
  refreshedAtMs: number;
  lastDataAtMs: number | undefined;
  limits: readonly Limit[];
  /** The newest data; `undefined` until they are read. */
  data: RunningData | undefined;
  readonly first: FirstRequest;
  from: number;
  /** After its last second if it is over. */
  end: number | undefined;
  /** Of what is stored, the last second that may be judged without knowing who sends. */
  settled: number;
  /** After the last second that was judged, from `data` and from the store; 0: none. */
  judgedUntil: number;
  readUntil: number;
  /** The last results: of limits that are judged from `data`, and of others. */
  checked: Readonly<Record<"observed" | "read", readonly CheckedLimit[]>>;
  hasResults: boolean;
  /** Made from `checked` when asked for, or while a limit is broken. */
  states?: readonly RunningLimitJson[] | undefined;
  /** Whether that was posted. */
  hasBroken: boolean;
  /** Expressions that broke, or that took the place of such ones. */
  broken: ReadonlySet<string>;
  hasRecovered: boolean;
}

const INITIAL = {
  refreshedAtMs: -Infinity,
  lastDataAtMs: undefined,
  limits: [],
  data: undefined,
  from: 0,
  end: undefined,
  settled: 0,
  judgedUntil: 0,
  readUntil: 0,
  checked: { observed: [], read: [] },
  hasResults: false,
  hasBroken: false,
  hasRecovered: false,
} as const;

/** Limits over windows of a name, as they were kept. */
interface KnownLimits {
  readonly text: string | undefined;
  /** They may be accepted until a day. */
  readonly day: number;
  readonly limits: readonly Limit[];
  readonly refreshedAtMs: number;
}

/**
 * Judges the windows of load tests while they run. The first look reads all that is stored, so that a restarted process finds what broke
 * before. From then on, windows with new points are computed from batches as they are stored (`observe`); revisions show whether anything
 * else has changed. Limits on patterns, facets and measures are judged from the store.
 */
export class RunningJudge {
  readonly #dependencies: RunningJudgeDependencies;
  /** By `keyOf`. */
  readonly #followed = new Map<string, Followed>();
  readonly #byId = new Map<string, Followed>();
  /** By name. */
  readonly #limits = new LruCache<string, KnownLimits>(LOAD_TESTS_MAX);
  /** By `keyOf`. */
  readonly #givenUp = new LruCache<string, true>(LOAD_TESTS_MAX);
  /** As last listed, by `keyOf`. */
  #listed: ReadonlyMap<string, LoadTestSummary> = new Map();
  #version: unknown;
  #searchedAtMs = -Infinity;
  /** Before it, nothing is read again. */
  #readAgainAtMs = -Infinity;

  constructor(dependencies: RunningJudgeDependencies) {
    this.#dependencies = dependencies;
  }

  /** Limits over windows of a load test that is followed. */
  stateOf(loadTestId: string): readonly RunningLimitJson[] | undefined {
    const followed = this.#byId.get(loadTestId);
    if (followed?.hasResults !== true) return undefined;
    return (followed.states ??= statesOf(Object.values(followed.checked).flat()));
  }

  /** Adds a batch that was stored. Its columns are lent for the call. */
  observe(batch: PointBatch, revisions: RevisionStep): void {
    const data = this.#byId.get(batch.loadTestId)?.data;
    data?.observe({ batch, revisions, nowMs: this.#dependencies.now() });
  }

  /** Looks at all that are due, one after the other. Yields to the event loop. Throws the first error at the end: those looks are repeated. */
  async look(): Promise<void> {
    const { clockMs } = this.#dependencies;
    await this.#search();
    const [yielder, errors] = [new Yielder(), [] as unknown[]];
    let firstLooksMs: number | undefined;
    for (const [key, followed] of this.#followed) {
      if (clockMs() < followed.dueAtMs) continue;
      if (followed.data === undefined) {
        firstLooksMs ??= clockMs();
        if (clockMs() - firstLooksMs > FIRST_LOOKS_MS) continue;
      }
      followed.dueAtMs = clockMs() + JUDGED_EVERY_MS;
      await this.#lookAtOrForget(key, followed).catch((error: unknown) => errors.push(error));
      await yielder.pass();
    }
    if (errors.length > 0) throw errors[0];
  }

  /** Begins to follow load tests that run, have live data and limits over windows. */
  async #search(): Promise<void> {
    const { store, now, clockMs } = this.#dependencies;
    if (clockMs() - this.#searchedAtMs < EVERY_MS) return;
    this.#searchedAtMs = clockMs();
    const version = await store.version();
    if (version !== undefined && version === this.#version) return;
    const latest = await store.loadTests.list({ limit: LOAD_TESTS_MAX });
    this.#listed = new Map(latest.map((loadTest) => [keyOf(loadTest), loadTest]));
    for (const [key, loadTest] of this.#listed) {
      const { id, createdAtMs } = loadTest;
      if (this.#followed.has(key) || this.#givenUp.get(key) || !isRecent(loadTest, now())) continue;
      if (!(await this.#orGiveUp(loadTest, () => this.#isJudged(loadTest)))) continue;
      // Looks are spread over the time between them.
      const dueAtMs = clockMs() + ((this.#followed.size * 61) % JUDGED_EVERY_MS);
      const own = { broken: new Set<string>(), first: new FirstRequest() };
      const followed = { ...INITIAL, id, createdAtMs, dueAtMs, ...own };
      this.#followed.set(key, followed);
      this.#byId.set(id, followed);
    }
    this.#version = version;
  }

  /** Whether it has limits over windows, and live data. */
  async #isJudged({ id, name }: LoadTestSummary): Promise<boolean> {
    if ((await this.#limitsOf(name)).length === 0) return false;
    return (await this.#dependencies.store.points.liveSources(id)).length > 0;
  }

  /** The same ones as long as what is kept does not change. */
  async #limitsOf(name: string): Promise<readonly Limit[]> {
    const { store, now, clockMs } = this.#dependencies;
    const known = this.#limits.get(name);
    if (known !== undefined && clockMs() - known.refreshedAtMs < EVERY_MS) return known.limits;
    const text = await store.thresholds.find(name);
    const current = { text, day: Math.floor(now() / DAY_MS), refreshedAtMs: clockMs() };
    const isSame = known?.text === text && known?.day === current.day;
    const all = isSame || text === undefined ? [] : limitsOf(JSON.parse(text), name, now());
    const over = all.filter(({ window }) => window !== undefined);
    const limits = isSame ? known.limits : over;
    this.#limits.set(name, { ...current, limits });
    return limits;
  }

  async #lookAtOrForget(key: string, followed: Followed): Promise<void> {
    if (await this.#orGiveUp(followed, () => this.#lookAt(followed))) return;
    this.#followed.delete(key);
    // Another load test may have its id by now.
    if (this.#byId.get(followed.id) !== followed) return;
    this.#byId.delete(followed.id);
  }

  /** Returns `false` if a load test cannot be judged; throws errors that may pass, such as those of a store that is away. */
  async #orGiveUp(
    { id, createdAtMs }: Pick<Followed, "id" | "createdAtMs">,
    work: () => Promise<boolean>,
  ): Promise<boolean> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UserError) || error.kind === "unavailable") throw error;
      if (error.code === "unknown-load-test") return false;
      this.#givenUp.set(keyOf({ id, createdAtMs }), true);
      this.#dependencies.failed(id, error.message);
      return false;
    }
  }

  /** Returns whether to look at it again. */
  async #lookAt(followed: Followed): Promise<boolean> {
    const { clockMs } = this.#dependencies;
    await followed.data?.catchUp();
    if (clockMs() - followed.refreshedAtMs >= EVERY_MS || followed.data === undefined) {
      if (!(await this.#refresh(followed))) return false;
    }
    await this.#judgeObserved(followed);
    return true;
  }

  /** Compares it with the store, and reads what was not observed. Returns whether to look at it again. */
  async #refresh(followed: Followed): Promise<boolean> {
    const { store, now, clockMs } = this.#dependencies;
    const loadTest = this.#listed.get(keyOf(followed)) ?? (await store.loadTests.find(followed.id));
    if (loadTest?.createdAtMs !== followed.createdAtMs) return false;
    const { lastDataAtMs = 0 } = loadTest;
    if (now() - lastDataAtMs > FOLLOWED_MS) return false;
    const limits = await this.#limitsOf(loadTest.name);
    if (limits.length === 0) return false;
    const hasChanged = limits !== followed.limits || lastDataAtMs !== followed.lastDataAtMs;
    const from = await followed.first.secondOf(openStoreReader(store), loadTest);
    Object.assign(followed, {
      from,
      ...extentOf(loadTest, now()),
      ...withLimits(followed, limits),
    });
    if (!(await this.#readIfNeeded(followed, hasChanged))) return true;
    [followed.lastDataAtMs, followed.refreshedAtMs] = [lastDataAtMs, clockMs()];
    return true;
  }

  /** Returns whether all is read. */
  async #readIfNeeded(followed: Followed, hasChanged: boolean): Promise<boolean> {
    const { data, end = 0, readUntil } = followed;
    if (data === undefined) await this.#readAll(followed);
    else if (hasChanged || readUntil < end) return this.#readChanges(followed, data);
    return true;
  }

  async #readAll(followed: Followed): Promise<void> {
    const { limits } = followed;
    try {
      await this.#openData(followed);
      const until = this.#untilOf(followed);
      const read = await this.#check(followed, limits, { until, checkedUntil: 0 });
      const observed = read.filter(({ limit }) => isPlain(limit));
      await this.#report(followed, { observed, read: read.filter(({ limit }) => !isPlain(limit)) });
      followed.judgedUntil = until;
      followed.readUntil = until;
    } catch (error) {
      followed.data = undefined;
      throw error;
    }
  }

  /** Judges from the store the limits that cannot be judged from observed data. Returns `false` if that has to wait. */
  async #readChanges(followed: Followed, data: RunningData): Promise<boolean> {
    const { store, clockMs } = this.#dependencies;
    const isCurrent = await data.isCurrent(store.points);
    if (isCurrent === undefined) return false;
    const isKnown = isCurrent && data.limits === followed.limits;
    const until = this.#untilOf(followed);
    if (isKnown && data.isUsable && followed.limits.every(isPlain)) {
      followed.readUntil = until;
      return true;
    }
    if (clockMs() < this.#readAgainAtMs) return false;
    const startedMs = clockMs();
    if (!isKnown) await this.#reopenData(followed);
    const { isUsable } = followed.data ?? data;
    const limits = followed.limits.filter((limit) => !isUsable || !isPlain(limit));
    const range = { until, checkedUntil: followed.readUntil };
    const read = await this.#check(followed, limits, range);
    await this.#report(followed, isUsable ? { read } : { observed: [], read });
    followed.readUntil = until;
    this.#readAgainAtMs = clockMs() + (clockMs() - startedMs) / READING_SHARE;
    return true;
  }

  async #reopenData(followed: Followed): Promise<void> {
    const data = await this.#openData(followed);
    const late = Math.max(0, followed.judgedUntil - LATE_DATA_SECONDS);
    data.changedFrom = Math.min(data.changedFrom, late);
  }

  /** From now on, batches are added as they are stored. */
  async #openData(followed: Followed): Promise<RunningData> {
    const { limits, settled, judgedUntil, data: before } = followed;
    const { store, now } = this.#dependencies;
    // Batches that are stored during the read are added after it.
    const data = (followed.data = new RunningData(followed.id, limits));
    try {
      // However long ago they were, windows that were not judged yet are judged.
      await data.read(
        store.points,
        judgedUntil > 0 ? Math.min(settled, judgedUntil) : settled,
        now(),
      );
    } catch (error) {
      followed.data = before;
      throw error;
    }
    return data;
  }

  /** After the last second that counts. */
  #untilOf({ data, end, settled, judgedUntil }: Followed): number {
    const last = data?.senders.lastCommonSecond(this.#dependencies.now());
    return Math.max(judgedUntil, end ?? last ?? settled);
  }

  /** Judges windows with seconds that were not judged yet, or that have new points. */
  async #judgeObserved(followed: Followed): Promise<void> {
    const { data, from, end: runEnd, judgedUntil, limits } = followed;
    // Data for other limits may not hold the windows of these.
    if (data?.isUsable !== true || data.limits !== limits) return;
    const until = Math.min(this.#untilOf(followed), latestSecond(this.#dependencies.now()));
    const { changedFrom } = data;
    if (until <= from || Math.min(changedFrom, judgedUntil) >= until) return;
    data.changedFrom = Infinity;
    const wholeUntil = runEnd === undefined ? until - data.senders.lateSeconds : until;
    try {
      const checkedUntil = Math.min(changedFrom, judgedUntil);
      const observed: CheckedLimit[] = [];
      const untilOf = (limit: Limit): number => (isOfFew(limit) ? wholeUntil : until);
      // Requests that are reported late would be missing in windows of few.
      for (const [end, alike] of Map.groupBy(limits.filter(isPlain), untilOf)) {
        for (const part of recentParts(alike, { from, until: end }, checkedUntil, 1)) {
          observed.push(...(await data.judge(part)).map(withoutQuality));
        }
      }
      await this.#report(followed, { observed });
    } catch (error) {
      data.changedFrom = Math.min(data.changedFrom, changedFrom);
      throw error;
    }
    followed.judgedUntil = wholeUntil;
    data.removeUnneeded(wholeUntil);
  }

  /** Reads the newest windows from the store. */
  async #check(
    { id, from }: Followed,
    limits: readonly Limit[],
    { until, checkedUntil }: { readonly until: number; readonly checkedUntil: number },
  ): Promise<readonly CheckedLimit[]> {
    if (limits.length === 0 || until <= from) return [];
    const { store } = this.#dependencies;
    const snapshot = await store.points.snapshot(id);
    const shared = snapshot && { ...snapshot, release: () => undefined };
    const points = { ...store.points, snapshot: async () => shared };
    const checked: CheckedLimit[] = [];
    try {
      const reader = openStoreReader({ ...store, points });
      for (const part of recentParts(limits, { from, until }, checkedUntil)) {
        checked.push(...(await checkPlain(reader, id, part)));
        const others = part.limits.filter((limit) => !isPlain(limit));
        if (others.length === 0) continue;
        const later = partOf(id, part);
        const query = { later, base: undefined, history: undefined, limits: others };
        await checkThresholds(reader, query, (each) => void checked.push(each));
      }
    } finally {
      snapshot?.release();
    }
    return checked;
  }

  /** Updates the states, and reports when limits break for the first time, and when they are kept again. */
  async #report(followed: Followed, results: Partial<Followed["checked"]>): Promise<void> {
    const { store, onBroken, onRecovered } = this.#dependencies;
    followed.checked = { ...followed.checked, ...results };
    followed.hasResults = true;
    const checked = Object.values(followed.checked).flat();
    const isAnyBroken = checked.some(({ newest }) => newest?.isBroken);
    followed.states = isAnyBroken ? statesOf(checked, followed.states) : undefined;
    const failing = checked.filter((each) => each.outcome === "broken" && failsCheck(each));
    const isFirst = !followed.hasBroken && failing.length > 0;
    const loadTest = async () =>
      requireLoadTest(await store.loadTests.find(followed.id), followed.id);
    if (isFirst) await onBroken(await loadTest(), failing);
    followed.hasBroken ||= isFirst;
    const broke = failing.map(({ limit }) => limit.text);
    followed.broken = new Set([...followed.broken, ...broke]);
    if (followed.broken.size === 0 || followed.hasRecovered) return;
    const own = checked.filter(({ limit }) => followed.broken.has(limit.text));
    // One whose endpoint has no requests any more is not among them.
    const isEach = new Set(own.map(({ limit }) => limit.text)).size === followed.broken.size;
    if (!isEach || !own.every(({ newest }) => newest?.isKept)) return;
    followed.hasRecovered = true;
    await onRecovered(await loadTest(), own);
  }
}

/** A deleted load test leaves its id to another. */
function keyOf({ id, createdAtMs }: Pick<Followed, "id" | "createdAtMs">): string {
  return `${createdAtMs} ${id}`;
}

function isRecent({ until = 0, lastDataAtMs = 0 }: LoadTestSummary, nowMs: number): boolean {
  return nowMs - lastDataAtMs <= FOLLOWED_MS && nowMs / 1000 - until <= RECENT_SECONDS;
}

function isOver({ finishedAtMs, lastDataAtMs = 0 }: LoadTestSummary, nowMs: number): boolean {
  return finishedAtMs !== undefined || nowMs - lastDataAtMs >= QUIET_MS;
}

function extentOf(loadTest: LoadTestSummary, nowMs: number): Pick<Followed, "end" | "settled"> {
  const { until = -1 } = loadTest;
  const settled = Math.min(until, Math.floor(nowMs / 1000) - SETTLED_SECONDS);
  return { end: isOver(loadTest, nowMs) ? until + 1 : undefined, settled };
}

/** Once limits have changed: results of those that are left. If one that broke is gone, new ones have to be kept in its place. */
function withLimits(
  { broken, checked, limits: before }: Followed,
  limits: readonly Limit[],
): Pick<Followed, "limits" | "broken" | "checked"> {
  if (limits === before) return { limits, broken, checked };
  const texts = new Set(limits.map(({ text }) => text));
  const known = new Set(before.map(({ text }) => text));
  const left = [...broken].filter((text) => texts.has(text));
  const added = [...texts].filter((text) => left.length < broken.size && !known.has(text));
  const own = (each: CheckedLimit): boolean => texts.has(each.limit.text);
  const { observed, read } = checked;
  return {
    limits,
    broken: new Set([...left, ...added]),
    checked: { observed: observed.filter(own), read: read.filter(own) },
  };
}

function partOf(loadTestId: string, { range }: RecentPart) {
  const steady = { skipStartSeconds: 0, skipEndSeconds: 0 };
  return { loadTestId, selection: ALL_ENDPOINTS, range, ...steady };
}

/** Judges limits that need no summary. */
async function checkPlain(
  reader: Pick<LoadTestReader, "windows">,
  loadTestId: string,
  part: RecentPart,
): Promise<readonly CheckedLimit[]> {
  const limits = part.limits.filter(isPlain);
  if (limits.length === 0) return [];
  const { range } = part;
  const windows = { part: partOf(loadTestId, part), range, limits, labelsOf: labelOf };
  const judge = await prepareWindows(reader, windows);
  return limits.map((limit) => withoutQuality(judge(limit)));
}

function labelOf({ label }: Limit): readonly (string | undefined)[] {
  return [label];
}

function withoutQuality(judged: Judged): CheckedLimit {
  return { ...judged, quality: { base: [], value: [] } };
}
