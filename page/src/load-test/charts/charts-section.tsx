import { useMemo } from "preact/hooks";
import { changeParameters } from "../../address/use-address.ts";
import {
  type Failures,
  type Incident,
  type OverallFigures,
  type Scope,
  selectionOf,
  type Users,
} from "../../api/figures.ts";
import type { Verdict } from "../../api/thresholds.ts";
import { columnsWithin, withWholeMilliseconds } from "../../charts/heat-cells.ts";
import type { Stretch } from "../../charts/marks.ts";
import { afterStart } from "../../format/times.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { toggleIn } from "../../parts/toggled.ts";
import { compareLink } from "../bases.ts";
import { boxOf, boxText } from "../box/box.ts";
import { BoxPanel } from "../box/box-panel.tsx";
import { CapacityPanel } from "../capacity/capacity-panel.tsx";
import { ChartSwitches, type ChartView, StatisticSwitch, viewIn } from "./chart-switches.tsx";
import { Charts } from "./charts.tsx";
import { REPORTED } from "../endpoints/endpoint-columns.ts";
import { statisticOf } from "../endpoints/endpoint-lines.ts";
import { limitsIn } from "./limit-lines.ts";
import { OutcomeNote } from "./outcomes.tsx";
import type { PreviewStand } from "./preview.ts";
import { PointPanel } from "../samples/point-panel.tsx";
import { useHasSamples } from "../samples/asked-samples.tsx";
import { longEnough, type Range, stretchOf, stretchText, WHOLE_TEST } from "../scope/range.ts";
import type { Sheet } from "./sheet.ts";
import { BASELINE_NAME } from "./baseline-lines.ts";
import { useBaseline } from "./use-baseline.ts";
import { ChooseMeasures } from "../measures/choose-measures.tsx";
import { useNotes } from "../events/use-notes.tsx";
import { MeasureCharts } from "../measures/measure-charts.tsx";
import { isLogarithmicIn } from "./scale.ts";
import { chosenHeightOf } from "./use-chart-heights.ts";
import { type ShownMeasures, useMeasures } from "../measures/use-measures.ts";
import { useRank } from "./use-rank.ts";
import type { LoadTestPart } from "../part.ts";

export interface ChartsSectionProps extends LoadTestPart {
  /** `undefined` until the first answer. */
  readonly sheet: Sheet | undefined;
  /** Of the shown requests. */
  readonly overall: OverallFigures | undefined;
  readonly users: Users;
  readonly findings: readonly Incident[] | undefined;
  readonly failures: Failures | undefined;
  readonly verdict: Verdict | undefined;
  /** Second of the last answer, if the service has stopped answering. */
  readonly endsAt: number | undefined;
  /** Marked below the charts. */
  readonly rug: readonly Stretch[];
  readonly preview: PreviewStand;
  /** Label of the only selected endpoint. */
  readonly endpoint: string | undefined;
}

const NO_VERDICT: Pick<Verdict, "thresholds"> = { thresholds: [] };

const DRAG = "drag a box to see what is in it";
const TAP = "tap a cell to see what is in it";
const POINT = "choose a point to see its slowest requests";

function hintOf({ view, hasBox, hasSamples, parameters }: HeadProps, isNarrow: boolean): string {
  if (view === "heatmap" && !hasBox) return isNarrow ? TAP : DRAG;
  if (isNarrow) return "";
  return view === "lines" && hasSamples && !parameters.has("at") ? POINT : "";
}

/** The charts of a load test and their controls, as the URL says. */
export function ChartsSection(props: ChartsSectionProps) {
  const { scope, range, users, findings, endsAt, formatTime, parameters } = props;
  const sheet = useSeen(props.sheet, range);
  const isLogarithmic = isLogarithmicIn(parameters, props.sheet, range);
  const view = viewIn(parameters);
  const isHeatmap = view === "heatmap";
  const boxInUrl = parameters.get("box");
  const box = useMemo(() => boxOf(parameters), [boxInUrl]);
  const { hasSamples, point, onPoint } = usePoint(props, view);
  const statistic = statisticOf(parameters.get("statistic"));
  const hiddenNames = parameters.get("hidden") ?? "";
  const hidden = useMemo(() => new Set(hiddenNames.split(",")), [hiddenNames]);
  const baseline = useBaseline({
    ...props,
    sheet,
    isHidden: hidden.has(BASELINE_NAME),
  });
  const measures = useMeasures(props);
  const { checks, limits } = useLimits(props);
  const notes = useNotes(props);
  const marks = useMemo(
    () =>
      findings?.map(({ from, findings: [first] }) => ({ second: from, kind: first?.kind })) ?? [],
    [findings],
  );
  const shared = {
    areNamesLong: areNamesLong(sheet, isHeatmap),
    range,
    flags: notes.flags,
    endsAt,
    rug: props.rug,
    hidden,
    onToggle: (name: string) => toggleIn("hidden", hidden, name),
    formatTime,
    clockOrigin: props.clockOrigin,
    onZoom: zoom,
    onZoomOut: () => changeParameters(WHOLE_TEST),
  };
  return (
    <>
      <Head
        {...props}
        sheet={sheet}
        isLogarithmic={isLogarithmic}
        view={view}
        hasBox={box !== undefined}
        hasSamples={hasSamples}
        base={baseline?.id}
        measures={measures}
      />
      {view === "capacity" ? (
        <CapacityPanel scope={scope} version={props.version} />
      ) : sheet === undefined ? (
        <div class="charts-place" />
      ) : (
        <Charts
          {...shared}
          // If requests were kept, a click opens the slowest ones, and the note starts from there.
          onNote={onPoint === undefined ? notes.onNote : undefined}
          sheet={sheet}
          baseline={baseline}
          limits={limits}
          isHeatmap={isHeatmap && sheet.isHeatmap}
          statistic={statistic}
          users={users}
          failures={failuresOf(sheet, props.failures)}
          chosenHeight={chosenHeightOf(parameters)}
          whole={props.whole}
          isGrowing={props.isGrowing}
          isLogarithmic={isLogarithmic}
          marks={marks}
          preview={props.preview}
          point={point}
          onPoint={onPoint}
          box={box}
          onBox={(chosen) => changeParameters({ box: boxText(chosen) })}
          hasNumbers={parameters.get("numbers") === "shown"}
          areBytesShown={parameters.get("received") === "shown"}
        />
      )}
      {point === undefined ? null : <PointPanel {...props} stretch={point} onNote={notes.onNote} />}
      <MeasureCharts
        {...shared}
        scope={scope}
        tags={measures.tags}
        where={parameters.get("tags")}
        sheet={view === "capacity" ? undefined : sheet}
        version={props.version}
        groups={measures.shown}
        phases={measures.phases}
        hasCodes={measures.hasCodes}
        limits={checks}
        marks={marks.map(({ second }) => second)}
      />
      {notes.element}
      {box === undefined || sheet === undefined || !isHeatmap ? null : (
        <BoxPanel
          scope={scope}
          box={box}
          heatmaps={sheet.heatmaps}
          version={props.version}
          formatTime={formatTime}
        />
      )}
    </>
  );
}

/** Those of the requests that the charts show; `undefined` until they come. */
function failuresOf({ scope }: Sheet, failures: Failures | undefined): Failures | undefined {
  const isOfSame = failures !== undefined && selectionOf(failures.scope) === selectionOf(scope);
  return isOfSame ? failures : undefined;
}

/** All thresholds, and those that the charts show. */
function useLimits({ verdict, scope, endpoint }: ChartsSectionProps) {
  const { thresholds: checks } = verdict ?? NO_VERDICT;
  const limits = useMemo(() => limitsIn(checks, scope, endpoint), [checks, scope, endpoint]);
  return { checks, limits };
}

/** The point of the lines in the URL; without requests that were kept whole, none can be chosen. */
function usePoint({ scope, version, parameters }: ChartsSectionProps, view: ChartView) {
  const hasSamples = useHasSamples(scope.id, version);
  if (!hasSamples || view !== "lines") return { hasSamples, point: undefined, onPoint: undefined };
  return {
    hasSamples,
    point: stretchOf(parameters.get("at")),
    onPoint: (chosen: Range) => changeParameters({ at: stretchText(chosen) }),
  };
}

/** Whether lines have the names of endpoints or facet values, which may be long. */
function areNamesLong(sheet: Sheet | undefined, isHeatmap: boolean): boolean {
  const areLines = sheet !== undefined && sheet.lines.length + sheet.scope.hashes.length > 1;
  return areLines && !isHeatmap;
}

interface HeadProps extends ChartsSectionProps {
  readonly isLogarithmic: boolean;
  readonly view: ChartView;
  readonly hasBox: boolean;
  readonly hasSamples: boolean;
  /** Id of the baseline in the charts. */
  readonly base: string | undefined;
  readonly measures: ShownMeasures;
}

/** What the charts show, and their controls. */
function Head(props: HeadProps) {
  const { scope, sheet, endsAt, formatTime, parameters, view, base } = props;
  const rank = useRank(props);
  const hint = hintOf(props, useIsNarrow());
  return (
    <>
      <div class="section-head">
        <h2>{view === "capacity" ? "Capacity" : "Response time"}</h2>
        {view !== "lines" || !areSeveral(scope, sheet) ? null : (
          <StatisticSwitch chosen={statisticOf(parameters.get("statistic"))} />
        )}
        <ChooseMeasures name={props.name} {...props.measures} />
        <ChartSwitches
          outcome={scope.outcome}
          isLogarithmic={props.isLogarithmic}
          view={view}
          heatmaps={sheet?.heatmaps ?? []}
        />
      </div>
      {/* In a line of their own, as they come one after the other. */}
      <div class="section-head chart-hints">
        {endsAt === undefined ? null : <span class="hint">{`as of ${formatTime(endsAt)}`}</span>}
        {originHint(sheet)}
        <OutcomeNote outcome={scope.outcome} figures={props.overall} />
        {base === undefined ? null : (
          <a class="hint" href={compareLink(base, scope, props.whole.from)}>
            {`Compare with baseline ${base}`}
          </a>
        )}
        {rank === "" ? null : <span class="hint">{rank}</span>}
        {hint === "" ? null : <span class="hint">{hint}</span>}
      </div>
    </>
  );
}

/** Whether one statistic is drawn of several things. */
function areSeveral({ hashes }: Scope, sheet: Sheet | undefined): boolean {
  return hashes.length > 1 || (sheet !== undefined && sheet.lines.length > 1);
}

/** The source of the percentiles, unless they were computed. */
function originHint(sheet: Sheet | undefined) {
  if (sheet === undefined || sheet.merged.labels.length === 0) return null;
  const { merged, each = [merged], resolution } = sheet;
  const origins = each.map(({ percentileOrigin }) => percentileOrigin);
  if (origins.includes("reported")) {
    return <span class="hint">{`percentiles ${REPORTED}`}</span>;
  }
  if (!origins.includes("unknown")) return null;
  return (
    <span class="hint">{`only averages are available at ${afterStart(resolution)} per point`}</span>
  );
}

/** A sheet with only the visible heatmap columns, because colours depend on them. */
function useSeen(sheet: Sheet | undefined, { from, until }: Range): Sheet | undefined {
  return useMemo(() => {
    if (sheet === undefined) return undefined;
    const heatmaps = sheet.heatmaps.map((heatmap) =>
      withWholeMilliseconds(columnsWithin(heatmap, from, until)),
    );
    return { ...sheet, heatmaps };
  }, [sheet, from, until]);
}

export function zoom(begin: number, end: number): void {
  const { from, until } = longEnough({ from: begin, until: end });
  changeParameters({ ...WHOLE_TEST, from: String(from), until: String(until) });
}
