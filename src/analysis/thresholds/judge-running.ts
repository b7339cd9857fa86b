import type { RunningLimitJson } from "../../api/live.ts";
import { Yielder } from "../../concurrency/yielder.ts";
import { UserError } from "../../model/errors.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import type { SecondRange } from "../../model/columns.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { Store } from "../../store/store.ts";
import { prepareWindows } from "../check/check-windows.ts";
import {
  type CheckedLimit,
  failsCheck,
  type Judged,
  type Limit,
  limitJson,
} from "../check/limit.ts";
import { recentParts } from "../check/watch-run.ts";
import { openStoreReader } from "../load-test-reader.ts";
import { checkThresholds } from "./check-thresholds.ts";
import { limitsOf } from "./stored-thresholds.ts";

/** How often load tests that begin are looked for, and how often each is looked at, at most. */
const EVERY_MS = 4000;

/** A look that takes longer is repeated after so many times as long. */
const PAUSE_PER_LOOK = 20;

/** Latest load tests among which running ones are looked for. */
const LOAD_TESTS_MAX = 1000;

/** A load test is followed for this time after its last data. */
const FOLLOWED_MS = 300_000;

/** As long as until it counts as finished: see `FinishedJudge`. */
const QUIET_MS = 60_000;

/** Live data of requests that are older are not those of a running load test. */
const RECENT_SECONDS = 3600;

const STATES_MAX = 50;

export interface RunningJudgeDependencies {
  readonly store: Pick<Store, "loadTests" | "points" | "thresholds" | "version">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
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
  /** After the last second that was looked at; 0: none. */
  judgedUntil: number;
  lastDataAtMs: number | undefined;
  readonly broken: Set<string>;
  hasRecovered: boolean;
}

/**
 * Judges the windows of load tests while they run. Each look reads only what windows with new seconds need; the first one all, so that a
 * process that begins again sees what broke before.
 */
export class RunningJudge {
  readonly #dependencies: RunningJudgeDependencies;
  /** By `keyOf`. */
  readonly #followed = new Map<string, Followed>();
  readonly #states = new Map<string, readonly RunningLimitJson[]>();
  /** By name, until the next search; `undefined`: none over a window. */
  readonly #limits = new Map<string, readonly Limit[] | undefined>();
  /** See `keyOf`. */
  readonly #givenUp = new Set<string>();
  #version: unknown;
  #searchedAtMs = -Infinity;

  constructor(dependencies: RunningJudgeDependencies) {
    this.#dependencies = dependencies;
  }

  stateOf(loadTestId: string): readonly RunningLimitJson[] | undefined {
    return this.#states.get(loadTestId);
  }

  /** Looks at all that are due, one after the other. Yields to the event loop. Throws the first error at the end: those looks are repeated. */
  async look(): Promise<void> {
    const { now } = this.#dependencies;
    await this.#search();
    const [yielder, errors] = [new Yielder(), [] as unknown[]];
    for (const [key, followed] of this.#followed) {
      if (now() < followed.dueAtMs) continue;
      const startedMs = performance.now();
      await this.#lookAtOrForget(key, followed).catch((error: unknown) => errors.push(error));
      const pauseMs = PAUSE_PER_LOOK * (performance.now() - startedMs);
      followed.dueAtMs = now() + Math.max(EVERY_MS, pauseMs);
      await yielder.pass();
    }
    if (errors.length > 0) throw errors[0];
  }

  /** Begins to follow load tests that run, have live data and limits over windows. */
  async #search(): Promise<void> {
    const { store, now } = this.#dependencies;
    if (now() - this.#searchedAtMs < EVERY_MS) return;
    this.#searchedAtMs = now();
    this.#limits.clear();
    const version = await store.version();
    if (version !== undefined && version === this.#version) return;
    for (const loadTest of await store.loadTests.list({ limit: LOAD_TESTS_MAX })) {
      const { id, createdAtMs } = loadTest;
      const key = keyOf(loadTest);
      if (this.#followed.has(key) || this.#givenUp.has(key) || !isRecent(loadTest, now())) continue;
      if (!(await this.#orGiveUp(loadTest, () => this.#isJudged(loadTest)))) continue;
      // Looks are spread over the time between them.
      const dueAtMs = now() + ((this.#followed.size * 61) % EVERY_MS);
      const begun = { judgedUntil: 0, lastDataAtMs: undefined, hasRecovered: false };
      this.#followed.set(key, { id, createdAtMs, dueAtMs, broken: new Set(), ...begun });
    }
    this.#version = version;
  }

  /** Whether it has limits over windows, and live data. */
  async #isJudged({ id, name }: LoadTestSummary): Promise<boolean> {
    if ((await this.#limitsOf(name)) === undefined) return false;
    return (await this.#dependencies.store.points.liveSources(id)).length > 0;
  }

  async #limitsOf(name: string): Promise<readonly Limit[] | undefined> {
    if (this.#limits.has(name)) return this.#limits.get(name);
    const { store, now } = this.#dependencies;
    const text = await store.thresholds.find(name);
    const all = text === undefined ? [] : limitsOf(JSON.parse(text), name, now());
    const over = all.filter(({ window }) => window !== undefined);
    this.#limits.set(name, over.length === 0 ? undefined : over);
    return this.#limits.get(name);
  }

  async #lookAtOrForget(key: string, followed: Followed): Promise<void> {
    if (await this.#orGiveUp(followed, () => this.#lookAt(followed))) return;
    this.#followed.delete(key);
    this.#states.delete(followed.id);
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
      this.#givenUp.add(keyOf({ id, createdAtMs }));
      this.#dependencies.failed(id, error.message);
      return false;
    }
  }

  /** Returns whether it is worth to look again. */
  async #lookAt(followed: Followed): Promise<boolean> {
    const { store, now } = this.#dependencies;
    const loadTest = await store.loadTests.find(followed.id);
    if (loadTest?.createdAtMs !== followed.createdAtMs) return false;
    const { lastDataAtMs = 0 } = loadTest;
    if (now() - lastDataAtMs > FOLLOWED_MS) return false;
    const limits = await this.#limitsOf(loadTest.name);
    if (limits === undefined) return false;
    const run = knownPart(loadTest, now());
    const isNew = lastDataAtMs !== followed.lastDataAtMs || run.until > followed.judgedUntil;
    if (!isNew || run.until <= run.from) return true;
    const checked = await this.#check(loadTest.id, limits, { run, followed });
    this.#states.set(loadTest.id, statesOf(checked, this.#states.get(loadTest.id)));
    await this.#tell(loadTest, checked, followed);
    // If telling fails, the same windows are looked at again.
    [followed.judgedUntil, followed.lastDataAtMs] = [run.until, lastDataAtMs];
    return true;
  }

  async #check(
    loadTestId: string,
    limits: readonly Limit[],
    { run, followed }: { readonly run: SecondRange; readonly followed: Followed },
  ): Promise<readonly CheckedLimit[]> {
    const { store } = this.#dependencies;
    const snapshot = await store.points.snapshot(loadTestId);
    const shared = snapshot && { ...snapshot, release: () => undefined };
    const points = { ...store.points, snapshot: async () => shared };
    const checked: CheckedLimit[] = [];
    try {
      const reader = openStoreReader({ ...store, points });
      for (const { range, limits: own } of recentParts(limits, run, followed.judgedUntil)) {
        const part = { selection: ALL_ENDPOINTS, range, skipStartSeconds: 0, skipEndSeconds: 0 };
        const later = { loadTestId, ...part };
        const plain = own.filter(isPlain);
        const windows = { part: later, range, limits: plain, labelsOf: labelOf };
        checked.push(...plain.map(withoutQuality(await prepareWindows(reader, windows))));
        const others = own.filter((limit) => !isPlain(limit));
        if (others.length === 0) continue;
        const query = { later, base: undefined, history: undefined, limits: others };
        await checkThresholds(reader, query, (each) => void checked.push(each));
      }
    } finally {
      snapshot?.release();
    }
    return checked;
  }

  async #tell(
    loadTest: LoadTestSummary,
    checked: readonly CheckedLimit[],
    followed: Followed,
  ): Promise<void> {
    const { onBroken, onRecovered } = this.#dependencies;
    const failing = checked.filter((each) => each.outcome === "broken" && failsCheck(each));
    const isFirst = followed.broken.size === 0 && failing.length > 0;
    if (isFirst) await onBroken(loadTest, failing);
    for (const { limit } of failing) followed.broken.add(limit.text);
    if (followed.broken.size === 0 || followed.hasRecovered) return;
    const own = checked.filter(({ limit }) => followed.broken.has(limit.text));
    // One whose endpoint has no requests any more is not among them.
    const isEach = new Set(own.map(({ limit }) => limit.text)).size === followed.broken.size;
    if (!isEach || !own.every(({ newest }) => newest?.isKept)) return;
    followed.hasRecovered = true;
    await onRecovered(loadTest, own);
  }
}

/** A deleted load test leaves its id to another. */
function keyOf({ id, createdAtMs }: Pick<LoadTestSummary, "id" | "createdAtMs">): string {
  return `${createdAtMs} ${id}`;
}

function isRecent({ until = 0, lastDataAtMs = 0 }: LoadTestSummary, nowMs: number): boolean {
  return nowMs - lastDataAtMs <= FOLLOWED_MS && nowMs / 1000 - until <= RECENT_SECONDS;
}

/** A second counts once a later one has data, or the load test is over. */
function knownPart(loadTest: LoadTestSummary, nowMs: number): SecondRange {
  const { finishedAtMs, lastDataAtMs = 0, from = 0, until = -1 } = loadTest;
  const isOver = finishedAtMs !== undefined || nowMs - lastDataAtMs >= QUIET_MS;
  return { from, until: isOver ? until + 1 : until };
}

/** Whether it is about all requests or those of one endpoint: its windows can be judged without a summary. */
function isPlain({ each, facets, selector }: Limit): boolean {
  return each === undefined && facets === undefined && selector === undefined;
}

function labelOf({ label }: Limit): readonly (string | undefined)[] {
  return [label];
}

function withoutQuality(judge: (limit: Limit) => Judged): (limit: Limit) => CheckedLimit {
  return (limit) => ({ ...judge(limit), quality: { base: [], value: [] } });
}

function statesOf(
  checked: readonly CheckedLimit[],
  before: readonly RunningLimitJson[] = [],
): readonly RunningLimitJson[] {
  const known = new Map(before.map((each) => [each.failIf, each]));
  const states = checked.flatMap(({ limit, newest, ...judged }) => {
    if (newest === undefined) return [];
    const { measured, window, isBroken, brokenSince } = newest;
    const fails = failsCheck({ ...judged, limit, outcome: "broken" });
    const about = limitJson(limit);
    const since = earlierOf(brokenSince, known.get(about.failIf));
    return [{ ...about, fails, isBroken, brokenSince: since, measured, window }];
  });
  return states
    .toSorted((left, right) => Number(right.isBroken) - Number(left.isBroken))
    .slice(0, STATES_MAX);
}

/** A look reads only the latest windows: what was broken in all of them may have been broken before. */
function earlierOf(
  brokenSince: number | undefined,
  before: RunningLimitJson | undefined,
): number | undefined {
  if (brokenSince === undefined || before?.brokenSince === undefined) return brokenSince;
  return brokenSince <= before.window.until ? before.brokenSince : brokenSince;
}
