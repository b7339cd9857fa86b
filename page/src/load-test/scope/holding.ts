import { createContext } from "preact";

/** What can be shown: the service has the whole load test, a report what it was made from. */
export interface Holding {
  /** Resolution of the data in seconds: nothing finer can be requested. */
  readonly grainSeconds: number;
  /** The same for measures. */
  readonly measureSeconds: number;
  /** Name of the full range. */
  readonly wholeName: string;
  /** Whether passed and failed requests can be told apart. */
  readonly hasOutcomes: boolean;
}

export const HoldingContext = createContext<Holding>({
  grainSeconds: 1,
  measureSeconds: 1,
  wholeName: "Full run",
  hasOutcomes: true,
});
