import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";
import { seriesName } from "../../model/series/facets.ts";
import type { Limit } from "../check/limit.ts";
import { parseLimit } from "../check/parse-limit.ts";
import { requireLoadTest } from "../../model/load-test.ts";
import { windowNotice } from "./window-notice.ts";

test("a notice on a facet shows its endpoints alone, with their requests of it", async () => {
  const at = 1_700_000_000;
  const of = (label: string, region: string, failed: boolean) => ({
    ...sample(seriesName(label, [["region", region]]), at),
    failed,
  });
  const store = await memoryStoreWith(
    batchOf([
      of("GET /cart", "eu", true),
      of("GET /cart", "us", false),
      of("GET /pay", "us", true),
      of("GET /pay", "us", true),
    ]),
  );
  const window = { from: at, until: at + 30, requests: 1, failedRequests: 1 };
  const limit = parseLimit("errors{region=eu} > 2% over 30s") as Limit;
  const { thresholds } = await windowNotice(store, {
    event: "thresholds-broken",
    loadTest: requireLoadTest(await store.loadTests.find("run"), "run"),
    checked: [{ limit, outcome: "broken", measured: 1, window, quality: { base: [], value: [] } }],
    address: undefined,
  });
  expect(thresholds[0]?.endpoints).toMatchObject([
    { label: "GET /cart", requests: 1, failedRequests: 1 },
  ]);
});
