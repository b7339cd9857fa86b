import * as fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { parseField, parseTyped, typedTime } from "./range-times.ts";

const NOON = Date.UTC(2026, 10, 21, 12, 0, 0) / 1000;
const HOUR = { from: NOON, until: NOON + 3600 };
const NIGHT = { from: NOON + 11.5 * 3600, until: NOON + 12.5 * 3600 };

test.each([
  ["12:02:11", HOUR, 131],
  ["12:02", HOUR, 120],
  ["9:05", HOUR, -2.92 * 3600 + 12],
  ["2026-11-20 12:00:00", HOUR, -86_400],
  ["2026-11-22T00:10", NIGHT, 12 * 3600 + 600],
  ["00:10:00", NIGHT, 12 * 3600 + 600],
  ["23:45", NIGHT, 11.75 * 3600],
  ["24:00", HOUR, undefined],
  ["12:60", HOUR, undefined],
  ["2026-02-30 12:00", HOUR, undefined],
  ["noon", HOUR, undefined],
  ["", HOUR, undefined],
])("%j in UTC", (text, whole, after) => {
  const second = parseTyped(text, { clock: "utc", whole });
  expect(second).toBe(after === undefined ? undefined : NOON + Math.round(after));
});

test.each([
  ["+18:00", 1080],
  ["0:42", 42],
  ["1:02:11", 3731],
  ["12", undefined],
])("%j since the start", (text, after) => {
  const second = parseTyped(text, { clock: "start", whole: HOUR });
  expect(second).toBe(after === undefined ? undefined : NOON + after);
});

afterEach(() => vi.unstubAllEnvs());

test("when the clock is set back, typed times are those of the night, and what was not typed stays", () => {
  vi.stubEnv("TZ", "Europe/Berlin");
  // 23:30 of Saturday, in CEST, to 04:30 of Sunday, in CET: 6 hours.
  const [from, until] = ["2026-10-24T21:30Z", "2026-10-25T03:30Z"].map(
    (text) => Date.parse(text) / 1000,
  ) as [number, number];
  const times = { clock: "local", whole: { from, until } } as const;
  expect(parseTyped("04:00", times)).toBe(Date.parse("2026-10-25T03:00Z") / 1000);
  const day = { from: from + 2 * 3600, until: from + 26 * 3600 };
  // From 01:30 to 00:30, 24 hours later.
  expect(parseTyped("00:15", { clock: "local", whole: day })).toBe(from + 25.75 * 3600);
  // 02:30 comes twice.
  const second = Date.parse("2026-10-25T01:30Z") / 1000;
  expect(typedTime(second, times)).toBe("2026-10-25 02:30:00");
  expect(parseField("2026-10-25 02:30:00", second, times)).toBe(second);
});

test("every clock parses the text that its field shows", () => {
  const clock = fc.constantFrom("local" as const, "utc" as const, "start" as const);
  const length = fc.integer({ min: 1, max: 3 * 86_400 });
  const begin = fc.integer({ min: 1_600_000_000, max: 1_900_000_000 });
  const property = fc.property(clock, begin, length, fc.nat(), (chosen, from, seconds, nat) => {
    const times = { clock: chosen, whole: { from, until: from + seconds } };
    const second = from + (nat % seconds);
    // The hour that comes twice in autumn has one name for two instants.
    const understood = parseTyped(typedTime(second, times), times) ?? 0;
    expect([0, 3600]).toContain(Math.abs(understood - second));
  });
  fc.assert(property);
});
