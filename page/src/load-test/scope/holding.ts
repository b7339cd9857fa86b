import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Scope } from "../../api/figures.ts";
import type { Range } from "./range.ts";

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
  /** Whether it has only requests with some facets. */
  readonly isPart: boolean;
}

export const HoldingContext = createContext<Holding>({
  grainSeconds: 1,
  measureSeconds: 1,
  wholeName: "Full run",
  hasOutcomes: true,
  isPart: false,
});

/** Whether a range consists of whole windows of measures: what is in a part of one is unknown. */
export function hasWholeMeasures(
  { from, until }: Pick<Scope, "from" | "until">,
  whole: Pick<Range, "until">,
  measureSeconds: number,
): boolean {
  const isWhole = (second = 0): boolean => second % measureSeconds === 0;
  return isWhole(from) && (isWhole(until) || (until ?? 0) >= whole.until);
}

/** Whether only requests with some facets count: users, measures and checks are then those of more. */
export function useIsPart({ where }: Scope): boolean {
  const { isPart } = useContext(HoldingContext);
  return isPart || where !== undefined;
}
