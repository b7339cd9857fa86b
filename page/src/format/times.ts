/** Times as the page shows them: in the viewer's zone, in UTC, or since the start. */

/** The clock: the viewer's zone or UTC. */
export type Clock = "local" | "utc";

function zoneOf(clock: Clock): { timeZone?: string } {
  return clock === "utc" ? { timeZone: "UTC" } : {};
}

/** Time of day, `14:02:11`. */
export function timeOfDay(second: number, clock: Clock): string {
  return new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", ...zoneOf(clock) }).format(
    second * 1000,
  );
}

/** The full date, `Sat 21 Nov 2026`. */
export function day(second: number, clock: Clock): string {
  const parts = { weekday: "short", day: "numeric", month: "short", year: "numeric" } as const;
  return new Intl.DateTimeFormat("en-GB", { ...parts, ...zoneOf(clock) })
    .format(second * 1000)
    .replaceAll(",", "");
}

/** Date and time for lists: `Today 14:02`, `Thu 19 Nov, 16:30`, `19 Nov 2025, 16:30`. */
export function dayAndTime(second: number, nowSecond: number, clock: Clock): string {
  const time = timeOfDay(second, clock).slice(0, 5);
  const days = dayNumber(nowSecond, clock) - dayNumber(second, clock);
  if (days === 0) return `Today ${time}`;
  if (days === 1) return `Yesterday ${time}`;
  const isThisYear = day(second, clock).slice(-4) === day(nowSecond, clock).slice(-4);
  const text = day(second, clock);
  // Of another year, nobody knows the weekday.
  return `${isThisYear ? text.slice(0, -5) : text.slice(4)}, ${time}`;
}

/** The same with seconds: `Today 14:02:11`. */
export function dayAndSecond(second: number, nowSecond: number, clock: Clock): string {
  return `${dayAndTime(second, nowSecond, clock).slice(0, -5)}${timeOfDay(second, clock)}`;
}

/** Seconds since a start: `+0:42`, `+1:02:11`. */
export function sinceStart(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours === 0
    ? `+${minutes}:${rest}`
    : `+${hours}:${String(minutes).padStart(2, "0")}:${rest}`;
}

/** Time since a start: `0`, `45 s`, `5 min`, `5 min 30 s`, `1 h 2 min`. */
export function afterStart(seconds: number): string {
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor((seconds % 3600) / 60), "min"],
    [seconds % 60, "s"],
  ];
  const texts = parts.flatMap(([amount, unit]) => (amount === 0 ? [] : [`${amount} ${unit}`]));
  return texts.length === 0 ? "0" : texts.join(" ");
}

/** Short name of the viewer's zone: `CET`, `GMT+5:30`. */
export function zoneName(second: number): string {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" }).formatToParts(
    second * 1000,
  );
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "local";
}

/** Whether the viewer's clock changes between summer and winter time from one second to the other. */
export function changesClock(from: number, until: number): boolean {
  return offsetMinutes(from) !== offsetMinutes(until);
}

function offsetMinutes(second: number): number {
  return new Date(second * 1000).getTimezoneOffset();
}

/** The same with the zone's city: `CET (Berlin)`; none for UTC. */
export function zoneInFull(second: number): string {
  const name = zoneName(second);
  const { timeZone } = new Intl.DateTimeFormat("en-GB").resolvedOptions();
  const place = timeZone.slice(timeZone.lastIndexOf("/") + 1).replaceAll("_", " ");
  return place === name ? name : `${name} (${place})`;
}

/** Days since the epoch on this clock. */
function dayNumber(second: number, clock: Clock): number {
  const [year = 0, month = 1, date = 1] = new Intl.DateTimeFormat("en-CA", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    ...zoneOf(clock),
  })
    .format(second * 1000)
    .split("-")
    .map(Number);
  return Date.UTC(year, month - 1, date) / 86_400_000;
}
