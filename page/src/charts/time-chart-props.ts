import type uPlot from "uplot";
import type { Quantity } from "../format/numbers.ts";
import type { ChartLine } from "./chart-line.ts";
import type { Stretch } from "./marks.ts";
import type { ReadoutRow } from "./readout.ts";

export interface TimeChartProps {
  readonly title: string;
  /** In pixels, axis and numbers of marks included. */
  readonly height: number;
  /** UNIX seconds at which windows begin, and the end of the range. */
  readonly seconds: readonly number[];
  readonly lines: readonly ChartLine[];
  /** Names of lines that are switched off. */
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
  /** Whether lines have names as long as labels of endpoints, in this chart or another one. */
  readonly areNamesLong: boolean;
  /** Whether there is no room beside the chart. */
  readonly isNarrow: boolean;
  readonly formatValue: (value: number) => Quantity;
  readonly axisTexts: (values: readonly number[]) => readonly string[];
  readonly formatTime: (second: number) => string;
  /** The same along the axis, where it is shorter there. */
  readonly formatTick?: (second: number) => string;
  /** A second at which the clock of these times stands at 0. @default 0 */
  readonly clockOrigin?: number;
  readonly hasTimeAxis: boolean;
  readonly isLogarithmic?: boolean;
  /** Lowest and highest value of the axis, where the lines do not say them. */
  readonly valueRange?: readonly [low: number, high: number];
  /** Seconds of findings, in their order. */
  readonly marks: readonly number[];
  /** Whether the numbers of the findings stand above this chart. */
  readonly hasMarkNumbers?: boolean;
  /** The second from which on nobody knows more, where the range goes on. */
  readonly endsAt?: number | undefined;
  /** What is marked under the floor. */
  readonly rug: readonly Stretch[];
  /** Requests of the fullest cell, where what is drawn under the lines is a heatmap. */
  readonly fullestCell?: number;
  /** Draws under the lines. */
  readonly drawUnder?: (chart: uPlot) => void;
  /** What stands beside the cursor, where that is not the values of the lines. */
  readonly readAt?: (index: number, value: number | undefined) => readonly ReadoutRow[];
  /** The values between which a place is outlined under the cursor. */
  readonly outlineAt?: (index: number, value: number) => readonly [number, number] | undefined;
  /** The hairline through all charts, for the lowest of them to move. */
  readonly hairline?: { readonly current: HTMLElement | null };
  /** Called with the window that was clicked, or that has the keyboard's cursor at Enter. */
  readonly onChoose?: (index: number, by: "pointer" | "keys") => void;
  readonly onZoom: (from: number, until: number) => void;
  readonly onZoomOut: () => void;
}
