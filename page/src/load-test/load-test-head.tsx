import type { Scope } from "../api/figures.ts";
import type { LoadTestDetail } from "../api/load-tests.ts";
import { lasted } from "../format/numbers.ts";
import { toolName } from "../format/tool-name.ts";
import { day, timeOfDay } from "../format/times.ts";
import { CopyCurl } from "../parts/copy-button.tsx";
import { zoneClock } from "./clock.ts";
import { type Live, PauseButton } from "./live.tsx";
import { CsvButton } from "./csv-button.tsx";
import type { Clock } from "./scope-bar.tsx";

interface LoadTestHeadProps {
  readonly loadTest: LoadTestDetail;
  readonly clock: Clock;
  /** The operation that gives what is shown. */
  readonly secondsUrl: string;
  readonly scope: Scope;
  readonly resolution: number;
  readonly live: Live;
}

/** What load test it is, and what can be taken away from it. */
export function LoadTestHead({ loadTest, clock, secondsUrl, live, ...shown }: LoadTestHeadProps) {
  const { id, name, tags, sources, from, until } = loadTest;
  const zone = zoneClock(clock);
  const tools = [...new Set(sources.map(({ format }) => toolName(format)))];
  const facts = [
    ...(live.isGrowing ? ["live"] : []),
    ...tools,
    ...(from === undefined || until === undefined
      ? []
      : [
          `${day(from, zone)}, ${timeOfDay(from, zone)} to ${timeOfDay(until, zone)}`,
          lasted(until - from + 1),
        ]),
    ...(tags.length === 0 ? [] : [tags.join(", ")]),
  ];
  return (
    <div class="load-test-head">
      <div>
        <h1>
          {name} <span class="id">{id}</span>
        </h1>
        <p class="hint">
          {live.isGrowing ? <span class="live-dot" aria-hidden="true" /> : null}
          {facts.join(" · ")}
        </p>
      </div>
      <div class="actions">
        <PauseButton {...live} />
        <CsvButton {...shown} />
        <CopyCurl url={secondsUrl} />
      </div>
    </div>
  );
}
