/// <reference lib="dom" />
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./browser.ts";

const METHODS = ["GET", "POST", "PATCH", "DELETE", "OPTIONS"];
/** Responses with seven codes other than 200. */
const K6 = path.join(import.meta.dirname, "../fixtures/k6-json/gen-k6-1.8.1-main.json.gz");
/** Only seconds since the start. */
const HEY = path.join(import.meta.dirname, "../fixtures/hey/gen-hey-0.1.5-302.csv.gz");
const SECONDS = 300;
const PER_SECOND = 10;

let world: World;

beforeAll(async () => {
  world = await createWorld();
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-labels-"));
  try {
    const file = path.join(folder, "labels.jtl");
    writeFileSync(file, results());
    await world.import([file, "--id", "labels", "--name", "Labels"]);
    await world.import([K6, "--id", "k6"]);
    await world.import([HEY, "--id", "hey"]);
    const night = path.join(folder, "night.jtl");
    writeFileSync(night, nightOfTheClockChange());
    await world.import([night, "--id", "night"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);

afterAll(() => world?.close());

/**
 * Requests with each method in turn by 1,250 users; 1 to 9 ms, sometimes 2 s. The last one fails, with a long code.
 */
function results(): string {
  const rows = ["timeStamp,elapsed,label,responseCode,success,bytes,grpThreads,allThreads"];
  const last = SECONDS * PER_SECOND - 1;
  for (let request = 0; request <= last; request++) {
    const at = 1_790_000_000_000 + request * (1000 / PER_SECOND);
    const label = `${METHODS[request % METHODS.length]} /items/${request % METHODS.length}`;
    const elapsed = request % 100 === 0 ? 2000 : 1 + (request % 9);
    const code = request === last ? "java.net.".repeat(40) : "200";
    rows.push(`${at},${elapsed},${label},${code},${request !== last},100,1250,1250`);
  }
  return `${rows.join("\n")}\n`;
}

/** A request every 10 s for an hour from 2:30 CEST on 25 October 2026, when 3:00 CEST becomes 2:00 CET. */
function nightOfTheClockChange(): string {
  const from = Date.UTC(2026, 9, 25, 0, 30);
  const rows = Array.from(
    { length: 360 },
    (_, index) => `${from + index * 10_000},5,GET /,200,true`,
  );
  return `${["timeStamp,elapsed,label,responseCode,success", ...rows].join("\n")}\n`;
}

async function expectUncut(page: Page): Promise<void> {
  const names = page.locator(".line-names button");
  await names.first().waitFor();
  await page.waitForLoadState("networkidle");
  const cut = await names.evaluateAll((buttons) =>
    buttons
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ textContent }) => textContent),
  );
  expect(cut).toEqual([]);
}

test("names of lines are not truncated", async () => {
  const { page } = await world.openWithKey("/t/labels");
  await expectUncut(page);
  await expect
    .poll(() => page.locator(".line-names").allInnerTexts())
    .toContainEqual(expect.stringContaining("1,250 users"));
  for (const tick of await page.getByRole("checkbox").all()) await tick.click();
  await page.getByText("5 endpoints selected").waitFor();
  await expectUncut(page);
});

test("paths are aligned, whatever the method", async () => {
  const { page } = await world.openWithKey("/t/labels");
  await page
    .locator(".endpoints .label .method")
    .nth(METHODS.length - 1)
    .waitFor();
  const ends = await page
    .locator(".endpoints .label .method")
    .evaluateAll((methods) => methods.map((each) => each.getBoundingClientRect().right));
  expect(ends.length).toBe(METHODS.length);
  expect(new Set(ends).size).toBe(1);
});

interface Box {
  readonly text: string | null;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The bounding boxes of visible elements. */
async function boxesOf(page: Page, selector: string): Promise<readonly Box[]> {
  const boxes = await page.locator(selector).evaluateAll((all) =>
    all.map((each) => {
      const { left, right, top, bottom } = each.getBoundingClientRect();
      return { text: each.textContent, left, right, top, bottom };
    }),
  );
  return boxes.filter(({ left, right }) => right > left);
}

function isOver(one: Box, other: Box): boolean {
  const isBeside = one.right <= other.left || other.right <= one.left;
  return !isBeside && one.bottom > other.top && other.bottom > one.top;
}

const STRIPS = ["GET /items/0", "POST /items/1"].map((label) =>
  createHash("sha1").update(label).digest("hex"),
);

test.each([390, 1024])(
  "on a touch screen of %d px the image buttons cover no names",
  async (width) => {
    const { page } = await world.openWithKey("/t/labels", { width, isTouched: true });
    for (const [address, last] of [
      ["/t/labels", "/items/0"],
      ["/t/labels?view=heatmap", "requests in a cell"],
      [`/t/labels?view=heatmap&endpoints=${STRIPS.join(",")}`, "each strip has"],
      [`/t/labels?endpoints=${STRIPS.join(",")}`, "2 endpoints selected"],
      ["/t/k6", "1050"],
    ] as const) {
      await page.goto(`${world.url}${address}`);
      await page.getByText(last).filter({ visible: true }).first().waitFor();
      await page.locator(".chart .picture").first().waitFor();
      await page.waitForLoadState("networkidle");
      const buttons = await boxesOf(page, ".picture button");
      const names = await boxesOf(page, ".line-names button, .strip-head > *, .section-head > *");
      const covered = names.filter((name) => buttons.some((button) => isOver(button, name)));
      expect([buttons.length > 0, covered]).toEqual([true, []]);
    }
  },
);

test.each([390, 1024])(
  "at %d px a long code makes no view wider than the window",
  async (width) => {
    const { page } = await world.openWithKey("/t/labels", { width });
    await page.locator(".failure-lines .finding").first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      width,
    );
  },
);

test("hovering over a row does not change the colour of its line", async () => {
  const { page } = await world.openWithKey("/t/labels");
  const ticks = page.getByRole("checkbox");
  await ticks.nth(0).click();
  await ticks.nth(1).click();
  await page.getByText("2 endpoints selected").waitFor();
  await page.waitForLoadState("networkidle");
  const rows = page.locator(".endpoints tbody tr.row");
  await rows.nth(0).hover();
  // Longer than the delay before the missing line of an endpoint is requested.
  await page.waitForTimeout(600);
  await expect.poll(() => page.locator(".preview-name").count()).toBe(0);
  await rows.nth(2).hover();
  const name = await page.locator(".preview-name").boundingBox();
  const plot = await page.locator(".u-over").first().boundingBox();
  expect((name?.y ?? 0) + (name?.height ?? 0)).toBeLessThanOrEqual(plot?.y ?? 0);
});

test("the line of failed requests has a name only if requests failed", async () => {
  const { page } = await world.openWithKey("/t/labels");
  const failed = page.locator(".line-names button").getByText("failed", { exact: true });
  await failed.waitFor();
  await page.goto(`${page.url()}?until=${1_790_000_000 + SECONDS - 60}`);
  await page.locator(".tiles").getByText("2,400").waitFor();
  await page.waitForLoadState("networkidle");
  await expect.poll(() => failed.count()).toBe(0);
});

/** Collects what charts write on their canvases from now on; the function returned reads it. */
async function writtenTexts(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(() => {
    const written: string[] = [];
    const { prototype } = CanvasRenderingContext2D;
    // eslint-disable-next-line typescript/unbound-method -- called with the context it was called on.
    const { fillText } = prototype;
    prototype.fillText = function write(text, ...place) {
      written.push(text);
      return fillText.call(this, text, ...place);
    };
    Object.assign(globalThis, { written });
  });
  return async () =>
    page.evaluate(() => (globalThis as unknown as { written: string[] }).written.splice(0));
}

// 1,790,000,000 is 14:13:20 UTC, and 16:13:20 in Berlin.
test("the axis follows the clock", async () => {
  const { page } = await world.openWithKey("/t/labels", { timeZone: "Europe/Berlin" });
  await page.locator(".line-names button").first().waitFor();
  await page.waitForLoadState("networkidle");
  const written = await writtenTexts(page);
  await page.getByRole("button", { name: "UTC" }).click();
  await expect.poll(written).toContain("14:15:00");
  await page.getByRole("button", { name: "since start" }).click();
  await expect.poll(written).toContain("+1:00");
});

test("the hour that occurs twice has a zone", async () => {
  const { page } = await world.openWithKey("/t/night", { timeZone: "Europe/Berlin" });
  await page.locator(".line-names button").first().waitFor();
  await page.waitForLoadState("networkidle");
  const written = await writtenTexts(page);
  await expect.poll(() => page.locator(".facts").innerText()).toMatch(/02:30:00 \S+ to 02:29:50 /);
  await page.getByRole("button", { name: "since start" }).click();
  await expect.poll(written).toContain("+30:00");
  await page
    .getByRole("button", { name: "CEST" })
    .or(page.getByRole("button", { name: "GMT+2" }))
    .click();
  // 24 minutes after the full hour, and after it again.
  await expect.poll(written).toContainEqual(expect.stringMatching(/^02:\d\d (?:CET|GMT\+1)$/));
});

test("a run without times of day has no empty charts, and says why", async () => {
  const { page } = await world.openWithKey("/t/hey");
  await page.getByText("No request has a time of day").waitFor();
  await page.locator(".endpoints tbody tr.row").first().waitFor();
  expect(await page.locator(".plot").count()).toBe(0);
  // No 1970.
  expect(await page.locator("main").innerText()).not.toMatch(/00:00:0\d/);
});
