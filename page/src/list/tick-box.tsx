import { changeParameters } from "../address/use-address.ts";
import type { LoadTest } from "../api/load-tests.ts";
import { ALL, TICKS_MAX, toggled } from "./ticks.ts";

interface TickBoxProps {
  readonly loadTest: LoadTest;
  /** Ids of ticked load tests. */
  readonly ticks: readonly string[];
}

/** Selects a load test. */
export function TickBox({ loadTest: { id, name }, ticks }: TickBoxProps) {
  const isAll = ticks.includes(ALL);
  return (
    <input
      type="checkbox"
      aria-label={`Select ${name} ${id}`}
      checked={isAll || ticks.includes(id)}
      disabled={isAll || (ticks.length === TICKS_MAX && !ticks.includes(id))}
      onChange={() => tick(ticks, id)}
    />
  );
}

/** Selects all that match the search, on any page. */
export function TickAll({ ticks }: Pick<TickBoxProps, "ticks">) {
  return (
    <input
      type="checkbox"
      aria-label="Select all that match"
      checked={ticks.includes(ALL)}
      onChange={({ currentTarget }) => tick(currentTarget.checked ? [] : [ALL], ALL)}
    />
  );
}

export function tick(ticks: readonly string[], id: string): void {
  const next = toggled(ticks, id).join(",");
  changeParameters({ ticked: next === "" ? undefined : next, swapped: undefined }, "replace");
}
