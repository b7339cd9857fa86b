import type uPlot from "uplot";
import type { Quantity } from "../format/numbers.ts";
import type { ChartLine } from "./chart-line.ts";
import type { Stretch } from "./marks.ts";
import type { ReadoutRow } from "./readout.ts";

/** Whole windows in UNIX seconds, and values: half-open. */
export interface ChartBox {
  readonly from: number;
  readonly until: number;
  readonly low: number;
  readonly high: number;
}

/** Something that happened at a UNIX second, or from then on. */
export interface ChartFlag {
  readonly second: number;
  /** Its end, not included. @default the next second */
  readonly until?: number | undefined;
  readonly text: string;
}

export interface TimeChartProps {
  readonly title: string;
  /** In pixels, with axis and mark numbers. */
  readonly height: number;
  /** UNIX seconds where windows start, then the end of the range. */
  readonly seconds: readonly number[];
  readonly lines: readonly ChartLine[];
  /** Names of hidden lines. */
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
  /** Whether line names are as long as endpoint labels, in this or another chart. */
  readonly areNamesLong: boolean;
  /** Whether there is no room beside the chart. */
  readonly isNarrow: boolean;
  readonly formatValue: (value: number) => Quantity;
  readonly axisTexts: (values: readonly number[]) => readonly string[];
  readonly formatTime: (second: number) => string;
  /** The shorter form for the axis. */
  readonly formatTick?: (second: number) => string;
  /** A second at which this clock shows 0. @default 0 */
  readonly clockOrigin?: number;
  readonly hasTimeAxis: boolean;
  readonly isLogarithmic?: boolean;
  /** Lowest and highest value of the axis, if the lines do not determine them. */
  readonly valueRange?: readonly [low: number, high: number];
  /** Seconds of findings, in their order. @default none */
  readonly marks?: readonly number[];
  /** Whether finding numbers are shown above this chart. */
  readonly hasMarkNumbers?: boolean;
  /** What happened at a second, in words. */
  readonly flags?: readonly ChartFlag[];
  /** The second after which nothing is known, if the range goes on. */
  readonly endsAt?: number | undefined;
  /** Marked below the chart. @default nothing */
  readonly rug?: readonly Stretch[];
  /** Requests in the fullest cell, if a heatmap is drawn below the lines. */
  readonly fullestCell?: number;
  /** Draws below the lines. */
  readonly drawUnder?: (chart: uPlot) => void;
  /** Replaces the lines' values beside the cursor. */
  readonly readAt?: (index: number, value: number | undefined) => readonly ReadoutRow[];
  /** The values between which a cell is outlined under the cursor. */
  readonly outlineAt?: (index: number, value: number) => readonly [number, number] | undefined;
  /** Called with the clicked second, or the first of the keyboard cursor's window on Enter. */
  readonly onNote?: ((second: number) => void) | undefined;
  /** Called with the clicked window, or the keyboard cursor's window on Enter. */
  readonly onChoose?: (index: number, by: "pointer" | "keys") => void;
  /** Drawn over the chart. */
  readonly box?: ChartBox | undefined;
  /** Called with a rectangle dragged or clicked; `undefined`: dragging chooses seconds only. */
  readonly onBox?: (box: ChartBox) => void;
  readonly onZoom: (from: number, until: number) => void;
  readonly onZoomOut: () => void;
}
