import type { LoadTest } from "../api/load-tests.ts";
import { lasted } from "../format/numbers.ts";
import { changesClock, day, timeOfDay, zoneName } from "../format/times.ts";
import { toolNames } from "../format/tool-name.ts";
import { type Clock, isOneDay, zoneClock } from "./clock.ts";

interface FactsProps {
  readonly loadTest: Pick<LoadTest, "tags" | "environment" | "formats" | "from" | "until">;
  readonly clock: Clock;
  readonly isLive: boolean;
}

/** Tool, time, environment and tags in one line. */
export function Facts({ loadTest, clock, isLive }: FactsProps) {
  const { tags, environment, formats } = loadTest;
  const facts = [
    isLive ? "live" : "",
    toolNames(formats),
    ...timeFacts(loadTest, clock, isLive),
    environment === null ? "" : `in ${environment}`,
    tags.join(", "),
  ];
  return (
    <p class="facts">
      {isLive ? <span class="live-dot" aria-hidden="true" /> : null}
      {facts.filter((fact) => fact !== "").join(" · ")}
    </p>
  );
}

function timeFacts(
  { from, until }: FactsProps["loadTest"],
  clock: Clock,
  isLive: boolean,
): string[] {
  if (from === null || until === null) return [];
  const zone = zoneClock(clock);
  const zoneText = zone === "utc" ? "UTC" : zoneName(from);
  const begin = timeOfDay(from, zone);
  const lastDay = isOneDay({ from, until: until + 1 }, zone) ? "" : `${day(until, zone)}, `;
  const length = lasted(until - from + 1).replaceAll(" ", "\u{a0}");
  if (isLive) return [`since ${day(from, zone)}, ${begin} ${zoneText}, ${length}`];
  const end = `${lastDay}${timeOfDay(until, zone)}`;
  if (zone === "local" && changesClock(from, until)) {
    return [`${day(from, zone)}, ${begin} ${zoneText} to ${end} ${zoneName(until)}`, length];
  }
  return [`${day(from, zone)}, ${begin} to ${end} ${zoneText}`, length];
}
