import { useMemo } from "preact/hooks";
import { changeParameters } from "../address/use-address.ts";
import type { EndpointFailures, Figures, Finding, Scope, Summary, Users } from "../api/figures.ts";
import { ChartSwitches, StatisticSwitch } from "./chart-switches.tsx";
import { Charts } from "./charts.tsx";
import { localZone } from "./clock.ts";
import { statisticOf } from "./endpoint-lines.ts";
import { EndpointTable } from "./endpoint-table.tsx";
import { FailuresTable } from "./failures-table.tsx";
import { Findings, markOf } from "./findings.tsx";
import type { Live } from "./live.tsx";
import { longEnough, type Range, WHOLE_TEST } from "./range.ts";
import { NoMatch } from "./no-match.tsx";
import { type Clock, ScopeBar } from "./scope-bar.tsx";
import type { Sheet } from "./sheet.ts";
import { sortColumn } from "./sort-endpoints.ts";
import { Tiles } from "./tiles.tsx";

interface ShownProps {
  readonly scope: Scope;
  /** Whether requests tell when they were: without that there is nothing to draw. */
  readonly hasTimes: boolean;
  /** Endpoints of the load test, whatever is selected. */
  readonly allEndpoints: number;
  /** UNIX seconds, half open. */
  readonly range: Range;
  /** Changes when there are new data. */
  readonly version: number;
  /** Seconds up to the newest that are followed. */
  readonly following: number | undefined;
  readonly live: Live;
  readonly clock: Clock;
  readonly formatTime: (second: number) => string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly summary: Summary | undefined;
  readonly overall: Figures | undefined;
  readonly sheet: Sheet | undefined;
  readonly users: Users;
  readonly findings: readonly Finding[];
  readonly failures: readonly EndpointFailures[];
}

/** Everything of a load test that follows range and selection. */
export function Shown(props: ShownProps) {
  const { scope, range, formatTime, parameters, summary, overall, sheet, findings } = props;
  const isLogarithmic = parameters.get("scale") === "log";
  const isHeatmap = parameters.get("view") === "heatmap";
  const statistic = statisticOf(parameters.get("statistic"));
  const hiddenNames = parameters.get("hidden") ?? "";
  const hidden = useMemo(() => new Set(hiddenNames.split(",")), [hiddenNames]);
  return (
    <>
      <ScopeBar
        scope={scope}
        following={props.following}
        live={props.live}
        rangeText={`${formatTime(range.from)} to ${formatTime(range.until - 1)}`}
        endpoints={summary?.endpoints.length}
        resolution={sheet?.resolution}
        clock={props.clock}
        zone={localZone(range.from)}
      />
      <Findings
        findings={findings}
        formatTime={formatTime}
        onOpen={(finding) => open(finding, range)}
      />
      <Tiles figures={overall} />
      <div class="section-head">
        <h2>Response time</h2>
        {isHeatmap || scope.hashes.length < 2 ? null : <StatisticSwitch chosen={statistic} />}
        <ChartSwitches
          isLogarithmic={isLogarithmic}
          isHeatmap={isHeatmap}
          heatmaps={sheet?.heatmaps ?? []}
        />
      </div>
      {sheet === undefined ? (
        <div class="charts-place" />
      ) : (
        <Charts
          sheet={sheet}
          statistic={statistic}
          users={props.users}
          range={range}
          isLogarithmic={isLogarithmic}
          marks={findings.map(markOf)}
          rug={[]}
          hidden={hidden}
          onToggle={(name) => changeParameters({ hidden: toggled(hidden, name) }, "replace")}
          formatTime={formatTime}
          onZoom={zoom}
          onZoomOut={() => changeParameters(WHOLE_TEST)}
        />
      )}
      {summary === undefined || overall === undefined ? null : (
        <section aria-labelledby="endpoints">
          <h2 id="endpoints">
            Endpoints <span class="number">{summary.endpoints.length}</span>
          </h2>
          <EndpointTable
            endpoints={summary.endpoints}
            overall={summary.overall}
            scope={scope}
            range={range}
            version={props.version}
            sort={sortColumn(parameters.get("sort"))}
            isAscending={parameters.get("order") === "ascending"}
          />
          <NoMatch scope={scope} matches={summary.endpoints.length} />
        </section>
      )}
      <FailuresTable failures={props.failures} formatTime={formatTime} />
    </>
  );
}

/** The names with this one in or out, as they stand in the address. */
function toggled(hidden: ReadonlySet<string>, name: string): string | undefined {
  const others = [...hidden].filter((each) => each !== name && each !== "");
  const names = hidden.has(name) ? others : [...others, name];
  return names.length === 0 ? undefined : names.join(",");
}

function zoom(begin: number, end: number): void {
  const { from, until } = longEnough({ from: begin, until: end });
  changeParameters({ ...WHOLE_TEST, from: String(from), until: String(until) });
}

/** The time around a finding, as far as the range goes, and the endpoints that it names. */
function open(finding: Finding, range: Range): void {
  const [begin, end] =
    finding.kind === "step"
      ? [finding.at, finding.backAt ?? finding.at + 300]
      : [finding.from, finding.until + 1];
  const margin = Math.max(30, Math.round((end - begin) / 2));
  changeParameters({
    last: undefined,
    from: String(Math.max(range.from, begin - margin)),
    until: String(Math.min(range.until, end + margin)),
    endpoints: finding.endpoints
      .slice(0, 20)
      .map(({ hash }) => hash)
      .join(","),
  });
}
