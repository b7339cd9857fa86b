import type { Scope } from "../../api/figures.ts";
import type { Caption } from "../../charts/caption.ts";
import { count } from "../../format/numbers.ts";
import { day, timeOfDay } from "../../format/times.ts";
import { facetsText } from "../../facets/facet-filter.ts";
import { type Clock, localZone, zoneClock } from "../clock.ts";
import type { Range } from "../scope/range.ts";

interface Captioned {
  /** Of the load test. */
  readonly name: string;
  readonly scope: Scope;
  readonly range: Range;
  /** Length of points; empty until something is drawn. */
  readonly points: string;
  readonly clock: Clock;
  readonly formatTime: (second: number) => string;
}

/** The scope bar's text, for pictures, which have none. */
export function captionOf(captioned: Captioned): Omit<Caption, "charts"> {
  const { name, scope, range, points, clock } = captioned;
  const zone = clock === "utc" ? "UTC" : localZone(range.from);
  const times = timesText(captioned);
  const parts = [
    clock === "start" ? `${times} since start` : `${times} ${zone}`,
    endpointsText(scope),
    ...(scope.outcome === undefined ? [] : [`${scope.outcome} requests`]),
    ...[facetsText(scope)].filter((text) => text !== ""),
    ...(points === "" ? [] : [points]),
  ];
  return {
    id: scope.id,
    name,
    scope: parts.join(" · "),
    clock: clock === "start" ? "since start" : zone,
  };
}

/** With the year once, whichever form the times have. */
function timesText({ range, clock, formatTime }: Captioned): string {
  const [from, last] = [formatTime(range.from), range.until - 1];
  if (clock === "start") return `${from} to ${formatTime(last)}`;
  const zone = zoneClock(clock);
  const isDated = from.includes(" ");
  return isDated
    ? `${from} to ${day(last, zone).slice(4)} ${timeOfDay(last, zone)}`
    : `${day(range.from, zone)}, ${from} to ${formatTime(last)}`;
}

export function endpointsText({ filter, hashes }: Pick<Scope, "filter" | "hashes">): string {
  const { length } = hashes;
  if (length > 0) return `${count(length)} selected endpoint${length === 1 ? "" : "s"}`;
  return filter === "" ? "all endpoints" : `endpoints that contain ${JSON.stringify(filter)}`;
}
