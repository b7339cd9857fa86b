import { createContext } from "preact";

/** What a picture of a chart says besides the chart: it has no page around it. */
export interface Caption {
  /** Begins the names of files. */
  readonly id: string;
  /** Of the load test. */
  readonly name: string;
  /** Which part of it is shown, in words. */
  readonly scope: string;
  /** What the times along the axis are. */
  readonly clock: string;
}

/** The caption of the charts below; without one there are no pictures of them. */
export const CaptionContext = createContext<Caption | undefined>(undefined);
