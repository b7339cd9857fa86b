import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { askEach, type Scope, type Series } from "../../api/figures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { type Grid, gridOf } from "../../charts/grid.ts";
import { HoldingContext } from "../scope/holding.ts";
import type { Range } from "../scope/range.ts";

const WINDOWS = 60;
/** How long rows must stay still before their lines are requested. */
const STILL_MS = 100;
/** Endpoints per request. */
const AT_ONCE = 100;

export interface Sparklines {
  readonly grid: Grid;
  /** Window in seconds. */
  readonly resolution: number;
  /** Loaded series, by endpoint hash. */
  readonly series: ReadonlyMap<string, Series>;
}

/** Sparklines of the visible endpoints in one request; loaded ones are cached. */
export function useSparklines(
  scope: Scope,
  range: Range,
  seen: readonly string[],
  version: number,
): Sparklines {
  const { id, outcome, where, by } = scope;
  const { from, until } = range;
  const { grainSeconds } = useContext(HoldingContext);
  const grains = Math.max(1, Math.ceil((until - from) / WINDOWS / grainSeconds));
  const resolution = grains * grainSeconds;
  const grid = useMemo(() => gridOf(from, until, resolution), [from, until, resolution]);
  const question = JSON.stringify([from, until, version, outcome, where, by]);
  const [known, setKnown] = useState<Known>({ question, grid, resolution, series: new Map() });
  const has = known.question === question ? known.series : new Map();
  const missing = seen.filter((hash) => !has.has(hash)).slice(0, AT_ONCE);
  const asked = useAnswer(
    "sparklines",
    missing.length === 0 ? "" : JSON.stringify([id, resolution, question, missing]),
    async (signal) => {
      await stillness(signal);
      const wanted: Scope = { ...scope, filter: "", hashes: missing, from, until };
      return { question, grid, resolution, series: await askEach(wanted, resolution, signal) };
    },
  );
  useEffect(() => {
    const { value } = asked;
    if (value !== undefined) setKnown((last) => extended(last, value));
  }, [asked.value]);
  // Until others come, those of the last request stay in its windows.
  return known;
}

interface Known extends Sparklines {
  readonly question: string;
}

interface Came extends Omit<Known, "series"> {
  readonly series: readonly Series[];
}

/** Adds loaded series and forgets those of another request. */
function extended(last: Known, came: Came): Known {
  const kept = last.question === came.question ? last.series : [];
  const added = came.series.map((series): [string, Series] => [series.hash ?? "", series]);
  return { ...came, series: new Map([...kept, ...added]) };
}

/** Waits until rows stay still; throws when they move. */
function stillness(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, STILL_MS);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
