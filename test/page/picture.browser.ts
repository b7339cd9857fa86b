/// <reference lib="dom" />
import { readFileSync } from "node:fs";
import type { Download, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, DEMO, type World } from "./browser.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.import([DEMO, "--id", "shop", "--name", "Shop"]);
});

afterAll(() => world?.close());

/** Size in pixels, and the number of pixels of each colour (`r,g,b`). */
interface Picture {
  readonly width: number;
  readonly height: number;
  readonly colors: Readonly<Record<string, number>>;
}

/** Opened in a separate tab, because the page's policy allows only its own images. */
async function seen(png: string): Promise<Picture> {
  const { page } = await world.open();
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const { width, height } = bitmap;
    const context = new OffscreenCanvas(width, height).getContext("2d");
    if (context === null) throw new Error("no canvas");
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    const colors: Record<string, number> = {};
    for (let at = 0; at < data.length; at += 4) {
      const key = data.slice(at, at + 3).join(",");
      colors[key] = (colors[key] ?? 0) + 1;
    }
    return { width, height, colors };
  }, png);
}

async function seenOf(download: Download): Promise<Picture> {
  return seen(readFileSync(await download.path(), "base64"));
}

async function save(page: Page, title: string): Promise<Download> {
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: `Save ${title} as PNG` }).click();
  return saved;
}

test.each([
  [false, "255,255,255", "21,24,28"],
  [true, "16,19,22", "232,235,238"],
])("a chart is saved as an image in the theme, dark: %s", async (dark, background, ink) => {
  const { page, complaints } = await world.openWithKey("/t/shop", { dark });
  await page.locator(".chart .u-over").first().waitFor();
  const download = await save(page, "Response time");
  expect(download.suggestedFilename()).toBe("shop-response-time.png");
  const { width, height, colors } = await seenOf(download);
  expect(width).toBe(1200);
  expect(height).toBeGreaterThan(250);
  const pixels = width * height;
  expect(colors[background] ?? 0).toBeGreaterThan(pixels * 0.8);
  // Title and name in ink.
  expect(colors[ink] ?? 0).toBeGreaterThan(50);
  expect(complaints).toEqual([]);
});

test("a hidden line is not in the image, and failed requests are", async () => {
  const { page } = await world.openWithKey("/t/shop?hidden=failed,part+5xx");
  await page.locator(".chart .u-over").first().waitFor();
  const red = "204,10,74";
  const without = await seenOf(await save(page, "Share of failed requests"));
  expect(without.colors[red]).toBeUndefined();
  await page.locator(".line-names").getByText("failed").click();
  await page.locator('.line-names [aria-pressed="true"]').getByText("failed").waitFor();
  const withFailed = await seenOf(await save(page, "Share of failed requests"));
  expect(withFailed.colors[red]).toBeGreaterThan(100);
});

test("an image is copied, also of a heatmap, and by keyboard", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop?view=heatmap");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByText("requests in a cell").waitFor();
  const copy = page.getByRole("button", { name: "Copy picture of Distribution" });
  await copy.focus();
  await page.keyboard.press("Enter");
  await page.locator(".picture").getByText("Copied").waitFor();
  const base64 = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const blob = await item?.getType("image/png");
    if (blob === undefined) throw new Error("nothing was copied");
    const bytes = new Uint8Array(await blob.arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  });
  const { width, colors } = await seen(base64);
  expect(width).toBe(1200);
  // Cells, axes and texts: a line chart has far fewer.
  expect(Object.keys(colors).length).toBeGreaterThan(200);
  expect(complaints).toEqual([]);
});
