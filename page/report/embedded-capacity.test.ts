import { expect, test, vi } from "vitest";
import { readCapacity } from "../../src/analysis/capacity/read-capacity.ts";
import { readReport } from "../../src/analysis/report/read-report.ts";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { batchOf, sample } from "../../test/support/batches.ts";
import { active, withUsers } from "../../test/support/details.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

// Test files share modules.
vi.resetModules();
const { ask } = await import("./embedded-client.ts");

const BEGIN = 1_699_999_200;

/** One user more each 10 s, up to 120; each does 1 request/s until 60 are done in a second. */
const users = Array.from({ length: 120 }, (_, at) => active("", BEGIN + 10 * at, at + 1));
const requests = Array.from({ length: 1200 }, (_, at) =>
  Array.from({ length: Math.min(60, 1 + Math.floor(at / 10)) }, () => sample("a", BEGIN + at)),
);
const store = await memoryStoreWith(batchOf(requests.flat()));
await store.points.append(withUsers(users, { sourceId: "users" }));
const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };

vi.mock("./embedded-report.ts", () => ({
  embeddedReport: async () => {
    // So few bytes that a minute is one window.
    const { about, ...report } = await readReport(store, query, {
      usualBytes: 500,
      mostBytes: 500,
    });
    const written = { ...about, madeAtMs: 0, version: "1.2.3" };
    return { ...report, about: written, others: [], embeddedBytes: 0 };
  },
}));

test("a report of long windows has the capacity of the whole run as the service computes it", async () => {
  const wanted = await readCapacity(store.points, query);
  expect(wanted.levels).toHaveLength(40);
  expect(await ask("getCapacity", { id: "run" })).toEqual(JSON.parse(JSON.stringify(wanted)));
});
