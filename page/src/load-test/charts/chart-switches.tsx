import { changeParameters } from "../../address/use-address.ts";
import type { Heatmap, Outcome } from "../../api/figures.ts";
import { fullestCell } from "../../charts/heat-cells.ts";
import { count } from "../../format/numbers.ts";
import { Words } from "../../parts/words.tsx";
import { OutcomeSwitch } from "./outcomes.tsx";
import { type Statistic, STATISTICS } from "../endpoints/endpoint-lines.ts";

interface ChartSwitchesProps {
  /** Which requests count; `undefined`: all. */
  readonly outcome: Outcome | undefined;
  readonly isLogarithmic: boolean;
  readonly isHeatmap: boolean;
  /** The shown choices. */
  readonly heatmaps: readonly Heatmap[];
}

/** Which requests count, lines or heatmap, and their scale. */
export function ChartSwitches(props: ChartSwitchesProps) {
  const { outcome, isLogarithmic, isHeatmap, heatmaps } = props;
  return (
    <span class="switches">
      <OutcomeSwitch outcome={outcome} />
      {isHeatmap ? (
        <Colours heatmaps={heatmaps} />
      ) : (
        <Switch name="scale" label="Scale" choices={["linear", "log"]} isSecond={isLogarithmic} />
      )}
      <Switch name="view" label="View" choices={["Lines", "Heatmap"]} isSecond={isHeatmap} />
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

/** A heatmap's legend. */
export function RampKey({ most }: { readonly most: number }) {
  if (most === 0) return null;
  return (
    <span class="ramp-key">
      1 <span class="ramp" /> {`${count(most)} request${most === 1 ? "" : "s"} in a cell`}
    </span>
  );
}

interface SwitchProps {
  /** Of the URL parameter; its absence means the first choice. */
  readonly name: string;
  readonly label: string;
  readonly choices: readonly [string, string];
  readonly isSecond: boolean;
}

function Switch({ name, label, choices: [first, second], isSecond }: SwitchProps) {
  return (
    <Words
      label={label}
      choices={[
        ["first", first],
        ["second", second],
      ]}
      chosen={isSecond ? "second" : "first"}
      onChoose={(choice) =>
        changeParameters({ [name]: choice === "second" ? second.toLowerCase() : undefined })
      }
    />
  );
}
