/** Ends of a range as typed text. */

import { sinceStart, timeOfDay } from "../../format/times.ts";
import { type Clock, isOneDay, zoneClock } from "../clock.ts";
import type { Range } from "./range.ts";

/** The clock and the extent of the load test, for reading typed times. */
export interface TypedTimes {
  readonly clock: Clock;
  /** Extent of the load test: UNIX seconds, half-open. */
  readonly whole: Range;
}

const DAY_SECONDS = 86_400;

/** A second as text: `14:02:11`, with the date if the load test spans several days, or `+18:00`. */
export function typedTime(second: number, { clock, whole }: TypedTimes): string {
  if (clock === "start") return sinceStart(second - whole.from);
  const zone = zoneClock(clock);
  const time = timeOfDay(second, zone);
  return isOneDay(whole, zone) ? time : `${isoDay(second, clock)} ${time}`;
}

/** Parses a field that showed a second: when the clock is set back, one text may be that of two. */
export function parseField(text: string, shown: number, times: TypedTimes): number | undefined {
  return text === typedTime(shown, times) ? shown : parseTyped(text, times);
}

/** Parses a typed second; `undefined` if invalid. Without a date, the load test's date applies. */
export function parseTyped(text: string, times: TypedTimes): number | undefined {
  return times.clock === "start" ? parseSinceStart(text, times) : parseTimeOfDay(text, times);
}

function parseSinceStart(text: string, { whole }: TypedTimes): number | undefined {
  const match = /^\+?(?:(\d{1,4}):)?(\d{1,2}):(\d\d)$/.exec(text.trim());
  if (match === null) return undefined;
  const [hours, minutes, seconds] = match.slice(1).map((digits) => Number(digits ?? 0));
  return whole.from + (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0);
}

const TIME = /^(?:(\d{4}-\d\d-\d\d)[ T])?([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

function parseTimeOfDay(text: string, { clock, whole }: TypedTimes): number | undefined {
  const [all, typedDay, hours = "", minutes = "", seconds = "00"] = TIME.exec(text.trim()) ?? [];
  if (all === undefined) return undefined;
  const time = `${hours.padStart(2, "0")}:${minutes}:${seconds}`;
  const firstDay = isoDay(whole.from, clock);
  const second = secondAt(typedDay ?? firstDay, time, clock);
  if (Number.isNaN(second)) return undefined;
  // 30 February is invalid, though a `Date` accepts it.
  if (typedDay !== undefined) return isoDay(second, clock) === typedDay ? second : undefined;
  // After midnight, if the load test goes on until then.
  const nextNoon = secondAt(firstDay, "12:00:00", clock) + DAY_SECONDS;
  const next = secondAt(isoDay(nextNoon, clock), time, clock);
  return second < whole.from && next < whole.until ? next : second;
}

function secondAt(isoDayText: string, time: string, clock: Clock): number {
  return Date.parse(`${isoDayText}T${time}${clock === "utc" ? "Z" : ""}`) / 1000;
}

/** The date as `2026-11-21`. */
function isoDay(second: number, clock: Clock): string {
  const zone = clock === "utc" ? { timeZone: "UTC" } : {};
  const parts = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
  return new Intl.DateTimeFormat("en-CA", { ...parts, ...zone }).format(second * 1000);
}
