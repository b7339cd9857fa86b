import { useContext } from "preact/hooks";
import { changeParameters } from "../../address/use-address.ts";
import { chartWidth } from "../../charts/axes.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { toggled, zoom } from "../charts/charts-section.tsx";
import { type Clock, clockOrigin, timeFormat } from "../clock.ts";
import { useEvents } from "../events/event-list.tsx";
import type { LoadTestPart } from "../part.ts";
import { HoldingContext } from "../scope/holding.ts";
import { type Range, WHOLE_TEST } from "../scope/range.ts";
import { resolutionFor } from "../scope/scope.ts";
import { ChooseMeasures } from "./choose-measures.tsx";
import { MeasureCharts } from "./measure-charts.tsx";
import { haveLongNames, type MeasureGroup } from "./measure-groups.ts";
import { useMeasures } from "./use-measures.ts";

interface MeasuresAloneProps extends Pick<
  LoadTestPart,
  "name" | "scope" | "version" | "parameters"
> {
  readonly clock: Clock;
}

/** Drawn while none are chosen. */
const FIRST_DRAWN = 4;

/** Replaces the charts of a load test without requests: what was measured, if anything. */
export function MeasuresAlone({ clock, ...props }: MeasuresAloneProps) {
  const { scope, version, parameters } = props;
  const { groups, shown } = useMeasures(props);
  const drawn = shown.length === 0 ? groups.slice(0, FIRST_DRAWN) : shown;
  const whole = rangeOf(groups);
  const range = { from: scope.from ?? whole.from, until: scope.until ?? whole.until };
  const flags = useEvents(scope.id, range, version);
  const { measureSeconds } = useContext(HoldingContext);
  const areNamesLong = haveLongNames(drawn);
  const widthPixels = chartWidth(useIsNarrow(), areNamesLong);
  if (groups.length === 0) return <p class="hint">No requests yet.</p>;
  const seconds = range.until - range.from;
  const hidden = new Set(parameters.get("hidden")?.split(","));
  return (
    <>
      <div class="section-head">
        <h2>Measures</h2>
        <span class="hint">no requests</span>
        <ChooseMeasures name={props.name} groups={groups} chosen={drawn.map(({ name }) => name)} />
      </div>
      <MeasureCharts
        {...{ scope, range, version, areNamesLong, hidden, flags }}
        sheet={{
          counts: undefined,
          countResolution: resolutionFor(seconds, Infinity, widthPixels, measureSeconds),
        }}
        groups={drawn}
        phases={[]}
        hasCodes={false}
        marks={[]}
        rug={[]}
        endsAt={undefined}
        formatTime={timeFormat(clock, whole)}
        clockOrigin={clockOrigin(clock, whole.from)}
        onToggle={(name) => changeParameters({ hidden: toggled(hidden, name) }, "replace")}
        onZoom={zoom}
        onZoomOut={() => changeParameters(WHOLE_TEST)}
      />
    </>
  );
}

/** From the first to the last value at a known time. */
function rangeOf(groups: readonly MeasureGroup[]): Range {
  const timed = groups.flatMap(({ series }) => series).filter(({ from }) => from > 0);
  const from = Math.min(...timed.map((each) => each.from));
  return { from, until: Math.max(from, ...timed.map((each) => each.until)) + 1 };
}
