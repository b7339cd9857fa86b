import { type Clock as ZoneClock, sinceStart, timeOfDay, zoneName } from "../format/times.ts";

/** How times are written. */
export type Clock = "local" | "utc" | "start";

/** The clock the URL selects. */
export function clockOf(name: string | undefined): Clock {
  return name === "utc" || name === "start" ? name : "local";
}

/** The zone of times; `start` uses the viewer's zone where a date is needed. */
export function zoneClock(clock: Clock): ZoneClock {
  return clock === "utc" ? "utc" : "local";
}

/** Formats seconds; `first` is the start of the load test. */
export function timeFormat(clock: Clock, first: number): (second: number) => string {
  if (clock === "start") return (second) => sinceStart(Math.max(0, second - first));
  return (second) => timeOfDay(second, zoneClock(clock));
}

/** A second at which this clock shows 0: axis labels are at whole steps from there. */
export function clockOrigin(clock: Clock, first: number): number {
  if (clock === "start") return first;
  return clock === "utc" ? 0 : new Date(first * 1000).getTimezoneOffset() * 60;
}

/** The viewer's zone at the time of the load test. */
export function localZone(first: number): string {
  return zoneName(first);
}
