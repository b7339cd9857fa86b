import { CHANGES } from "../api/client.ts";
import { isLive, listAll, listLoadTests, type LoadTest, quotedWord } from "../api/load-tests.ts";
import { isBaseline } from "../api/trend.ts";
import { type Asked, useAnswer } from "../api/use-answer.ts";

/** A run that can be read from its first second on. */
export type EarlierRun = LoadTest & { readonly from: number; readonly until: number };

/** Other runs of the same name. */
export interface EarlierRuns {
  /** The baseline. */
  readonly baseline: EarlierRun | undefined;
  /** Finished ones, latest first, without those that failed their thresholds. */
  readonly good: readonly EarlierRun[];
}

/** Runs that a growing run is ranked among. */
const GOOD_MAX = 20;

/** The other runs of a name, asked once; none in a report. */
export function useEarlierRuns(id: string, name: string): Asked<EarlierRuns> {
  return useAnswer("earlier runs", CHANGES ? JSON.stringify([id, name]) : "", (signal) =>
    askEarlierRuns(id, name, signal),
  );
}

export async function askEarlierRuns(
  id: string,
  name: string,
  signal: AbortSignal,
): Promise<EarlierRuns> {
  const [marked, latest] = await Promise.all([
    listAll({ search: `name:${quotedWord(name)}`, tag: "baseline" }, signal),
    listLoadTests({ search: `name:${quotedWord(name)}` }, signal),
  ]);
  const isOther = (run: LoadTest): run is EarlierRun =>
    run.name === name && run.id !== id && run.from !== null && run.until !== null;
  return {
    baseline: marked.loadTests.filter(isOther).find(isBaseline),
    good: latest.loadTests.filter(isOther).filter(isGood).slice(0, GOOD_MAX),
  };
}

function isGood(run: LoadTest): boolean {
  return !run.tags.includes("thresholds-failed") && !isLive(run, Date.now());
}
