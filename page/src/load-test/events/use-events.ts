import { useMemo } from "preact/hooks";
import { askEvents } from "../../api/events.ts";
import { useAnswer } from "../../api/use-answer.ts";
import type { ChartFlag } from "../../charts/time-chart-props.ts";
import type { Range } from "../scope/range.ts";

/** Requests what happened in a range of a load test. */
export function useEvents(
  id: string,
  { from, until }: Range,
  version: number,
): readonly ChartFlag[] {
  const { value } = useAnswer("events", id, (signal) => askEvents(id, signal), { version });
  return useMemo(
    () => value?.filter(({ second }) => second >= from && second < until) ?? [],
    [value, from, until],
  );
}
