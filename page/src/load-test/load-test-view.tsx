import { useEffect, useMemo, useState } from "preact/hooks";
import { useAddress } from "../address/use-address.ts";
import { secondsUrlOf, type Scope } from "../api/figures.ts";
import { isLive, type LoadTestDetail, showLoadTest } from "../api/load-tests.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Problem } from "../shell/problem.tsx";
import { clockOf, timeFormat } from "./clock.ts";
import type { Live } from "./live.tsx";
import { followed, followedSeconds, isEverything, scopeOf } from "./scope.ts";
import { useLoadTestTitle } from "./use-load-test-title.ts";
import { LoadTestHead } from "./load-test-head.tsx";
import { Shown } from "./shown.tsx";
import { useScopeKeys } from "./use-scope-keys.ts";
import { useScopeAnswers } from "./use-scope-answers.ts";

interface LoadTestViewProps {
  readonly id: string;
  readonly onKeyRefused: () => void;
}

/** How often a load test that gets data is asked for them. */
const LIVE_EVERY_MS = 2000;

/** One load test: what the address says of it. */
export function LoadTestView({ id, onKeyRefused }: LoadTestViewProps) {
  const address = useAddress();
  const [version, setVersion] = useState(0);
  const detail = useAnswer(id, (signal) => showLoadTest(id, signal), version);
  const { value: loadTest, error } = detail;
  useEffect(() => {
    if (error?.status === 401) onKeyRefused();
  }, [error]);
  const isGrowing = loadTest !== undefined && isLive(loadTest, Date.now());
  const [isPaused, setPaused] = useState(false);
  const isAsking = isGrowing && !isPaused;
  useEffect(() => {
    if (!isAsking) return undefined;
    const timer = setInterval(() => setVersion((last) => last + 1), LIVE_EVERY_MS);
    return () => clearInterval(timer);
  }, [isAsking]);
  const scope = useMemo(() => scopeOf(id, address), [id, address]);
  if (error !== undefined && loadTest === undefined) {
    return (
      <main>
        <Problem
          title={error.status === 404 ? "No such load test" : "The load test cannot be shown"}
        >
          <p>{error.message}</p>
        </Problem>
      </main>
    );
  }
  return (
    <main>
      {loadTest === undefined ? null : (
        <Loaded
          loadTest={loadTest}
          scope={scope}
          version={version}
          parameters={address.parameters}
          live={{ isGrowing, isPaused, onPause: setPaused }}
        />
      )}
    </main>
  );
}

interface LoadedProps {
  readonly loadTest: LoadTestDetail;
  readonly scope: Scope;
  readonly version: number;
  readonly parameters: ReadonlyMap<string, string>;
  readonly live: Live;
}

function Loaded({ loadTest, scope: asked, version, parameters, live }: LoadedProps) {
  const { from: first, until: last } = loadTest;
  const whole = { from: first ?? 0, until: (last ?? 0) + 1 };
  const following = followedSeconds({ parameters });
  const scope = followed(asked, following, whole);
  const range = { from: scope.from ?? whole.from, until: scope.until ?? whole.until };
  const isHeatmap = parameters.get("view") === "heatmap";
  useScopeKeys(scope, range, whole, parameters);
  const expectedRequests = isEverything(scope) ? loadTest.requests : undefined;
  const answers = useScopeAnswers({ scope, range, version, isHeatmap, expectedRequests });
  const clock = clockOf(parameters.get("clock"));
  const formatTime = useMemo(() => timeFormat(clock, first ?? 0), [clock, first]);
  const { problem } = answers;
  useLoadTestTitle(loadTest.name, live.isGrowing ? answers.overall : undefined);
  return (
    <>
      <LoadTestHead
        loadTest={loadTest}
        clock={clock}
        secondsUrl={secondsUrlOf(scope)}
        scope={scope}
        resolution={answers.sheet?.resolution ?? 1}
        live={live}
      />
      {problem === undefined ? null : (
        <Problem title="Some of this cannot be shown">
          <p>{problem.message}</p>
        </Problem>
      )}
      {loadTest.requests === 0 ? (
        <p class="hint">No request has come yet.</p>
      ) : (
        <Shown
          {...answers}
          hasTimes={first !== null}
          allEndpoints={loadTest.endpoints}
          scope={scope}
          range={range}
          version={version}
          clock={clock}
          following={following}
          live={live}
          formatTime={formatTime}
          parameters={parameters}
        />
      )}
    </>
  );
}
