import { changeParameters } from "../../address/use-address.ts";
import type { Heatmap, Outcome } from "../../api/figures.ts";
import { fullestCell } from "../../charts/heat-cells.ts";
import { count } from "../../format/numbers.ts";
import { Words } from "../../parts/words.tsx";
import { OutcomeSwitch } from "./outcomes.tsx";
import { type Statistic, STATISTICS } from "../endpoints/endpoint-lines.ts";

export type ChartView = "lines" | "heatmap" | "capacity";

/** The view that the URL chooses. */
export function viewIn(parameters: ReadonlyMap<string, string>): ChartView {
  const view = parameters.get("view");
  return view === "heatmap" || view === "capacity" ? view : "lines";
}

interface ChartSwitchesProps {
  /** Which requests count; `undefined`: all. */
  readonly outcome: Outcome | undefined;
  readonly isLogarithmic: boolean;
  readonly view: ChartView;
  readonly heatmaps: readonly Heatmap[];
}

/** Which requests count, which chart is drawn, and its scale. */
export function ChartSwitches(props: ChartSwitchesProps) {
  const { outcome, isLogarithmic, view, heatmaps } = props;
  return (
    <span class="switches">
      <OutcomeSwitch outcome={outcome} />
      {view === "heatmap" ? <Colours heatmaps={heatmaps} /> : null}
      {view === "lines" ? <ScaleSwitch isLogarithmic={isLogarithmic} /> : null}
      <Words
        label="View"
        choices={[
          ["lines", "Lines"],
          ["heatmap", "Heatmap"],
          ["capacity", "Capacity"],
        ]}
        chosen={view}
        onChoose={(choice) => changeParameters({ view: choice === "lines" ? undefined : choice })}
      />
    </span>
  );
}

/** The statistic drawn for several endpoints, one at a time. */
export function StatisticSwitch({ chosen }: { readonly chosen: Statistic }) {
  return (
    <Words
      label="Statistic"
      choices={STATISTICS.map((statistic) => [statistic, statistic])}
      chosen={chosen}
      onChoose={(statistic) => changeParameters({ statistic })}
    />
  );
}

/** The heatmap legend; several heatmaps have their own scales beside them. */
function Colours({ heatmaps: [first, second] }: Pick<ChartSwitchesProps, "heatmaps">) {
  if (first === undefined) return null;
  if (second === undefined) return <RampKey most={fullestCell(first)} />;
  return <span class="ramp-key">each strip has its own colour scale</span>;
}

export function RampKey({ most }: { readonly most: number }) {
  if (most === 0) return null;
  return (
    <span class="ramp-key">
      1 <span class="ramp" /> {`${count(most)} request${most === 1 ? "" : "s"} in a cell`}
    </span>
  );
}

function ScaleSwitch({ isLogarithmic }: Pick<ChartSwitchesProps, "isLogarithmic">) {
  return (
    <Words
      label="Scale"
      choices={[
        ["linear", "linear"],
        ["log", "log"],
      ]}
      chosen={isLogarithmic ? "log" : "linear"}
      onChoose={(choice) => changeParameters({ scale: choice })}
    />
  );
}
