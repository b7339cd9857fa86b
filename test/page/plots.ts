/// <reference lib="dom" />
/** Finds positions in the charts of the generated run, and reads what is there. */

import type { Locator, Page } from "playwright-core";
import { SECONDS, STARTED_AT } from "./generated-run.ts";

/** The chart with this number, from the top. */
export function plot(page: Page, index: number): Locator {
  return page.locator(".plot").nth(index);
}

/** The box of an element, in pixels of the window. */
export async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (box === null) throw new Error("nothing is there");
  return box;
}

/** The x position of a second in the charts, in pixels of the window. */
export async function xOf(page: Page, second: number): Promise<number> {
  const { x, width } = await boxOf(page.locator(".u-over").first());
  return x + ((second - STARTED_AT) / SECONDS) * width;
}

/** The colour of a canvas below the x axis of a chart. */
export async function underFloor(page: Page, chart: number, x: number): Promise<string> {
  const over = await boxOf(plot(page, chart).locator(".u-over"));
  return plot(page, chart)
    .locator("canvas")
    .evaluate(
      (canvas: HTMLCanvasElement, at) => {
        const { left, top, width } = canvas.getBoundingClientRect();
        const scale = canvas.width / width;
        const [column, row] = [(at.x - left) * scale, (at.y - top) * scale];
        const pixel = canvas.getContext("2d")?.getImageData(column, row, 1, 1).data ?? [];
        return [...pixel].join(" ");
      },
      { x, y: over.y + over.height + 3 },
    );
}

/** The values of a row in the cursor's legend. */
export async function readRow(page: Page, chart: number, name: string): Promise<string> {
  const rows = page.locator(".chart").nth(chart).locator(".readout div");
  const row = rows.filter({ has: page.locator("span", { hasText: name }) }).first();
  return (await row.innerText()).replace(/\s+/g, " ");
}

/** How many pixels of the y axis labels of a chart have ink. */
export async function inkOfAxis(page: Page, chart: number): Promise<number> {
  return plot(page, chart)
    .locator("canvas")
    .evaluate((canvas: HTMLCanvasElement) => {
      const left = canvas.getBoundingClientRect().left;
      const over = canvas.closest(".plot")?.querySelector(".u-over")?.getBoundingClientRect();
      const width = Math.floor((over?.left ?? left) - left) - 4;
      const pixels = canvas.getContext("2d")?.getImageData(0, 0, width, canvas.height).data ?? [];
      return [...pixels].filter((value, index) => index % 4 === 3 && value > 128).length;
    });
}
