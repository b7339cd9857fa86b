import { afterAll, expect, test, vi } from "vitest";
import type { OverallFigures, Scope } from "../../api/figures.ts";
import type { EarlierRun } from "../baseline.ts";
import { measuresOf } from "./incident.ts";

/** Runs with a request in each second: "run" from 1000 to 1599, "base" from 5000 to 5549. */
const RUNS: Readonly<Record<string, readonly [from: number, end: number]>> = {
  run: [1000, 1600],
  base: [5000, 5550],
};

vi.mock("../../api/figures.ts", () => ({
  askOverall: async ({ id, from = 0, until = 0 }: Scope) => {
    const [begin, end] = RUNS[id] ?? [0, 0];
    const last = Math.min(until, end) - 1;
    const count = Math.max(0, last + 1 - Math.max(from, begin));
    const figures = { count, errRate: 0, avgLoadTime: 1, p50: 1, p95: 1, p99: 1 };
    return { ...figures, ...(count > 0 && { until: last }) } as OverallFigures;
  },
  askFailures: async () => ({ errCount: 0, withoutKind: 0, kinds: [], resolution: 1 }),
}));

// Test files share modules.
vi.resetModules();
const { askIncident } = await import("./use-incident.ts");
afterAll(() => void vi.resetModules());

const SCOPE = { id: "run", filter: "", hashes: [], from: undefined, until: undefined };

test("what lasts until the end of the run has as many requests/s as there were", async () => {
  const { signal } = new AbortController();
  const asked = { scope: SCOPE, whole: { from: 1000, until: 1600 } };
  const base = { id: "base", from: 5000, until: 5549 } as EarlierRun;
  // A step without a known end, 80 s before that of the run and 30 s before that of the baseline.
  const open = { from: 1520, until: 1820 };
  const { before, during, baseline } = await askIncident({ ...asked, stretch: open, base }, signal);
  const [rate] = measuresOf(before, during, baseline);
  expect(rate).toMatchObject({ before: "1", during: "1", baseline: "1", change: "0 %" });
  // The last window is named by its first second, and reaches further.
  const windows = { scope: SCOPE, whole: { from: 1000, until: 1541 } };
  const other = await askIncident({ ...windows, stretch: open, base: undefined }, signal);
  expect(other.during.seconds).toBe(80);
});
