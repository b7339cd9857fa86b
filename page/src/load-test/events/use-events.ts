import { useMemo } from "preact/hooks";
import { type Answer, ask } from "../../api/client.ts";
import { useAnswer } from "../../api/use-answer.ts";
import type { ChartFlag } from "../../charts/time-chart-props.ts";
import type { Range } from "../scope/range.ts";

/** See docs/api.md, "Events". */
type RunEvent = Answer<"getEvents">[number];

/** An event as a flag of charts, in UNIX seconds. */
export interface EventFlag extends ChartFlag {
  readonly event: RunEvent;
}

/** Requests what happened in a range of a run, ascending by time. */
export function useEvents(
  id: string,
  { from, until }: Range,
  version: number,
): readonly EventFlag[] {
  const { value } = useAnswer("events", id, (signal) => askEvents(id, signal), { version });
  return useMemo(
    () => value?.filter((each) => each.second < until && lastOf(each) >= from) ?? [],
    [value, from, until],
  );
}

async function askEvents(id: string, signal: AbortSignal): Promise<readonly EventFlag[]> {
  const events = await ask("getEvents", { id }, { signal });
  return events.map(flagOf);
}

export function flagOf(event: RunEvent): EventFlag {
  return {
    second: Math.floor(Date.parse(event.at) / 1000),
    until: event.until === undefined ? undefined : Math.ceil(Date.parse(event.until) / 1000),
    text: event.endpoint === undefined ? event.text : `${event.endpoint}: ${event.text}`,
    event,
  };
}

function lastOf({ second, until = second + 1 }: ChartFlag): number {
  return until - 1;
}

/** When it happened: a time, or both ends. */
export function whenText(
  { second, until }: ChartFlag,
  formatTime: (second: number) => string,
): string {
  return until === undefined ? formatTime(second) : `${formatTime(second)} to ${formatTime(until)}`;
}
