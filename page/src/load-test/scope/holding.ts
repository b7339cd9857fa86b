import { createContext } from "preact";

/** What there is to be shown: a service has all of a load test, a report what it was made of. */
export interface Holding {
  /** Seconds that were merged before: nothing finer can be asked for. */
  readonly grainSeconds: number;
  /** What all of it is called. */
  readonly wholeName: string;
}

export const HoldingContext = createContext<Holding>({ grainSeconds: 1, wholeName: "Whole test" });
