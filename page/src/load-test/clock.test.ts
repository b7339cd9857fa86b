import { expect, test } from "vitest";
import { spanText, tickTexts } from "../format/axis-texts.ts";
import { timeFormat } from "./clock.ts";

test("times of a load test over years have their year", () => {
  const [from = 0, until = 0] = ["2025-03-01", "2026-03-02"].map((each) => Date.parse(each) / 1000);
  const days = timeFormat("utc", { from: until - 2 * 86_400, until });
  expect(days(from)).toBe("1 Mar 00:00:00");
  const years = timeFormat("utc", { from, until });
  expect(tickTexts([from, until - 86_400].map(years))).toEqual(["1 Mar 2025", "1 Mar 2026"]);
  expect(spanText(years(from), years(until))).toBe("1 Mar 2025 00:00:00 to 2 Mar 2026 00:00:00");
});
