import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import { askMerged, askOverall, type Scope, type Series } from "../api/figures.ts";
import type { LoadTest } from "../api/load-tests.ts";
import { createTurns } from "../api/turns.ts";
import { type Grid, gridOf } from "../charts/grid.ts";

/** What a row of the list shows besides what the list itself says. */
export interface Digest {
  /** Seconds; `undefined` without requests. */
  readonly p95: number | undefined;
  readonly grid: Grid;
  readonly series: Series | undefined;
}

const WINDOWS = 64;
/** Requests of rows at once: the list and what comes after it go first. */
const inTurn = createTurns(2);
/** By id and state of the data: going back to the list asks for nothing again. */
const known = new Map<string, Digest>();

/** The digest of a load test, asked for as soon as its row is seen. */
export function useDigest(
  loadTest: LoadTest,
  row: { readonly current: Element | null },
): Digest | undefined {
  const { id, lastDataAt } = loadTest;
  const name = `${id} ${lastDataAt}`;
  const [digest, setDigest] = useState<{ readonly name: string; readonly value: Digest }>();
  useEffect(() => {
    if (known.has(name) || row.current === null) return undefined;
    const abort = new AbortController();
    const ask = async (): Promise<void> => {
      if (abort.signal.aborted) return;
      const value = await digestOf(loadTest, abort.signal);
      known.set(name, value);
      setDigest({ name, value });
    };
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      observer.disconnect();
      inTurn(ask).catch(passOver);
    });
    observer.observe(row.current);
    return () => {
      observer.disconnect();
      abort.abort();
    };
  }, [name]);
  // While a live load test grows, its last digest stays until the next has come.
  return known.get(name) ?? digest?.value;
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

/** A row without its digest is still a row. */
function passOver(error: unknown): void {
  if (error instanceof ApiError || (error instanceof DOMException && error.name === "AbortError")) {
    return;
  }
  throw error;
}
