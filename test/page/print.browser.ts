/// <reference lib="dom" />
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, DEMO, type Tab, type World } from "./browser.ts";
import { writeGeneratedRun } from "./generated-run.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-print-"));
const report = path.join(folder, "report.html");
let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.import([DEMO, "--id", "shop", "--name", "Shop"]);
  await world.command(["report", "shop", "-o", report]);
}, 60_000);

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

async function opened(what: "page" | "report"): Promise<Tab> {
  const tab = await (what === "page"
    ? world.openWithKey("/t/shop", { dark: true })
    : world.open({ dark: true }));
  if (what === "report") await tab.page.goto(pathToFileURL(report).href);
  await tab.page.locator(".endpoints tbody tr.row").first().waitFor();
  await tab.page.locator(".u-over").first().waitFor();
  await tab.page.waitForLoadState("networkidle");
  return tab;
}

test.each(["page", "report"] as const)(
  "the %s of a run takes two sheets, and nothing is cut",
  async (what) => {
    const { page, complaints } = await opened(what);
    for (const format of ["A4", "Letter"]) {
      const pdf = (await page.pdf({ format, printBackground: true })).toString("latin1");
      expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(2);
    }
    // As on A4 with its margins, 186 mm.
    const width = 703;
    await page.setViewportSize({ width, height: 1000 });
    await page.emulateMedia({ media: "print" });
    const cut = (): Promise<number> =>
      page.evaluate(() => {
        const edges = [...document.querySelectorAll("main *")].map(
          (each) => each.getBoundingClientRect().right,
        );
        return Math.round(Math.max(...edges) - innerWidth);
      });
    await page.evaluate(() => void dispatchEvent(new Event("beforeprint")));
    await expect.poll(cut).toBeLessThanOrEqual(0);
    await expect.poll(() => page.locator(".endpoints tbody tr.row").count()).toBe(13);
    // The axes are text, at the places of the canvas's own.
    const texts = await page.locator(".charts .axis-texts").first().innerText();
    expect(texts.split("\n")).toEqual(expect.arrayContaining(["0", "1 s"]));
    expect(await page.locator(".charts .axis-texts .below").allInnerTexts()).toContain("10:20");
    const ink = await page
      .locator("h1")
      .first()
      .evaluate((head) => getComputedStyle(head).color);
    // Dark text, although the screen is dark.
    expect(ink).toBe("rgb(21, 24, 28)");
    await page.evaluate(() => void dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({ media: "screen" });
    expect(complaints).toEqual([]);
  },
);

test("a run of 148 endpoints takes two sheets, with the worst, unless all are listed", async () => {
  const file = path.join(folder, "large.jtl");
  writeGeneratedRun(file, { requestsPerSecond: 20 });
  await world.import([file, "--id", "large"]);
  const { page, complaints } = await world.openWithKey("/t/large");
  const sheets = async (): Promise<number> => {
    await page.locator(".u-over").first().waitFor();
    await page.waitForLoadState("networkidle");
    const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
    return pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  };
  expect(await sheets()).toBe(2);
  await page.getByRole("button", { name: "All 148" }).click();
  expect(await sheets()).toBeGreaterThan(2);
  expect(complaints).toEqual([]);
});

test("a report with as many changes from the baseline as it lists takes two sheets of A4", async () => {
  const [head, ...rows] = gunzipSync(readFileSync(DEMO)).toString().trimEnd().split("\n");
  const slower = rows.map((row) => row.replace(/(?<=^\d+,)\d+/, (elapsed) => `${3 * +elapsed}`));
  const file = path.join(folder, "slower.jtl");
  writeFileSync(file, [head, ...slower].join("\n"));
  await world.import([file, "--id", "slower", "--name", "Shop"]);
  await world.command(["tests", "baseline", "slower"]);
  await world.command(["report", "shop", "-o", report]);
  const { page, complaints } = await opened("report");
  const section = page.getByRole("region", { name: "Full run against the baseline slower" });
  const names = await section.locator("tbody th").allInnerTexts();
  expect(names).toHaveLength(10);
  expect(names[0]).toBe("All requests");
  await section.getByText("4 further endpoints changed.").waitFor();
  // A third of each response time.
  expect(await section.locator("tbody tr").first().innerText()).toMatch(/faster[^]*−67%/);
  expect(await section.innerText()).toMatch(/in 1\.0\s?% of comparisons/);
  const pdf = (await page.pdf({ format: "A4", printBackground: true })).toString("latin1");
  expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(2);
  expect(complaints).toEqual([]);
});
