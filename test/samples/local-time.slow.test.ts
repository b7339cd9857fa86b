import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LocalTime } from "../../src/decode/bytes/timestamp.ts";
import { instantOf } from "../independent/wall-clock.mjs";

/** Time zones with unusual offsets, and days of 2011 on which their clocks changed. */
const ZONES = [
  { timeZone: "Europe/Berlin", days: ["2011-03-27", "2011-10-30"] },
  { timeZone: "America/St_Johns", days: ["2011-03-13", "2011-11-06"] },
  // Daylight saving time of half an hour.
  { timeZone: "Australia/Lord_Howe", days: ["2011-04-03", "2011-10-02"] },
  // A day that did not exist.
  { timeZone: "Pacific/Apia", days: ["2011-12-30", "2011-12-31"] },
  { timeZone: "Asia/Kathmandu", days: [] },
];

test.each(ZONES)("local times in $timeZone agree with an independent reader", (zone) => {
  const localTime = new LocalTime(zone.timeZone);
  const minute = fc.integer({ min: Date.UTC(2000) / 60_000, max: Date.UTC(2038) / 60_000 });
  fc.assert(
    fc.property(minute, (shown) => {
      expect(localTime.minuteStart(shown * 60)).toBe(readIndependently(shown * 60, zone.timeZone));
    }),
  );
});

test.each(ZONES)(
  "local times on days of clock changes in $timeZone agree, too",
  ({ timeZone, days }) => {
    const localTime = new LocalTime(timeZone);
    const quarters = days.flatMap((day) =>
      Array.from({ length: 2 * 96 }, (_, quarter) => Date.parse(day) / 1000 + (quarter - 48) * 900),
    );
    expect(quarters.map((shown) => localTime.minuteStart(shown))).toEqual(
      quarters.map((shown) => readIndependently(shown, timeZone)),
    );
  },
);

/** `shown` is the local time in seconds, as if it were UTC. */
function readIndependently(shown: number, timeZone: string): number {
  const text = new Date(shown * 1000).toISOString().slice(0, 19).replace("T", " ");
  return (instantOf(text, timeZone) ?? Number.NaN) / 1000;
}
