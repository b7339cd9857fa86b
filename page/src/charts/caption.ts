import { createContext } from "preact";
import type { TimeChartProps } from "./time-chart-props.ts";

/** What a saved chart says besides the chart, as it has no page around it. */
export interface Caption {
  /** Prefix of file names. */
  readonly id: string;
  /** Of the load test. */
  readonly name: string;
  /** The shown part, in words. */
  readonly scope: string;
  /** The kind of times on the axis. */
  readonly clock: string;
  /** The charts on the page, by an element in each. */
  readonly charts: Map<Node, TimeChartProps>;
}

/** The caption of the charts below; without one they cannot be saved as pictures. */
export const CaptionContext = createContext<Caption | undefined>(undefined);
