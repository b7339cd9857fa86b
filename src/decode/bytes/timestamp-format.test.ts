import { expect, test } from "vitest";
import { TimestampReader } from "./timestamp.ts";

const encoder = new TextEncoder();
/** 2026-11-21 03:43:30 UTC, as `date -d '2026-11-21 03:43:30 UTC' +%s` prints it. */
const SECOND = 1_795_232_610;

function readAs(format: string, text: string, timeZone = "UTC") {
  const reader = new TimestampReader(timeZone, format);
  const bytes = encoder.encode(text);
  const second = reader.read(bytes, 0, bytes.length);
  return { second, millis: reader.millis, wanted: reader.wanted };
}

test.each([
  ["dd/MM/yyyy HH:mm:ss", "21/11/2026 03:43:30"],
  ["dd.MM.yyyy HH:mm:ss", "21.11.2026 03:43:30"],
  ["d.M.yy H:mm:ss", "21.11.26 3:43:30"],
  ["MM/dd/yyyy hh:mm:ss a", "11/21/2026 03:43:30 AM"],
  ["dd-MMM-yyyy HH:mm:ss", "21-Nov-2026 03:43:30"],
  ["yyyyMMdd'T'HHmmss", "20261121T034330"],
  ["yyyy-MM-dd HH:mm:ss Z", "2026-11-21 04:43:30 +0100"],
  ["yyyy-MM-dd'T'HH:mm:ssXXX", "2026-11-20T22:13:30-05:30"],
])("%s reads %s", (format, text) => {
  expect(readAs(format, text).second).toBe(SECOND);
});

test("hours of a clock with am and pm, fractions and zones are read", () => {
  const format = "M/d/yyyy h:mm:ss.SSS a";
  expect(readAs(format, "11/21/2026 12:43:30.250 AM")).toMatchObject({
    second: SECOND - 3 * 3600,
    millis: 250,
  });
  expect(readAs(format, "11/21/2026 12:43:30.250 PM").second).toBe(SECOND + 9 * 3600);
  expect(readAs(format, "11/21/2026 3:43:30.250 pm").second).toBe(SECOND + 12 * 3600);
  const inKolkata = readAs("dd/MM/yyyy HH:mm:ss", "21/11/2026 03:43:30", "Asia/Kolkata");
  expect(inKolkata.second).toBe(SECOND - 19_800);
});

test.each([
  ["dd/MM/yyyy HH:mm:ss", "11/21/2026 03:43:30", "a month from 1 to 12"],
  ["dd/MM/yyyy HH:mm:ss", "21/11/2026", "a time of the form dd/MM/yyyy HH:mm:ss"],
  ["dd/MM/yyyy HH:mm:ss", "1795232610052", "a time of the form dd/MM/yyyy HH:mm:ss"],
])("%s refuses %s", (format, text, wanted) => {
  const read = readAs(format, text);
  expect(read.second).toBeUndefined();
  expect(read.wanted).toContain(wanted);
});

test.each([
  ["dd/MM/yyyy", "no full date and hour"],
  ["HH:mm:ss", "no full date and hour"],
  ["dd/MM/yyyy HH:mm:ss zzz", "zzz"],
  ["dd/MM/yyyy HH 'o", "'o"],
  ["dd/MM/yyyy HH dd", "a part twice"],
])("the pattern %s is refused", (format, got) => {
  expect(() => new TimestampReader("UTC", format)).toThrow(`got ${JSON.stringify(got)}`);
});
