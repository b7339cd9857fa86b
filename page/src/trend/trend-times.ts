/** Times of load tests in the view of a series, in the viewer's zone. */

import type { TrendLoadTest } from "../api/trend.ts";
import { day, dayAndTime, timeOfDay } from "../format/times.ts";

/** `Tue 14 Nov 2023 to Thu 7 Dec 2023`. */
export function spanText(loadTests: readonly TrendLoadTest[]): string {
  const [first, last] = [loadTests[0], loadTests.at(-1)].map((each) =>
    each === undefined ? "" : day(each.startedAt, "local"),
  );
  return first === last ? `${first}` : `${first} to ${last}`;
}

/** `nightly-14, Tue 28 Nov, 22:13`; with the name if names differ. */
export function loadTestText(loadTest: TrendLoadTest, series: string | undefined): string {
  const { id, name, startedAt } = loadTest;
  const who = name === series || name === id ? id : `${name} ${id}`;
  return `${who}, ${startText(startedAt)}`;
}

export function startText(startedAt: number): string {
  const text = dayAndTime(startedAt, Date.now() / 1000, "local");
  return text.replace(/^(Today|Yesterday)/, (word) => word.toLowerCase());
}

/** Axis label: the date, `14 Nov`, or the time of day if all are on one day. */
export function axisText(startedAt: number, loadTests: readonly TrendLoadTest[]): string {
  const days = new Set(
    [loadTests[0], loadTests.at(-1)].map((each) => day(each?.startedAt ?? 0, "local")),
  );
  if (days.size === 1) return timeOfDay(startedAt, "local").slice(0, 5);
  return day(startedAt, "local").split(" ").slice(1, 3).join(" ");
}
