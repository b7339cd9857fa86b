import type { LoadTestJson } from "../../api/load-tests.ts";
import type { SecondRange } from "../../model/columns.ts";
import { type CheckedLimit, failsCheck, type Limit, rowSeconds } from "./limit.ts";

export interface WatchDependencies {
  /** `undefined`: it does not exist. */
  readonly readRun: () => Promise<Pick<LoadTestJson, "from" | "until" | "finishedAt"> | undefined>;
  /** Checks the limits over windows, as far as they hold seconds that were not checked: see `recentParts`. */
  readonly check: (run: SecondRange, checkedUntil: number) => Promise<readonly CheckedLimit[]>;
  /** Called when a limit that does not fail the check breaks. */
  readonly warn: (checked: CheckedLimit) => void;
  /** Whether the load generator is still running. @default not known */
  readonly isLoadRunning?: (() => boolean) | undefined;
  /** Milliseconds since the epoch, here. */
  readonly now: () => number;
  /** May return earlier, when there are news. */
  readonly wait: (ms: number) => Promise<unknown>;
  readonly interrupted: AbortSignal;
}

const EVERY_MS = 500;

/** A run that was not marked as finished is over after this time without new data: as long as on a server. */
const QUIET_MS = 60_000;

/** The same, once the load generator has ended. */
const SETTLED_MS = 5000;

/** How long a run may take to appear. */
const ABSENT_MS = 300_000;

/** Data that come by less later than any lately are only late. */
const LATE_SECONDS = 2;

/** Data that came lately: a minute or more. */
const ARRIVALS_MAX = 60;

/** How much later further data may come if none have come since the watcher was started. */
const FIRST_DELAY_SECONDS = 10;

/**
 * Waits until a run is over, or until a limit breaks that fails the check: returns it then. A second is looked at once a later one has
 * data. While the load is known to run and nothing comes, seconds count as empty from when their data were due: by the longest time that data
 * took lately, whatever the clocks say. Rejects with what `readRun` and `check` reject with.
 */
export async function watchRun(watched: WatchDependencies): Promise<CheckedLimit | undefined> {
  const { readRun, wait, interrupted, isLoadRunning, now } = watched;
  const data = new ArrivingData(now());
  const limits = new WatchedLimits(watched);
  while (!interrupted.aborted) {
    const { from, until, finishedAt } = (await readRun()) ?? NO_RUN;
    const isRunning = isLoadRunning?.();
    data.see(until, now());
    if (finishedAt !== null || data.isOver(now(), isRunning)) return undefined;
    const end = isRunning ? data.dueUntil(now()) : data.lastSecond;
    const broken = from !== null && end > from ? await limits.checkUntil(end, from) : undefined;
    if (broken !== undefined) return broken;
    await wait(EVERY_MS);
  }
  return undefined;
}

const NO_RUN = { from: null, until: null, finishedAt: null };

/** Tracks how late data arrive. */
class ArrivingData {
  /** 0: no data. */
  lastSecond = 0;
  #changedAtMs: number;
  /** Ages of the last data when further ones came. */
  readonly #delaysSeconds: number[] = [];
  /** Of the first data: a watcher that is started again while the target hangs sees no others. */
  #firstDelaySeconds = Infinity;

  constructor(nowMs: number) {
    this.#changedAtMs = nowMs;
  }

  see(until: number | null, nowMs: number): void {
    if (until === null || until <= this.lastSecond) return;
    if (this.lastSecond > 0) {
      this.#delaysSeconds.push(nowMs / 1000 - this.lastSecond);
      if (this.#delaysSeconds.length > ARRIVALS_MAX) this.#delaysSeconds.shift();
    } else this.#firstDelaySeconds = nowMs / 1000 - until + FIRST_DELAY_SECONDS;
    [this.lastSecond, this.#changedAtMs] = [until, nowMs];
  }

  /** After the last second that has data or, if they are late, whose data should have come. */
  dueUntil(nowMs: number): number {
    const isFirst = this.#delaysSeconds.length === 0;
    const delaySeconds = isFirst ? this.#firstDelaySeconds : Math.max(...this.#delaysSeconds);
    const due = nowMs / 1000 - delaySeconds;
    // When they came, the last data were the beginning of a second.
    return due < this.lastSecond + LATE_SECONDS ? this.lastSecond : Math.floor(due) + 1;
  }

  isOver(nowMs: number, isRunning: boolean | undefined): boolean {
    const quietMs = nowMs - this.#changedAtMs;
    if (isRunning === true) return false;
    if (isRunning === false) return quietMs >= SETTLED_MS;
    return quietMs >= (this.lastSecond > 0 ? QUIET_MS : ABSENT_MS);
  }
}

/** How much later than newer data others of a run may come and still be looked at while it runs. */
export const LATE_DATA_SECONDS = 30;

export interface RecentPart {
  readonly range: SecondRange;
  readonly limits: readonly Limit[];
}

/**
 * The newest part of a run that holds each window with a second after `checkedUntil`, or one so much earlier, and the windows in a row before it; with
 * limits as they are in that part.
 */
export function recentParts(
  limits: readonly Limit[],
  run: SecondRange,
  checkedUntil: number,
  lateSeconds = LATE_DATA_SECONDS,
): readonly RecentPart[] {
  const byLength = Map.groupBy(limits, ({ window }) => window?.seconds ?? 0);
  return Array.from(byLength, ([seconds, own]) => {
    const rows = own.map(({ window }) => (window === undefined ? seconds : rowSeconds(window)));
    const from = Math.max(run.from, checkedUntil - lateSeconds - Math.max(...rows) + 1);
    const within = own.flatMap(({ window, ...limit }) => {
      if (window === undefined) return [];
      const afterSeconds = Math.max(0, window.afterSeconds - (from - run.from));
      return [{ ...limit, window: { ...window, afterSeconds } }];
    });
    return { range: { from, until: run.until }, limits: within };
  });
}

class WatchedLimits {
  readonly #watched: Pick<WatchDependencies, "check" | "warn">;
  readonly #warned = new Set<string>();
  #checkedUntil = 0;

  constructor(watched: Pick<WatchDependencies, "check" | "warn">) {
    this.#watched = watched;
  }

  /** Checks the run again if it has grown. Returns the limit that fails the check, if any. */
  async checkUntil(until: number, from: number): Promise<CheckedLimit | undefined> {
    const checkedUntil = this.#checkedUntil;
    if (until <= checkedUntil) return undefined;
    this.#checkedUntil = until;
    for (const checked of await this.#watched.check({ from, until }, checkedUntil)) {
      if (checked.outcome !== "broken") continue;
      if (failsCheck(checked)) return checked;
      const { text } = checked.limit;
      if (!this.#warned.has(text)) this.#watched.warn(checked);
      this.#warned.add(text);
    }
    return undefined;
  }
}
