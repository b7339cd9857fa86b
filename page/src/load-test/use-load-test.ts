import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiError } from "../api/api-error.ts";
import { followLoadTest, type LiveEvent, type RunningLimit } from "../api/live.ts";
import {
  isLive,
  type LoadTestDetail,
  mayBegin,
  PAUSE_MS,
  showLoadTest,
} from "../api/load-tests.ts";
import { useOutage } from "../api/outage.ts";
import { useAnswer } from "../api/use-answer.ts";
import { useUploads } from "../upload/uploads.ts";
import type { Live } from "./live.tsx";
import { useSlowly } from "./use-slowly.ts";

/** The latest record of a load test. */
export interface FollowedLoadTest {
  readonly loadTest: LoadTestDetail | undefined;
  readonly error: ApiError | undefined;
  /** Increases when new data arrive. */
  readonly version: number;
  readonly live: Live;
  /** Its thresholds over windows, while a stream sends them. */
  readonly limits: readonly RunningLimit[];
  readonly askAgain: () => void;
}

/** How often a running load test is shown anew, with its charts and tables. */
const EVERY_MS = 7000;
/** A machine that is gone does not even refuse: browsers would wait for minutes. */
const PATIENCE_MS = 10_000;

/** Requests a load test, repeatedly while it runs. */
export function useLoadTest(id: string): FollowedLoadTest {
  const [turn, setTurn] = useState(0);
  const [isPaused, setPaused] = useState(false);
  const [streamed, setStreamed] = useState<Answer>();
  const [limits, setLimits] = useState<readonly RunningLimit[]>([]);
  const [isStreamed, setIsStreamed] = useState(false);
  const outage = useOutage();
  const { value: answer, error } = useAnswer(
    "load test",
    id,
    async (signal) => {
      const patient = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      return { loadTest: await showLoadTest(id, patient), atMs: Date.now() };
    },
    {
      // A file uploaded here may be a part of it.
      version: turn + useUploads().importedCount,
      everyMs: ({ loadTest, atMs }) =>
        !isPaused && !isStreamed && (isLive(loadTest, atMs) || isAwaited({ loadTest, atMs }))
          ? EVERY_MS
          : undefined,
    },
  );
  const latest = newest(answer, useSlowly(streamed, EVERY_MS));
  const isGrowing = latest !== undefined && isLive(latest.loadTest, latest.atMs);
  const mayGrow = latest !== undefined && isLive(latest.loadTest, latest.atMs, PAUSE_MS);
  const awaited = latest !== undefined && isAwaited(latest);
  const isFollowed = (mayGrow || awaited) && !isPaused && outage === undefined;
  useEffect(() => {
    setLimits([]);
    if (!isFollowed) return undefined;
    const take = (event: LiveEvent): void => {
      if (event.loadTest) setStreamed({ loadTest: event.loadTest, atMs: Date.now() });
      if (event.limits) setLimits(event.limits);
    };
    return followWhileSeen(id, take, setIsStreamed);
    // The server ends the stream of a run that does not begin: its first data open another.
  }, [id, isFollowed, awaited]);
  return {
    loadTest: latest?.loadTest,
    error,
    version: useVersion(latest?.loadTest),
    // Once the stream is cut, its last ones are out of date.
    limits: isStreamed ? limits : NO_LIMITS,
    live: { isGrowing, isPaused, onPause: setPaused, outage: isGrowing ? outage : undefined },
    askAgain: () => setTurn((last) => last + 1),
  };
}

const NO_LIMITS: readonly RunningLimit[] = [];

interface Answer {
  readonly loadTest: LoadTestDetail;
  readonly atMs: number;
}

function isAwaited({ loadTest, atMs }: Answer): boolean {
  return mayBegin(loadTest, atMs);
}

function newest(asked: Answer | undefined, streamed: Answer | undefined): Answer | undefined {
  if (streamed === undefined || asked?.loadTest.id !== streamed.loadTest.id) return asked;
  return streamed.atMs > asked.atMs ? streamed : asked;
}

/**
 * Follows a load test while the page is seen: browsers have few connections to a server. A stream that ends is opened again after a while;
 * meanwhile the load test is asked for. Returns a function that ends it.
 */
function followWhileSeen(
  id: string,
  take: (event: LiveEvent) => void,
  report: (isStreamed: boolean) => void,
): () => void {
  let abort = new AbortController();
  const follow = async ({ signal }: AbortController): Promise<void> => {
    const end = (): void => {
      if (signal.aborted) return;
      report(false);
      setTimeout(() => {
        if (!signal.aborted) begin();
      }, EVERY_MS);
    };
    await followLoadTest(id, signal, (event) => {
      if (signal.aborted) return;
      take(event);
      report(true);
    }).then(end, end);
  };
  const begin = (): void => {
    abort.abort();
    abort = new AbortController();
    report(false);
    if (!document.hidden) void follow(abort);
  };
  begin();
  document.addEventListener("visibilitychange", begin);
  return () => {
    document.removeEventListener("visibilitychange", begin);
    abort.abort();
    report(false);
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
