import type { Scope } from "../api/figures.ts";
import type { LoadTestDetail } from "../api/load-tests.ts";
import { lasted } from "../format/numbers.ts";
import { toolNames } from "../format/tool-name.ts";
import { day, timeOfDay, zoneName } from "../format/times.ts";
import { CopyCurl } from "../parts/copy-button.tsx";
import { ChooseBase } from "./choose-base.tsx";
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
  const { id, name } = loadTest;
  return (
    <div class="load-test-head">
      <div>
        <h1>
          {name} <span class="id">{id}</span>
        </h1>
        <Facts loadTest={loadTest} clock={clock} isLive={live.isGrowing} />
      </div>
      <div class="actions in-menu">
        <PauseButton {...live} />
        <ChooseBase loadTest={loadTest} scope={shown.scope} />
        <CsvButton {...shown} />
        <CopyCurl url={secondsUrl} />
      </div>
    </div>
  );
}

interface FactsProps {
  readonly loadTest: LoadTestDetail;
  readonly clock: Clock;
  readonly isLive: boolean;
}

/** Tool, time and tags in one line. */
function Facts({ loadTest, clock, isLive }: FactsProps) {
  const { tags, formats } = loadTest;
  const facts = [
    isLive ? "live" : "",
    toolNames(formats),
    ...timeFacts(loadTest, clock, isLive),
    tags.join(", "),
  ];
  return (
    <p class="facts">
      {isLive ? <span class="live-dot" aria-hidden="true" /> : null}
      {facts.filter((fact) => fact !== "").join(" · ")}
    </p>
  );
}

function timeFacts({ from, until }: LoadTestDetail, clock: Clock, isLive: boolean): string[] {
  if (from === null || until === null) return [];
  const zone = zoneClock(clock);
  const zoneText = zone === "utc" ? "UTC" : zoneName(from);
  const [begin, end] = [from, until].map((second) => timeOfDay(second, zone));
  const length = lasted(until - from + 1);
  if (isLive) return [`since ${day(from, zone)}, ${begin} ${zoneText}, ${length}`];
  return [`${day(from, zone)}, ${begin} to ${end} ${zoneText}`, length];
}
