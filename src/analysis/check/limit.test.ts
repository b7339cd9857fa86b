import { expect, test } from "vitest";
import type { Figures } from "../../api/summary.ts";
import { type Limit, measuredBy } from "./limit.ts";
import { parseLimit } from "./parse-limit.ts";

test("one failure of three million is a share above 0, although six decimals show none", () => {
  const figures = { count: 3_000_000, errCount: 1, errRate: 0 } as Figures;
  expect(measuredBy(parseLimit("errors > 0%") as Limit, figures)).toBe(1 / 3_000_000);
});
