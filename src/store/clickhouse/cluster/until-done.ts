import { setTimeout } from "node:timers/promises";
import { ClickHouseError, storeError } from "./clickhouse-error.ts";

export const SYSTEM_CLOCK: Dependencies = {
  clockMs: () => performance.now(),
  async wait(ms, signal) {
    try {
      await setTimeout(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
  random: Math.random,
};

/** What a round of attempts came to. */
export type Round<Result> =
  | { readonly result: Result }
  /** Why it failed, and whether that can pass. */
  | { readonly failure: unknown; readonly canPass: boolean };

export interface Trying {
  /** What is tried, for the message: "read load tests". */
  readonly doing: string;
  readonly patienceMs: number;
  readonly dependencies: Dependencies;
  readonly signal?: AbortSignal | undefined;
}

const FIRST_PAUSE_MS = 25;
const PAUSE_MS_MAX = 2000;

/**
 * The result of the first round that has one. Rounds follow one another after pauses that grow, until
 * one fails for good or patience is over; then what its failure means is thrown.
 */
export async function untilDone<Result>(
  round: () => Promise<Round<Result>>,
  { doing, patienceMs, dependencies, signal }: Trying,
): Promise<Result> {
  const { clockMs, wait, random } = dependencies;
  const startedAtMs = clockMs();
  for (let rounds = 0; ; rounds++) {
    signal?.throwIfAborted();
    const outcome = await round();
    if ("result" in outcome) return outcome.result;
    const leftMs = startedAtMs + patienceMs - clockMs();
    if (!outcome.canPass || leftMs <= 0) throw storeError(outcome.failure, doing);
    const pauseMs = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** Math.min(rounds, 10));
    await wait(Math.min(leftMs, pauseMs * (0.5 + random() / 2)), signal);
  }
}

/** Tries one candidate after the other. What is no failure of a server, or fails everywhere, is thrown. */
export async function firstOf<Candidate, Result>(
  candidates: Iterable<Candidate>,
  attempt: (candidate: Candidate) => Promise<Result>,
  doing: string,
): Promise<Round<Result>> {
  let [failure, canPass]: [unknown, boolean] = [undefined, false];
  for (const candidate of candidates) {
    try {
      return { result: await attempt(candidate) };
    } catch (error) {
      if (!(error instanceof ClickHouseError) || error.remedy === "final") {
        throw storeError(error, doing);
      }
      failure = error;
      canPass ||= error.remedy === "passing";
    }
  }
  return { failure, canPass };
}

/** One round made of several, of which each is gone through only where those before it failed. */
export async function firstRound<Result>(
  ...rounds: readonly (() => Promise<Round<Result>>)[]
): Promise<Round<Result>> {
  let [failure, canPass]: [unknown, boolean] = [undefined, false];
  for (const round of rounds) {
    const outcome = await round();
    if ("result" in outcome) return outcome;
    failure = outcome.failure ?? failure;
    canPass ||= outcome.canPass;
  }
  return { failure, canPass };
}

/** What waiting needs of the world. */
export interface Dependencies {
  /** Milliseconds of a clock that only goes forward. */
  readonly clockMs: () => number;
  /** Ends early where the signal is aborted, with its reason. */
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** From 0 to 1, so that many that wait do not come back all at once. */
  readonly random: () => number;
}
