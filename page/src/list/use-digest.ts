import { useEffect, useState } from "preact/hooks";
import { type Scope, type Series, askMerged, askOverall } from "../api/figures.ts";
import type { LoadTest } from "../api/load-tests.ts";
import { useAnswer } from "../api/use-answer.ts";
import { type Grid, gridOf } from "../charts/grid.ts";

/** What a list row shows beyond the list's own answer. */
export interface Digest {
  /** Seconds; `undefined` without requests. */
  readonly p95: number | undefined;
  readonly grid: Grid;
  readonly series: Series | undefined;
}

const WINDOWS = 64;
/** Concurrent requests of rows: the list and later requests have priority. */
const inTurn = createTurns(2);

/** The digest of a load test, requested when its row becomes visible. */
export function useDigest(
  loadTest: LoadTest,
  row: { readonly current: Element | null },
): Digest | undefined {
  const { id, lastDataAt } = loadTest;
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) setSeen(true);
    });
    if (row.current !== null) observer.observe(row.current);
    return () => observer.disconnect();
  }, []);
  const question = isSeen ? `${id} ${lastDataAt}` : "";
  return useAnswer("digest", question, (signal) =>
    inTurn(async () => {
      signal.throwIfAborted();
      return await digestOf(loadTest, signal);
    }),
  ).value;
}

async function digestOf(loadTest: LoadTest, signal: AbortSignal): Promise<Digest> {
  const { id } = loadTest;
  const [from, until] = [loadTest.from ?? 0, loadTest.until ?? 0];
  const scope: Scope = { id, filter: "", hashes: [], from: undefined, until: undefined };
  const resolution = Math.max(1, Math.ceil((until - from + 1) / WINDOWS));
  const { p95 } = await askOverall(scope, signal);
  const series = await askMerged(scope, resolution, signal);
  return {
    p95: p95 ?? undefined,
    grid: gridOf(from, until + 1, resolution),
    series,
  };
}

/** Limits concurrent requests, so that many of them leave room for others. */

/** Runs tasks in order, at most `most` at once. */
export function createTurns(most: number): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => void waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The next task takes over the slot.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
