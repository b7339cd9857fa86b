/// <reference lib="dom" />
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, DEMO, type World } from "./browser.ts";

/** Cumulative layout shift while a page loads; 0.1 is called good: https://web.dev/articles/cls */
const SHIFT_MAX = 0.05;
const ENDPOINTS = 2000;
/** A single slow request: the 99th percentile of the 40 of its second, and not of points of several seconds. */
const SLOW = 10_000;

let world: World;

beforeAll(async () => {
  world = await createWorld();
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-steady-"));
  try {
    const rows = Array.from({ length: 10 * ENDPOINTS }, (_, request) => {
      const at = 1_790_000_000_000 + Math.floor(request / 40) * 1000;
      const elapsed = request === SLOW ? 3000 : 20 + (request % 91);
      return `${at},${elapsed},GET /shop/${request % ENDPOINTS},200,true,100`;
    });
    const file = path.join(folder, "many.jtl");
    const heads = "timeStamp,elapsed,label,responseCode,success,bytes";
    writeFileSync(file, `${heads}\n${rows.join("\n")}\n`);
    await world.import([file, "--id", "many", "--name", "Many"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
  await world.import([DEMO, "--id", "demo", "--name", "Web shop"]);
}, 60_000);

afterAll(() => world?.close());

test.each(["demo", "many"])("what is shown of %s hardly moves while it loads", async (id) => {
  const { page, complaints } = await world.openWithKey("/");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.addInitScript(() => {
    const seen: number[] = [];
    Object.assign(globalThis, { seen });
    new PerformanceObserver((list) => {
      // TypeScript's library lacks these entries.
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
        seen.push(entry.value);
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(`${world.url}/t/${id}`);
  await page.locator(".charts .plot canvas").first().waitFor();
  await page.locator(".endpoints tbody tr.row").first().waitFor();
  await page.locator(".findings:not([aria-hidden])").first().waitFor();
  await page.waitForLoadState("networkidle");
  const shifts = await page.evaluate(() => (globalThis as unknown as { seen: number[] }).seen);
  expect(shifts.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(SHIFT_MAX);
  expect(complaints).toEqual([]);
});

test.each([1440, 390])("at %d px the highest second within a point is seen", async (width) => {
  const { page, complaints } = await world.openWithKey("/t/many?numbers=shown", { width });
  const table = page.getByRole("region", { name: "Chart data" });
  const heads = table.getByRole("columnheader");
  await heads.filter({ hasText: "p99 of the highest second" }).waitFor();
  const names = await heads.allInnerTexts();
  const slowest = (name: string): Promise<boolean> =>
    table
      .getByRole("row")
      .evaluateAll(
        (rows, column) =>
          rows.some((row) => row.querySelectorAll("th, td")[column]?.textContent === "3.00 s"),
        names.indexOf(name),
      );
  expect([await slowest("p99 of the highest second"), await slowest("p99")]).toEqual([true, false]);
  expect(complaints).toEqual([]);
});
