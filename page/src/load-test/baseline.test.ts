import { afterAll, expect, test, vi } from "vitest";

/** The baselines of "shop 0" to "shop 1199", newest first, then that of "shop". */
const NAMES = [...Array.from({ length: 1200 }, (_, at) => `shop ${at}`), "shop"];

vi.mock("../api/client.ts", () => ({
  ask: async (_: string, { limit, after = "0" }: { limit: number; after?: string }) => {
    const end = Number(after) + limit;
    const loadTests = NAMES.slice(Number(after), end).map((name) => {
      return { id: `of ${name}`, name, tags: ["baseline"], from: 1, until: 2, finishedAt: "" };
    });
    return { loadTests, next: end < NAMES.length ? `${end}` : null };
  },
}));

vi.mock("../api/known-names.ts", () => ({ rememberNames: () => undefined }));

// Test files share modules.
vi.resetModules();
const { askEarlierRuns } = await import("./baseline.ts");
afterAll(() => void vi.resetModules());

test("the baseline of a name is found behind those of many names that contain it", async () => {
  const { signal } = new AbortController();
  const { baseline } = await askEarlierRuns("run", "shop", signal);
  expect(baseline?.id).toBe("of shop");
});
