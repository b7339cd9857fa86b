import { expect, test } from "vitest";
import type { SecondRange } from "../../model/columns.ts";
import type { CheckedLimit } from "./limit.ts";
import { isMistake, parseLimit } from "./parse-limit.ts";
import { recentParts, watchRun } from "./watch-run.ts";

const limit = parseLimit("errors > 5% over 5s");
if (isMistake(limit)) throw new Error(limit.message);
const BROKEN: CheckedLimit = { limit, outcome: "broken", quality: { base: [], value: [] } };

interface Timeline {
  /** Of second `at` after the start: the last second with data, and whether the run is finished. */
  readonly until: (at: number) => number | null;
  readonly isFinished?: (at: number) => boolean;
  readonly isLoadRunning?: (at: number) => boolean;
  readonly breaksAt?: number;
  readonly looksAt?: (until: number, at: number) => void;
}

/** Watches a run whose data and clock are those of a timeline. Returns when and with what it ended. */
async function watch(timeline: Timeline) {
  const { until, isFinished, isLoadRunning, breaksAt = Infinity, looksAt } = timeline;
  let at = 0;
  const ranges: SecondRange[] = [];
  const broken = await watchRun({
    readRun: async () => {
      const last = until(at);
      const finishedAt = isFinished?.(at) ? "2026-11-29T00:00:00Z" : null;
      return { from: last === null ? null : 100, until: last, finishedAt };
    },
    check: async (range, checkedUntil) => {
      expect(checkedUntil).toBe(ranges.at(-1)?.until ?? 0);
      ranges.push(range);
      looksAt?.(range.until, at);
      return range.until > breaksAt ? [BROKEN] : [];
    },
    warn() {},
    isLoadRunning: isLoadRunning && (() => isLoadRunning(at)),
    now: () => 5_000_000 + at * 1000,
    wait: async () => void (at += 1),
    interrupted: new AbortController().signal,
  });
  return { at, broken, last: ranges.at(-1)?.until };
}

/** Seconds after 100 that have data, until load stops after 30. */
const thirtySeconds = (at: number): number => 100 + Math.min(at, 30);

/** Data that come every ten seconds. */
const everyTen = (at: number): number => 107 + at - (at % 10);

/** The clock of the load is far behind, and its data take 3 to 5 s; it freezes after 20 s, and ends after 60. */
const frozen = {
  until: (at: number): number => 100 + Math.min(at - (at % 3), 20),
  isLoadRunning: (at: number): boolean => at < 60,
};

test("a second is looked at once a later one has data, and what breaks ends it", async () => {
  expect(await watch({ until: (at) => 100 + at, breaksAt: 120 })).toEqual({
    at: 21,
    broken: BROKEN,
    last: 121,
  });
});

test("a run is over when it is finished, or after a minute without data", async () => {
  const finished = await watch({ until: thirtySeconds, isFinished: (at) => at >= 40 });
  expect(finished).toMatchObject({ at: 40, last: 130 });
  expect(await watch({ until: thirtySeconds })).toMatchObject({ at: 90, broken: undefined });
});

test("a run that does not appear is waited for, five minutes", async () => {
  const absent = await watch({ until: () => null });
  expect(absent).toEqual({ at: 300, broken: undefined, last: undefined });
});

test("while the load runs, seconds without data are looked at when they were due", async () => {
  expect(await watch({ ...frozen, breaksAt: 130 })).toMatchObject({ at: 33, broken: BROKEN });
  expect(await watch(frozen)).toMatchObject({ at: 60, broken: undefined });
});

test("a watcher that is started while the target hangs sees that nothing comes", async () => {
  const hangs = { until: () => 120, isLoadRunning: (at: number) => at < 60, breaksAt: 125 };
  // 10 s more than the first data took, after second 125.
  expect(await watch(hangs)).toMatchObject({ at: 15, broken: BROKEN });
});

test("while the load runs, seconds whose data come in bursts are not looked at before", async () => {
  const early: number[] = [];
  await watch({
    until: everyTen,
    isLoadRunning: (at) => at < 60,
    looksAt: (end, at) => void (end > everyTen(at) && early.push(end)),
  });
  expect(early).toEqual([]);
});

const OVER = ["errors > 5% over 10s after 20s", "p95 > 1s over 60s"].map((text) => {
  const read = parseLimit(text);
  if (isMistake(read)) throw new Error(read.message);
  return read;
});

test("a look reads windows with new seconds, those before them, and half a minute for late data", () => {
  const [first] = recentParts(OVER, { from: 100, until: 110 }, 0);
  expect(first).toMatchObject({ range: { from: 100, until: 110 }, limits: [OVER[0]] });
  const later = recentParts(OVER, { from: 100, until: 505 }, 500);
  // The first window with a second of 470 or later begins at 461, the one before it at 451.
  expect(later.map(({ range }) => range)).toEqual([
    { from: 451, until: 505 },
    { from: 351, until: 505 },
  ]);
  expect(later.map(({ limits: [own] }) => own?.window?.afterSeconds)).toEqual([0, 0]);
  const [early] = recentParts(OVER, { from: 450, until: 505 }, 504);
  expect(early).toMatchObject({
    range: { from: 455, until: 505 },
    limits: [{ window: { seconds: 10, afterSeconds: 15 } }],
  });
});
