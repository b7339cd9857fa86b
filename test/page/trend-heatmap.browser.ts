/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./browser.ts";
import { NIGHTS, SLOWER_FROM, storeHistory } from "./nightly-runs.ts";

/** SHA-1 of `GET /cart`. */
const CART = "890a7f8e02ad127c4f5669d211ea3ec8d8d8ce03";
const SLOWER = `night-${SLOWER_FROM}`;
let world: World;

beforeAll(async () => {
  world = await createWorld();
  await storeHistory(world);
});

afterAll(() => world?.close());

test("the heatmap of runs marks slower runs and opens one filtered to the endpoint", async () => {
  const { page, complaints } = await world.openWithKey("/trend/checkout");
  const strip = page.getByRole("row", { name: /GET \/cart/ }).locator(".run-strip");
  const colors = await strip.evaluate((element) => element.style.background.match(/--\w+/g));
  // 16 nights: a fifth slower from night 10 on, the median is that of the first ten.
  const slower = NIGHTS - SLOWER_FROM;
  expect(colors).toEqual([
    ...Array.from({ length: SLOWER_FROM }, () => "--usual"),
    ...Array.from({ length: slower }, () => "--over1"),
  ]);
  const { width = 0 } = (await strip.boundingBox()) ?? {};
  // Each text of the axis is one line above the strips.
  const axis = page.locator(".strip-axis");
  const texts = await axis.evaluate((line) =>
    [...line.children].map((text) => {
      const { right, height } = text.getBoundingClientRect();
      return right <= line.getBoundingClientRect().right && height < 20;
    }),
  );
  expect(texts).toEqual([true, true, true, true, true]);
  const position = { x: (width * (SLOWER_FROM + 0.5)) / NIGHTS, y: 10 };
  await strip.hover({ position });
  await expect
    .poll(() => strip.getAttribute("title"))
    .toMatch(new RegExp(`^${SLOWER}, .*p95 .* ms, \\+\\d+ %$`));
  await strip.click({ position });
  await page.getByRole("heading", { name: "checkout" }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/t/${SLOWER}`);
  expect(new URL(page.url()).searchParams.get("endpoints")).toBe(CART);
  expect(complaints).toEqual([]);
});
