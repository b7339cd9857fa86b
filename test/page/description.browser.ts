import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, DEMO, type World } from "./browser.ts";

const LINES = Array.from({ length: 200 }, (_, index) => `${index}: the pool was made smaller.`);

let world: World;
const folder = mkdtempSync(path.join(tmpdir(), "tachograph-description-"));

beforeAll(async () => {
  world = await createWorld();
  await world.import([DEMO, "--id", "shop"]);
});

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

test.each([390, 1280])(
  "a long description takes a few lines at %i px, and opens by keyboard",
  async (width) => {
    await world.command(["tests", "set", "shop", "--description", LINES.join("\n")]);
    const { page, complaints } = await world.openWithKey("/t/shop", { width });
    const description = page.locator(".description");
    const height = async () => (await description.boundingBox())?.height;
    const more = description.getByRole("button", { name: "More", expanded: false });
    await more.waitFor();
    expect(await height()).toBeLessThan(100);
    await more.press("Enter");
    const less = description.getByRole("button", { name: "Less", expanded: true });
    await less.waitFor();
    // No line is lower than 10 px.
    await expect.poll(height).toBeGreaterThan(LINES.length * 10);
    await less.press("Enter");
    await more.waitFor();
    await expect.poll(height).toBeLessThan(100);
    expect(complaints).toEqual([]);
  },
);

test("a short description is shown whole, with its links underlined, in a report, too", async () => {
  const told = ["--description", "pool of 5", "--link", "build=https://ci.example.org/7"];
  await world.command(["tests", "set", "shop", ...told]);
  const file = path.join(folder, "report.html");
  await world.command(["report", "shop", "-o", file]);
  const { page, complaints } = await world.openWithKey("/t/shop");
  for (const address of [page.url(), pathToFileURL(file).href]) {
    await page.goto(address);
    await page.locator(".description").getByText("pool of 5").waitFor();
    expect(await page.getByRole("button", { name: "More" }).count()).toBe(0);
    const link = page.getByRole("link", { name: "build" });
    const line = () => link.evaluate((each) => getComputedStyle(each).textDecorationLine);
    await expect.poll(line).toBe("underline");
  }
  expect(complaints).toEqual([]);
});
