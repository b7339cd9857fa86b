import { expect, test } from "vitest";
import { UserError } from "../../../model/errors.ts";
import { seriesName } from "../../../model/series/facets.ts";
import { describeDamage } from "./attempt-block.ts";

test("damage in the series of one label names the label, without its facets, once", () => {
  const labels = ["a", "b"].map((group) => seriesName("GET /", [["group", group]]));
  const block = { number: 7, kind: "points", first_second: 60, last_second: 119 } as const;
  const error = describeDamage(new UserError("damaged-store", "why"), { id: "r" }, labels, block);
  expect((error as Error).message).toBe(
    'cannot read load test "r", endpoint "GET /", minute 1970-01-01T00:01Z: block 7: why',
  );
});
