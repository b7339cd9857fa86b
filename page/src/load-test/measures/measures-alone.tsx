import { useContext } from "preact/hooks";
import { changeParameters } from "../../address/use-address.ts";
import { chartWidth } from "../../charts/axes.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { toggleIn } from "../../parts/toggled.ts";
import { zoom } from "../charts/charts-section.tsx";
import { type Clock, clockOrigin, timeFormat } from "../clock.ts";
import { useEvents } from "../events/use-events.ts";
import type { LoadTestPart } from "../part.ts";
import { HoldingContext } from "../scope/holding.ts";
import { WHOLE_TEST, wholeRange } from "../scope/range.ts";
import { resolutionFor } from "../scope/scope.ts";
import { ChooseMeasures } from "./choose-measures.tsx";
import { MeasureCharts } from "./measure-charts.tsx";
import { rangeOf } from "./measure-groups.ts";
import { useMeasures } from "./use-measures.ts";

interface MeasuresAloneProps extends Pick<
  LoadTestPart,
  "name" | "scope" | "version" | "parameters"
> {
  readonly clock: Clock;
  /** Shown if nothing was measured at a known time. */
  readonly emptyText: string;
}

/** Drawn while none are chosen. */
const FIRST_DRAWN = 4;

/** Shown instead of charts for a load test without requests: its measures, if any. */
export function MeasuresAlone({ clock, emptyText, ...props }: MeasuresAloneProps) {
  const { scope, version, parameters } = props;
  const { groups, chosen, shown, tags } = useMeasures(props, FIRST_DRAWN);
  const measured = rangeOf(groups);
  const whole = measured ?? wholeRange({ from: null, until: null });
  const range = { from: scope.from ?? whole.from, until: scope.until ?? whole.until };
  const flags = useEvents(scope.id, range, version);
  const { measureSeconds } = useContext(HoldingContext);
  const widthPixels = chartWidth(useIsNarrow(), false);
  if (measured === undefined) return <p class="hint">{emptyText}</p>;
  const seconds = range.until - range.from;
  const hidden = new Set(parameters.get("hidden")?.split(","));
  return (
    <>
      <div class="section-head">
        <h2>Measures</h2>
        <span class="hint">no requests</span>
        <ChooseMeasures name={props.name} groups={groups} chosen={chosen} />
      </div>
      <MeasureCharts
        {...{ scope, range, version, hidden, flags }}
        areNamesLong={false}
        sheet={{
          counts: undefined,
          countResolution: resolutionFor(seconds, Infinity, widthPixels, measureSeconds),
        }}
        tags={tags}
        where={parameters.get("tags")}
        groups={shown}
        phases={[]}
        hasCodes={false}
        endsAt={undefined}
        formatTime={timeFormat(clock, whole)}
        clockOrigin={clockOrigin(clock, whole.from)}
        onToggle={(name) => toggleIn("hidden", hidden, name)}
        onZoom={zoom}
        onZoomOut={() => changeParameters(WHOLE_TEST)}
      />
    </>
  );
}
