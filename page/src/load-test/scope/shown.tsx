import { useContext, useMemo } from "preact/hooks";
import { changeParameters } from "../../address/use-address.ts";
import { endpointCountOf, type Finding, type OverallFigures } from "../../api/figures.ts";
import type { Verdict } from "../../api/thresholds.ts";
import { CaptionContext } from "../../charts/caption.ts";
import type { TimeChartProps } from "../../charts/time-chart-props.ts";
import { spanText } from "../../format/axis-texts.ts";
import { captionOf } from "../charts/caption-of.ts";
import { ChartsSection, type ChartsSectionProps } from "../charts/charts-section.tsx";
import { localZone } from "../clock.ts";
import { EndpointsSection } from "../endpoints/endpoints-section.tsx";
import { shortKindName, stretchesOf } from "../causes/failure-kinds.ts";
import { ChecksTable } from "../causes/checks-table.tsx";
import { FailureLines } from "../causes/failure-lines.tsx";
import { FailuresTable } from "../causes/failures-table.tsx";
import { Findings } from "../causes/findings.tsx";
import { HoldingContext, useIsPart } from "./holding.ts";
import { isEverything } from "./scope.ts";
import type { Live } from "../live.tsx";
import { stretchOfFinding } from "../incident/incident.ts";
import { IncidentPanel } from "../incident/incident-panel.tsx";
import { createPreviewStand } from "../charts/preview.ts";
import { type Range, stretchText } from "./range.ts";
import type { Clock } from "../clock.ts";
import { ScopeBar } from "./scope-bar.tsx";
import { showCharts } from "./show-charts.ts";
import type { Sheet } from "../charts/sheet.ts";
import { choicesFor, chosenSecondsOf, pointsText } from "../charts/resolutions.ts";
import { Tiles } from "../tiles.tsx";
import type { LoadTestPart } from "../part.ts";
import type { ScopeAnswers } from "./use-scope-answers.ts";

interface ShownProps
  extends Omit<LoadTestPart, "isGrowing">, Omit<ScopeAnswers, "problem" | "behind"> {
  /** Whether requests have times: without them there is nothing to draw. */
  readonly hasTimes: boolean;
  /** Endpoints of the load test, whatever is selected. */
  readonly allEndpoints: number;
  /** The charts' range: longer during an outage. */
  readonly drawnRange: Range;
  /** Length in seconds of the range that follows the newest data. */
  readonly following: number | undefined;
  readonly live: Live;
  readonly clock: Clock;
  readonly verdict: Verdict | undefined;
  /** Whether requests of the run failed, as far as is known. */
  readonly hasFailures: boolean;
}

/** Everything that depends on range and selection. */
export function Shown(props: ShownProps) {
  const { scope, range, formatTime, parameters, summary, overall, sheet, findings } = props;
  const { failures } = props;
  const isPart = useIsPart(scope);
  const preview = useMemo(createPreviewStand, []);
  const { grainSeconds } = useContext(HoldingContext);
  const marked = parameters.get("failure");
  const rug = useMemo(
    () => (marked === undefined || failures === undefined ? [] : stretchesOf(failures, marked)),
    [failures, marked],
  );
  const points = hasPoints(sheet) ? pointsText(sheet) : "";
  const charts = useMemo(() => new Map<Node, TimeChartProps>(), []);
  const caption = { ...captionOf({ ...props, range: props.drawnRange, points }), charts };
  return (
    <CaptionContext.Provider value={caption}>
      <ScopeBar
        scope={scope}
        range={range}
        whole={props.whole}
        following={props.following}
        live={props.live}
        rangeText={spanText(formatTime(range.from), formatTime(range.until - 1))}
        facets={props.facets}
        endpoints={summary && endpointCountOf(summary)}
        marked={marked === undefined ? undefined : shortKindName(marked)}
        points={{
          text: points,
          choices: choicesFor(range, Math.max(grainSeconds, sheet?.recordedSeconds ?? 1)),
          chosen: chosenSecondsOf(parameters),
        }}
        allEndpoints={props.allEndpoints}
        clock={props.clock}
        zone={localZone(range.from)}
        hasTimes={props.hasTimes}
      />
      <Findings
        findings={findings}
        endpoints={
          parameters.has("incident")
            ? props.allEndpoints
            : scope.hashes.length || (summary === undefined ? 0 : endpointCountOf(summary))
        }
        formatTime={formatTime}
        onOpen={(finding) => open(finding, range)}
      />
      <FailureLines
        failures={failures}
        hasFailed={hasFailed(props)}
        marked={marked}
        formatTime={formatTime}
        range={range}
      />
      <Tiles figures={overall} outcome={scope.outcome} />
      {/* The charts stay where they are when an incident is opened. */}
      <div class={parameters.has("incident") ? "beside-incident" : ""}>
        <div>
          <ChartsPart {...props} rug={rug} preview={preview} />
        </div>
        <IncidentPanel {...props} />
      </div>
      {summary === undefined || overall === undefined ? null : (
        <EndpointsSection
          {...props}
          isGrowing={props.live.isGrowing}
          summary={summary}
          preview={preview}
        />
      )}
      <FailuresTable {...props} opened={marked} />
      <ChecksTable summary={summary} isPart={isPart} scope={scope} whole={props.whole} />
    </CaptionContext.Provider>
  );
}

interface ChartsPartProps extends ShownProps, Pick<ChartsSectionProps, "rug" | "preview"> {}

function ChartsPart({ rug, preview, ...props }: ChartsPartProps) {
  const { scope, formatTime, parameters, overall, sheet, findings, failures } = props;
  if (!props.hasTimes) {
    return (
      <p class="hint">
        No request has a time of day, so there is nothing to draw over time. If the tool records
        seconds since its start, import the file again with --started-at.
      </p>
    );
  }
  return (
    <ChartsSection
      name={props.name}
      scope={scope}
      range={props.drawnRange}
      whole={{ ...props.whole, until: endOf(props.whole, overall) }}
      isGrowing={props.live.isGrowing}
      sheet={sheet}
      overall={overall}
      users={props.users}
      findings={findings}
      failures={failures}
      verdict={props.verdict}
      endsAt={props.live.outage?.sinceSecond}
      rug={rug}
      preview={preview}
      endpoint={onlyEndpoint(props)}
      formatTime={formatTime}
      clockOrigin={props.clockOrigin}
      parameters={parameters}
      version={props.version}
    />
  );
}

function onlyEndpoint({ scope: { hashes }, summary }: ShownProps): string | undefined {
  if (hashes.length !== 1) return undefined;
  return summary?.endpoints.find(({ hash }) => hash === hashes[0])?.label;
}

/** Whether any request failed, as far as known, whichever are shown. */
function hasFailed({ scope, failures, overall, hasFailures }: ShownProps): boolean {
  const figures = scope.outcome === undefined ? overall : failures;
  // Space is reserved before the answer, so that nothing moves when it comes.
  return figures === undefined ? hasFailures && isEverything(scope) : figures.errCount > 0;
}

/** End of the load test including its last window, which is named by its first second. */
function endOf(whole: Range, overall: OverallFigures | undefined): number {
  return Math.max(whole.until, (overall?.until ?? 0) + 1);
}

/** Whether there is anything to draw. */
function hasPoints(sheet: Sheet | undefined): sheet is Sheet {
  return sheet !== undefined && sheet.merged.labels.length > 0;
}

/** The range around a finding, within the current range, and its endpoints. */
function open(finding: Finding, range: Range): void {
  const stretch = stretchOfFinding(finding);
  const [begin, end] = [stretch.from, stretch.until];
  const margin = Math.max(30, Math.round((end - begin) / 2));
  changeParameters({
    incident: stretchText(stretch),
    last: undefined,
    from: String(Math.max(range.from, begin - margin)),
    until: String(Math.min(range.until, end + margin)),
    endpoints: ("endpoints" in finding ? finding.endpoints : [])
      .slice(0, 20)
      .map(({ hash }) => hash)
      .join(","),
  });
  showCharts();
}
