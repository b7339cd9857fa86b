import type { Scope } from "../../api/figures.ts";
import type { Caption } from "../../charts/caption.ts";
import { count } from "../../format/numbers.ts";
import { day } from "../../format/times.ts";
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
  const { name, scope, range, points, clock, formatTime } = captioned;
  const zone = clock === "utc" ? "UTC" : localZone(range.from);
  const from = formatTime(range.from);
  const isDated = clock === "start" || from.includes(" ");
  const begin = isDated ? from : `${day(range.from, zoneClock(clock))}, ${from}`;
  const times = `${begin} to ${formatTime(range.until - 1)}`;
  const parts = [
    clock === "start" ? `${times} since start` : `${times} ${zone}`,
    endpointsText(scope),
    ...(points === "" ? [] : [points]),
  ];
  return {
    id: scope.id,
    name,
    scope: parts.join(" · "),
    clock: clock === "start" ? "since start" : zone,
  };
}

function endpointsText({ filter, hashes }: Scope): string {
  const { length } = hashes;
  if (length > 0) return `${count(length)} selected endpoint${length === 1 ? "" : "s"}`;
  return filter === "" ? "all endpoints" : `endpoints that contain ${JSON.stringify(filter)}`;
}
