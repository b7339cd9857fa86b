import type { WrittenAbout } from "../../src/analysis/report/write-report.ts";
import type { Verdict } from "../src/api/thresholds.ts";
import type { Scope } from "../src/api/figures.ts";
import { day, timeOfDay, zoneName } from "../src/format/times.ts";
import { zoneClock } from "../src/load-test/clock.ts";
import { CsvButton } from "../src/load-test/charts/csv-button.tsx";
import { Description } from "../src/description/description.tsx";
import { Facts } from "../src/load-test/facts.tsx";
import type { Clock } from "../src/load-test/clock.ts";
import { facetsOf } from "./facets-of.ts";
import { KeyList } from "../src/shell/key-list.tsx";
import { Mark } from "../src/shell/mark.tsx";
import { VerdictLine } from "../src/load-test/thresholds/verdict-line.tsx";
import { ThemeButton } from "../src/shell/theme-button.tsx";

/** The top line: product, theme and keyboard shortcuts. */
export function ReportTop() {
  return (
    <header class="top">
      <span class="brand">
        <Mark />
        Tachograph
      </span>
      <span class="report-word">Report</span>
      <ThemeButton />
      <KeyList without={KEYS_OF_A_SERVICE} />
    </header>
  );
}

const KEYS_OF_A_SERVICE = ["c", "Space", "Space in the list"];

/** Whether figures are those of requests with some facets. */
export function isPart({ selection: { facets } }: WrittenAbout): boolean {
  return facets !== undefined && facets.where.length > 0;
}

interface ReportHeadProps {
  readonly about: WrittenAbout;
  readonly verdict: Verdict | undefined;
  readonly clock: Clock;
  readonly formatTime: (second: number) => string;
  readonly scope: Scope;
  readonly resolution: number;
}

/** The load test, where it is served, and when the report was made. */
export function ReportHead({
  about,
  verdict,
  clock,
  formatTime,
  scope,
  resolution,
}: ReportHeadProps) {
  const { id, name, from, until } = about;
  return (
    <div class="load-test-head">
      <div>
        <h1>
          {name} <span class="id">{id}</span>
        </h1>
        <div class="about">
          <VerdictLine verdict={verdict} isJudged={false} isSoFar={false} formatTime={formatTime} />
        </div>
        <Facts
          loadTest={{
            ...about,
            environment: about.environment ?? null,
            from: from ?? null,
            until: until ?? null,
          }}
          clock={clock}
          isLive={false}
        />
        <p class="facts">
          {isPart(about) ? <b>{`Only requests with ${facetsOf(about)}. `}</b> : null}
          <MadeAt about={about} zone={zoneClock(clock)} />
        </p>
        <Description loadTest={{ ...about, description: about.description ?? null }} />
      </div>
      <div class="actions">
        <CsvButton listed={undefined} scope={scope} resolution={resolution} />
      </div>
    </div>
  );
}

interface MadeAtProps {
  readonly about: WrittenAbout;
  readonly zone: ReturnType<typeof zoneClock>;
}

/** When the report was made, by what, and where what it shows is served. */
export function MadeAt({ about: { madeAtMs, version, address }, zone }: MadeAtProps) {
  const madeAt = Math.floor(madeAtMs / 1000);
  const zoneText = zone === "utc" ? "UTC" : zoneName(madeAt);
  return (
    <>
      {`Report made ${day(madeAt, zone)}, ${timeOfDay(madeAt, zone)} ${zoneText} by Tachograph ${version}`}
      {address === undefined ? null : (
        <>
          {" from "}
          <a class="address" href={address} rel="noreferrer">
            {address}
          </a>
        </>
      )}
    </>
  );
}
