import { changeParameters } from "../address/use-address.ts";
import type { LoadTest } from "../api/load-tests.ts";
import { TICKS_MAX, toggled } from "./ticks.ts";

interface TickBoxProps {
  readonly loadTest: LoadTest;
  /** Ids of ticked load tests. */
  readonly ticks: readonly string[];
}

/** Ticks a load test for comparison. */
export function TickBox({ loadTest: { id, name }, ticks }: TickBoxProps) {
  return (
    <input
      type="checkbox"
      aria-label={`Compare ${name} ${id}`}
      checked={ticks.includes(id)}
      disabled={ticks.length === TICKS_MAX && !ticks.includes(id)}
      onChange={() => tick(ticks, id)}
    />
  );
}

export function tick(ticks: readonly string[], id: string): void {
  const next = toggled(ticks, id).join(",");
  changeParameters({ ticked: next === "" ? undefined : next, swapped: undefined }, "replace");
}
