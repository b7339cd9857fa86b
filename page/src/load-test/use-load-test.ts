import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, isOutage } from "../api/api-error.ts";
import { isLive, type LoadTestDetail, showLoadTest } from "../api/load-tests.ts";
import { type Asked, useAnswer } from "../api/use-answer.ts";
import type { Live, Outage } from "./live.tsx";

/** A load test as the service told it last. */
export interface FollowedLoadTest {
  readonly loadTest: LoadTestDetail | undefined;
  readonly error: ApiError | undefined;
  /** Grows when there are new data, and when the service is back. */
  readonly version: number;
  readonly live: Live;
  /** Asks for it once more. */
  readonly askAgain: () => void;
}

interface Told {
  readonly loadTest: LoadTestDetail;
  readonly atMs: number;
}

/** How often a load test that gets data is asked for them. */
const EVERY_MS = 2000;
/** How long it takes from one try to the next where nobody answers; the last one from then on. */
const RETRY_MS = [2000, 4000, 8000, 15_000, 30_000];
const PATIENCE_MS = 10_000;

/** Asks for a load test, again and again while it runs, and whether the service answers or not. */
export function useLoadTest(id: string): FollowedLoadTest {
  const [turn, setTurn] = useState(0);
  const [isPaused, setPaused] = useState(false);
  const asked = useAnswer(
    id,
    (signal) => tell(id, turn === 0 ? signal : patient(signal)),
    turn,
    false,
  );
  const { value: told, error } = asked;
  const isGrowing = told !== undefined && isLive(told.loadTest, told.atMs);
  const isAway = error !== undefined && isOutage(error);
  const isOut = isGrowing && isAway;
  const tryNow = (): void => setTurn((last) => last + 1);
  // A page that is paused asks, too, whether somebody is there again.
  const nextTryAtMs = useNextTurn(asked, isAway || (isGrowing && !isPaused), tryNow);
  const outage: Outage | undefined = isOut
    ? { sinceSecond: Math.floor(told.atMs / 1000), nextTryAtMs, onTry: tryNow }
    : undefined;
  return {
    loadTest: told?.loadTest,
    error,
    version: useVersion(told?.loadTest, isOut),
    live: { isGrowing, isPaused, onPause: setPaused, outage },
    askAgain: tryNow,
  };
}

async function tell(id: string, signal: AbortSignal): Promise<Told> {
  return { loadTest: await showLoadTest(id, signal), atMs: Date.now() };
}

/** A machine that is gone does not even refuse: browsers would wait for minutes. */
function patient(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
}

/** Takes the next turn some time after the last answer; where there is none, later and later. */
function useNextTurn(asked: Asked<Told>, isFollowing: boolean, take: () => void): number {
  const failures = useRef(0);
  const [nextTryAtMs, setNextTryAtMs] = useState(0);
  useEffect(() => {
    if (asked.isAsking) return undefined;
    failures.current = asked.error === undefined ? 0 : failures.current + 1;
    if (!isFollowing) return undefined;
    const retryMs = RETRY_MS[Math.min(failures.current, RETRY_MS.length) - 1] ?? EVERY_MS;
    setNextTryAtMs(Date.now() + retryMs);
    const timer = setTimeout(take, retryMs);
    addEventListener("online", take);
    return () => {
      clearTimeout(timer);
      removeEventListener("online", take);
    };
  }, [asked, isFollowing]);
  return nextTryAtMs;
}

function useVersion(loadTest: LoadTestDetail | undefined, isOut: boolean): number {
  const last = useRef({ state: "", version: 0 });
  const { lastDataAt, requests } = loadTest ?? {};
  const state = `${lastDataAt} ${requests} ${isOut}`;
  // What could not be had during an outage is asked again after it, not in it.
  if (!isOut && state !== last.current.state) {
    last.current = { state, version: last.current.version + 1 };
  }
  if (isOut) last.current = { ...last.current, state };
  return last.current.version;
}
