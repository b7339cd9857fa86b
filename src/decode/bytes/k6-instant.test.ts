import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Instant, readInstant } from "./k6-instant.ts";

function read(text: string): Instant | undefined {
  const into: Instant = { second: 0, nanos: 0, hasParts: false };
  // Includes bytes of the neighbouring fields.
  const bytes = Buffer.from(`1,${text},1`);
  return readInstant(bytes, 2, bytes.length - 2, into) ? into : undefined;
}

test.each([
  ["1795232665", 1_795_232_665, 0, false],
  ["1795232665914", 1_795_232_665, 914_000_000, true],
  ["1795232665914387", 1_795_232_665, 914_387_000, true],
  ["1795232665914387001", 1_795_232_665, 914_387_001, true],
  ["2026-11-21T03:44:25Z", 1_795_232_665, 0, false],
  ["2026-11-21T03:44:25.267914198Z", 1_795_232_665, 267_914_198, true],
  ["2026-11-21T03:44:25.26807716Z", 1_795_232_665, 268_077_160, true],
  ["2026-11-21T03:44:25.0000000019Z", 1_795_232_665, 1, true],
  ["2026-11-21T09:14:25+05:30", 1_795_232_665, 0, false],
  ["2026-11-20T23:44:25.5-04:00", 1_795_232_665, 500_000_000, true],
  ["1970-01-01T00:00:00Z", 0, 0, false],
  ["2000-02-29T23:59:59Z", 951_868_799, 0, false],
  ["2106-02-07T06:28:15Z", 4_294_967_295, 0, false],
  ["1969-12-31T23:59:59Z", -1, 0, false],
])("%s is read", (text, second, nanos, hasParts) => {
  expect(read(text)).toEqual({ second, nanos, hasParts });
});

test.each([
  "",
  "1",
  "179523266",
  "17952326651",
  "1.79523E+09",
  "-795232665",
  "1795232665.5",
  "17952326659143870011",
  "2026-11-21",
  "2026-11-21T03:44:25",
  "2026-11-21 03:44:25Z",
  "2026-11-21T03:44:25.Z",
  "2026-11-21T03:44:25z",
  "2026-11-21T03:44:25+0530",
  "2026-11-21T03:44:25+05:60",
  "2026-11-21T03:44:25+24:00",
  "2026-11-21T03:44:25Z ",
  "2026-13-21T03:44:25Z",
  "2026-00-21T03:44:25Z",
  "2026-02-29T03:44:25Z",
  "1900-02-29T03:44:25Z",
  "2026-04-31T03:44:25Z",
  "2026-11-00T03:44:25Z",
  "2026-11-21T24:00:00Z",
  "2026-11-21T03:60:25Z",
  "2026-11-21T23:59:60Z",
  "2o26-11-21T03:44:25Z",
])("%j is not a k6 timestamp", (text) => {
  expect(read(text)).toBeUndefined();
});

test("every instant that Date can write is parsed, in any zone", () => {
  const instant = fc.integer({ min: -62_135_596_800, max: 253_402_214_400 });
  const offset = fc.integer({ min: -23 * 60, max: 23 * 60 });
  fc.assert(
    fc.property(instant, offset, fc.nat(999_999_999), (second, minutes, nanos) => {
      const shown = new Date((second + minutes * 60) * 1000);
      if (shown.getUTCFullYear() < 1 || shown.getUTCFullYear() > 9999) return;
      const zone = `${minutes < 0 ? "-" : "+"}${clock(Math.abs(minutes))}`;
      const text = `${shown.toISOString().slice(0, 19)}.${String(nanos).padStart(9, "0")}${zone}`;
      expect(read(text)).toEqual({ second, nanos, hasParts: true });
    }),
    { numRuns: 1000 },
  );
});

function clock(minutes: number): string {
  const hour = String(Math.floor(minutes / 60)).padStart(2, "0");
  return `${hour}:${String(minutes % 60).padStart(2, "0")}`;
}
