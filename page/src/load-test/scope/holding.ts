import { createContext } from "preact";

/** The data that can be shown: all of the load test from the service, a selection in a report. */
export interface Holding {
  /** Resolution of the data in seconds: nothing finer can be requested. */
  readonly grainSeconds: number;
  /** The same for measures. */
  readonly measureSeconds: number;
  /** Name of the full range. */
  readonly wholeName: string;
  /** Whether passed and failed requests can be shown separately. */
  readonly hasOutcomes: boolean;
}

export const HoldingContext = createContext<Holding>({
  grainSeconds: 1,
  measureSeconds: 1,
  wholeName: "Full run",
  hasOutcomes: true,
});
