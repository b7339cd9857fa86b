import { setTimeout } from "node:timers/promises";
import { ClickHouseError, storeError } from "./clickhouse-error.ts";

export const SYSTEM_CLOCK: Clock = {
  clockMs: () => performance.now(),
  async wait(ms, signal) {
    try {
      await setTimeout(ms, undefined, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
  random: Math.random,
};

export type Round<Result> =
  | { readonly result: Result }
  /** Why it failed, and whether a retry can help. */
  | { readonly failure: unknown; readonly canPass: boolean };

export interface Trying {
  /** The action, for messages: "read load tests". */
  readonly doing: string;
  readonly patienceMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

const FIRST_PAUSE_MS = 25;
const PAUSE_MS_MAX = 2000;

/** Runs rounds with growing pauses until one succeeds. If one fails for good or patience ends, throws what the failure means. */
export async function untilDone<Result>(
  round: () => Promise<Round<Result>>,
  { doing, patienceMs, clock, signal }: Trying,
): Promise<Result> {
  const { clockMs, wait, random } = clock;
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

/** Tries the candidates in order. Throws errors that are not server failures, or that fail everywhere. */
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

/** For waiting. */
export interface Clock {
  /** Milliseconds of a monotonic clock. */
  readonly clockMs: () => number;
  /** Ends early if the signal is aborted, with its reason. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 to 1, to spread retries. */
  readonly random: () => number;
}
