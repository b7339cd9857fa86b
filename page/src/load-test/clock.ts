import {
  changesClock,
  type Clock as ZoneClock,
  day,
  sinceStart,
  timeOfDay,
  zoneName,
} from "../format/times.ts";
import type { Range } from "./scope/range.ts";

/** How times are written. */
export type Clock = "local" | "utc" | "start";

/** In a shorter range no date occurs twice. */
const YEAR_SECONDS = 365 * 86_400;

/** The clock the URL selects. */
export function clockOf(name: string | undefined): Clock {
  return name === "utc" || name === "start" ? name : "local";
}

/** The zone of times; `start` uses the viewer's zone where a date is needed. */
export function zoneClock(clock: Clock): ZoneClock {
  return clock === "utc" ? "utc" : "local";
}

/**
 * Formats seconds, with the date if the load test, with this range, spans several days: `21 Sept 14:02:11`; with the year as
 * well if it spans more than a year, as with a request of 1970. With the zone if the clock changes in between, as an hour
 * occurs twice then: `02:11:00 CEST`.
 */
export function timeFormat(clock: Clock, whole: Range): (second: number) => string {
  if (clock === "start") return (second) => sinceStart(Math.max(0, second - whole.from));
  const zone = zoneClock(clock);
  const hasZones = zone === "local" && changesClock(whole.from, whole.until - 1);
  const timeOf = (second: number): string =>
    hasZones ? `${timeOfDay(second, zone)} ${zoneName(second)}` : timeOfDay(second, zone);
  if (isOneDay(whole, zone)) return timeOf;
  const end = whole.until - whole.from > YEAR_SECONDS ? undefined : -5;
  return (second) => `${day(second, zone).slice(4, end)} ${timeOf(second)}`;
}

export function isOneDay({ from, until }: Range, zone: ZoneClock): boolean {
  return day(from, zone) === day(until - 1, zone);
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
