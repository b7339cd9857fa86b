/// <reference lib="dom" />
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HOSTILE_LABELS } from "../hostile-labels/labels.ts";
import { createWorld, DEMO, type World } from "./browser.ts";
import { sendLive } from "./send-live.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-labels-"));
let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.import([DEMO, "--id", "shop", "--name", "Shop"]);
  const file = path.join(folder, "hostile.jtl");
  const rows = HOSTILE_LABELS.map(
    (label, index) =>
      `${1_700_000_000_000 + index},5,"${label.replaceAll('"', '""')}",500,</script>,false\n`,
  );
  writeFileSync(
    file,
    `timeStamp,elapsed,label,responseCode,responseMessage,success\n${rows.join("")}`,
  );
  await world.import([file, "--id", "hostile", "--name", '<img src=x onerror="alert(1)">']);
});

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

test("an unknown key gets a message in the page's own font, and a valid one is remembered", async () => {
  const { page } = await world.open();
  await page.goto(`${world.url}/t/shop`);
  await page.fill("#key", `tgk_${"x".repeat(36)}`);
  await page.keyboard.press("Enter");
  await page.getByText("This key is unknown").waitFor();
  expect(await page.evaluate(() => document.fonts.check("1em Inter"))).toBe(true);
  const [usual, tabular] = await page.evaluate(() =>
    ["normal", "tabular-nums"].map((numbers) => {
      const text = document.body.appendChild(document.createElement("span"));
      text.textContent = "Time-out - (all)";
      text.style.fontVariantNumeric = numbers;
      const { width } = text.getBoundingClientRect();
      text.remove();
      return width;
    }),
  );
  expect(tabular).toBe(usual);
  await page.fill("#key", world.key);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Shop" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Shop" }).waitFor();
  await expect.poll(() => page.locator("#key").count()).toBe(0);
});

test("the name at the end of a line hides it, and the URL keeps that", async () => {
  const { page } = await world.openWithKey("/t/shop");
  await page
    .getByRole("button", { name: "p99", exact: true })
    .and(page.locator(".line-names *"))
    .click();
  expect(new URL(page.url()).searchParams.get("hidden")).toBe("p99");
  await page.reload();
  await page.locator('.line-names [aria-pressed="false"]').getByText("p99").waitFor();
});

test("the heatmap shows the requests of a cell and of its column", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop");
  await page.getByRole("button", { name: "Heatmap" }).click();
  expect(new URL(page.url()).searchParams.get("view")).toBe("heatmap");
  await page.getByText("requests in a cell").waitFor();
  await page.waitForLoadState("networkidle");
  const box = await page.locator(".u-over").first().boundingBox();
  if (box === null) throw new Error("no chart");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.getByText(/\d+ of \d+ requests/).waitFor();
  expect(complaints).toEqual([]);
});

test("selected endpoints have a line each, of one statistic", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop");
  await page.getByLabel("Select POST /cart", { exact: true }).check();
  await page.getByText("1 endpoint selected").waitFor();
  await page.getByLabel("Select GET /", { exact: true }).check();
  await page.locator(".line-names").getByText("POST /cart").waitFor();
  await page.getByRole("group", { name: "Statistic" }).getByText("p50").click();
  expect(new URL(page.url()).searchParams.get("statistic")).toBe("p50");
  expect(complaints).toEqual([]);
});

test("a live run is followed, can be paused, and names the tab", async () => {
  await sendLive(world, "live", 600);
  const { page, complaints } = await world.openWithKey("/t/live");
  await page.locator(".tiles").getByText("600").waitFor();
  await page.getByRole("button", { name: "Follow" }).click();
  await page.locator(".tiles").getByText("300").waitFor();
  await page.getByText(", following").waitFor();
  await expect.poll(() => page.title()).toBe("1/s · 0 failed · live");
  const range = await page.locator(".chip").first().innerText();
  await expect
    .poll(async () => {
      // Again and again: the first may fall in the same second as the last of those before.
      await sendLive(world, "live", 1);
      return page.locator(".chip").first().innerText();
    })
    .not.toBe(range);
  await page.locator("body").press(" ");
  await page.getByText(", paused").waitFor();
  expect(complaints).toEqual([]);
});

test("a live run is ranked among earlier runs at the same minute", async () => {
  const seconds = Array.from({ length: 130 }, (_, index) => index);
  for (const elapsed of [10, 20, 30, 40]) {
    const file = path.join(folder, `${elapsed}.jtl`);
    const rows = seconds.map(
      (second) => `${1_790_000_000 + second}000,${elapsed},GET /,200,true\n`,
    );
    writeFileSync(file, `timeStamp,elapsed,label,responseCode,success\n${rows.join("")}`);
    await world.import([file, "--id", `earlier-${elapsed}`, "--name", "ranked"]);
  }
  // 12.5 ms each, shown as 13: slower than the first.
  await sendLive(world, "ranked", 130);
  const { page, complaints } = await world.openWithKey("/t/ranked");
  await page.getByText(/^p95 of minute 2: 13 ms, slower than 1 of 4 earlier runs$/).waitFor();
  await page.getByRole("button", { name: "baseline" }).first().waitFor();
  expect(complaints).toEqual([]);
});

function titlesOf(elements: Element[]): (string | null)[] {
  return elements.map((element) => element.getAttribute("title"));
}

/** The labels of a table, collected while scrolling down. */
async function labelsSeen(page: Page): Promise<readonly string[]> {
  const seen = new Set<string>();
  for (let screen = 0; screen < 5; screen++) {
    const labels = page.locator(".endpoints tbody th");
    for (const title of await labels.evaluateAll(titlesOf)) seen.add(title ?? "");
    await page.mouse.wheel(0, 500);
    await page.waitForTimeout(100);
  }
  return [...seen].toSorted();
}

test("hostile labels, names and messages are shown as text and not executed", async () => {
  const { page, complaints } = await world.openWithKey("/t/hostile?rows=all");
  await page.getByText('<img src=x onerror="alert(1)">').first().waitFor();
  await page.getByRole("row", { name: /jndi/ }).waitFor();
  await expect.poll(() => labelsSeen(page)).toEqual(HOSTILE_LABELS.toSorted());
  await expect
    .poll(() => page.locator(".failures .kind .word").first().innerText())
    .toBe("500 </script>");
  await page.goto(`${world.url}/compare/hostile/hostile`);
  await page.locator(".comparison tbody tr").first().waitFor();
  await expect.poll(() => labelsSeen(page)).toEqual(HOSTILE_LABELS.toSorted());
  expect(complaints).toEqual([]);
});

test("dark and light mode follow the system, and a choice is kept", async () => {
  const { page } = await world.openWithKey("/t/shop", { dark: true });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await expect.poll(() => background()).toBe("rgb(16, 19, 22)");
  await page.getByRole("button", { name: "Theme: system" }).click();
  await expect.poll(() => background()).toBe("rgb(255, 255, 255)");
  await page.reload();
  await expect.poll(() => background()).toBe("rgb(255, 255, 255)");
});

test("a session is shared by all tabs, and ends in all of them", async () => {
  const { page } = await world.openWithKey("/t/shop");
  await page.getByRole("heading", { name: "Shop" }).waitFor();
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain(
    "tgk_",
  );
  // As from a link in a chat.
  const other = await page.context().newPage();
  await other.goto(`${world.url}/t/shop?filter=cart`);
  await other.getByRole("heading", { name: "Shop" }).waitFor();
  await other.getByRole("button", { name: "Sign out" }).click();
  await other.locator("#key").waitFor();
  await page.locator("#key").waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "This page needs a key" }).waitFor();
  expect(await page.context().cookies()).toEqual([]);
  await page.fill("#key", world.key);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Shop" }).waitFor();
});
