import { useRef, useState } from "preact/hooks";
import type { ApiError } from "../api/api-error.ts";
import { isLive, type LoadTestDetail, showLoadTest } from "../api/load-tests.ts";
import { useOutage } from "../api/outage.ts";
import { useAnswer } from "../api/use-answer.ts";
import type { Live } from "./live.tsx";

/** The latest record of a load test. */
export interface FollowedLoadTest {
  readonly loadTest: LoadTestDetail | undefined;
  readonly error: ApiError | undefined;
  /** Increases when new data arrive. */
  readonly version: number;
  readonly live: Live;
  readonly askAgain: () => void;
}

/** How often a running load test is refreshed. */
const EVERY_MS = 2000;
/** A machine that is gone does not even refuse: browsers would wait for minutes. */
const PATIENCE_MS = 10_000;

/** Requests a load test, repeatedly while it runs. */
export function useLoadTest(id: string): FollowedLoadTest {
  const [turn, setTurn] = useState(0);
  const [isPaused, setPaused] = useState(false);
  const outage = useOutage();
  const { value: answer, error } = useAnswer(
    "load test",
    id,
    async (signal) => {
      const patient = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      return { loadTest: await showLoadTest(id, patient), atMs: Date.now() };
    },
    {
      version: turn,
      everyMs: ({ loadTest, atMs }) => (!isPaused && isLive(loadTest, atMs) ? EVERY_MS : undefined),
    },
  );
  const isGrowing = answer !== undefined && isLive(answer.loadTest, answer.atMs);
  return {
    loadTest: answer?.loadTest,
    error,
    version: useVersion(answer?.loadTest),
    live: { isGrowing, isPaused, onPause: setPaused, outage: isGrowing ? outage : undefined },
    askAgain: () => setTurn((last) => last + 1),
  };
}

function useVersion(loadTest: LoadTestDetail | undefined): number {
  const last = useRef({ state: "", version: 0 });
  const { lastDataAt, requests } = loadTest ?? {};
  const state = `${lastDataAt} ${requests}`;
  if (state !== last.current.state) {
    last.current = { state, version: last.current.version + 1 };
  }
  return last.current.version;
}
