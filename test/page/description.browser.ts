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

const HOSTILE = [
  "# Why\n\nA pool of **5**, as in [the build](https://ci.example.org/7).",
  "<img src=x onerror=alert(1)><script>alert(1)</script>",
  "[x](javascript:alert(1)) ![x](https://images.example.org/x.png)",
].join("\n\n");

test("Markdown is shown as elements that load and run nothing, in a report, too", async () => {
  await world.command(["tests", "set", "shop", "--description", HOSTILE]);
  const file = path.join(folder, "report.html");
  await world.command(["report", "shop", "-o", file]);
  const { page, complaints } = await world.openWithKey("/t/shop");
  for (const address of [page.url(), pathToFileURL(file).href]) {
    await page.goto(address);
    const text = page.locator(".markdown");
    await text.getByRole("heading", { name: "Why" }).waitFor();
    expect(await text.locator("strong").allInnerTexts()).toEqual(["5"]);
    const links = await text
      .locator("a")
      .evaluateAll((all) =>
        all.map((link) => ["href", "rel"].map((name) => link.getAttribute(name))),
      );
    const rel = "noopener noreferrer nofollow";
    expect(links).toEqual([
      ["https://ci.example.org/7", rel],
      ["https://images.example.org/x.png", rel],
    ]);
    expect(await text.locator("img, script, iframe, svg, style").count()).toBe(0);
    expect(await text.innerText()).toContain("<img src=x onerror=alert(1)>");
  }
  expect(complaints).toEqual([]);
});

test("the page edits it, and says what the server refuses", async () => {
  await world.command([
    "tests",
    "set",
    "shop",
    "--description",
    "old",
    "--property",
    "commit=ab12",
  ]);
  const { page, complaints } = await world.openWithKey("/t/shop");
  await page.getByRole("button", { name: "Describe…" }).click();
  const properties = page.getByRole("textbox", { name: /^Properties/ });
  expect(await properties.inputValue()).toBe("commit=ab12");
  await properties.fill("commit");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("alert").getByText("properties: expected at most 100").waitFor();
  await properties.fill("commit=cd34");
  await page.getByRole("textbox", { name: /^Description/ }).fill("- new\n- newer");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator(".markdown li").getByText("newer").waitFor();
  await page.locator(".properties").getByText("commit cd34").waitFor();
  expect(complaints).toEqual(expect.not.arrayContaining([expect.not.stringContaining("400")]));
});

test("a key that may only read is offered no form", async () => {
  const key = await world.command(["keys", "create", "--name", "reads", "--scope", "read"]);
  const { page } = await world.openWithKey("/t/shop", { key });
  await page.locator(".markdown").waitFor();
  expect(await page.getByRole("button", { name: "Describe…" }).count()).toBe(0);
});
