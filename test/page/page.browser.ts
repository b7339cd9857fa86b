/// <reference lib="dom" />
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HOSTILE_LABELS } from "../hostile-labels/labels.ts";
import { createWorld, type Tab, type World } from "./browser.ts";

const DEMO = path.join(import.meta.dirname, "../../demo/shop.jtl.gz");
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

/** A tab in which the key was given. */
async function opened(address: string, options?: Parameters<World["open"]>[0]): Promise<Tab> {
  const tab = await world.open(options);
  await tab.page.goto(`${world.url}/`);
  await tab.page.fill("#key", world.key);
  await tab.page.keyboard.press("Enter");
  await tab.page.getByRole("table").waitFor();
  if (address !== "/") await tab.page.goto(`${world.url}${address}`);
  return tab;
}

test("a key that is not known is refused in words, and the right one is asked for once", async () => {
  const { page } = await world.open();
  await page.goto(`${world.url}/t/shop`);
  await page.fill("#key", `tgk_${"x".repeat(36)}`);
  await page.keyboard.press("Enter");
  await page.getByText("This key is not known").waitFor();
  await page.fill("#key", world.key);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Shop" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Shop" }).waitFor();
  expect(await page.locator("#key").count()).toBe(0);
});

test("the list is searched while one types, and leads to a load test and back", async () => {
  const { page, complaints } = await opened("/");
  await page.keyboard.press("/");
  await page.keyboard.type("sho");
  await page.getByRole("row", { name: /hostile/ }).waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("?search=sho");
  const row = page.getByRole("row", { name: "Shop" });
  await row.getByText("JMeter").waitFor();
  expect(await row.innerText()).toMatch(/10,308\s+! 2\.2.*\s444/s);
  await page.getByRole("link", { name: "Shop", exact: true }).click();
  await page.getByRole("heading", { name: "Shop" }).waitFor();
  await page.goBack();
  expect(new URL(page.url()).search).toBe("?search=sho");
  expect(complaints).toEqual([]);
});

test("figures, finding and table say what the command line says", async () => {
  const { page, complaints } = await opened("/t/shop");
  const tiles = page.locator(".tiles");
  await tiles.getByText("10,308").waitFor();
  expect(await tiles.innerText()).toContain("223");
  await page.getByText(/p95 rises from 293 ms to 922 ms/).waitFor();
  const row = page.locator(".endpoints tr", { hasText: "/checkout" });
  expect(await row.innerText()).toMatch(/731.*! 6.*286.*210.*766.*1\.34/s);
  expect(complaints).toEqual([]);
});

test("filter, range and selection are in the address, and everything follows them", async () => {
  const { page } = await opened("/t/shop");
  await page.getByLabel("Filter endpoints").fill("/products");
  await page.locator(".scope").getByText("2 endpoints").waitFor();
  await page.locator(".tiles").getByText("3,118").waitFor();
  await page.locator(".endpoints tr", { hasText: "/products/{id}" }).click();
  await page.locator(".tiles").getByText("1,926").waitFor();
  const address = new URL(page.url());
  expect(address.searchParams.get("filter")).toBe("/products");
  expect(address.searchParams.get("endpoints")).toMatch(/^[0-9a-f]{40}$/);
  // Charts are drawn anew as answers come.
  await page.waitForLoadState("networkidle");
  const plot = page.locator(".u-over").first();
  const box = await plot.boundingBox();
  if (box === null) throw new Error("no chart");
  await page.mouse.move(box.x + box.width / 4, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.getByText("Range", { exact: true }).waitFor();
  const { searchParams } = new URL(page.url());
  const [from, until] = [Number(searchParams.get("from")), Number(searchParams.get("until"))];
  // A quarter of 330 s, to the second.
  expect(until - from).toBeGreaterThan(75);
  expect(until - from).toBeLessThan(90);
  const shared = await opened(`${new URL(page.url()).pathname}${new URL(page.url()).search}`);
  await shared.page.getByText("1 selected").waitFor();
  await page.waitForLoadState("networkidle");
  await shared.page.waitForLoadState("networkidle");
  expect(await shared.page.locator(".tiles").innerText()).toBe(
    await page.locator(".tiles").innerText(),
  );
});

test("keys move range and focus, select, and take off again; what is shown is saved as csv", async () => {
  const { page, complaints } = await opened("/t/shop");
  await page.locator(".u-over").first().waitFor();
  const range = () => {
    const { searchParams } = new URL(page.url());
    return [searchParams.get("from"), searchParams.get("until")];
  };
  await page.keyboard.press("+");
  const [from, until] = range().map(Number);
  expect((until as number) - (from as number)).toBe(165);
  await page.keyboard.press("ArrowRight");
  expect(range().map(Number)).toEqual([(from as number) + 41, (until as number) + 41]);
  await page.locator(".endpoints tbody tr").first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByText("1 selected").waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  expect((await saved).suggestedFilename()).toBe("shop.csv");
  await page.keyboard.press("Escape");
  await page.getByText("1 selected").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  expect(range()).toEqual([null, null]);
  await page.keyboard.press("?");
  await page.getByText("whole load test").waitFor();
  expect(complaints).toEqual([]);
});

test("the name of a line at its end switches it off, and the address keeps that", async () => {
  const { page } = await opened("/t/shop");
  await page
    .getByRole("button", { name: "p99", exact: true })
    .and(page.locator(".line-names *"))
    .click();
  expect(new URL(page.url()).searchParams.get("hidden")).toBe("p99");
  await page.reload();
  await page.locator('.line-names [aria-pressed="false"]').getByText("p99").waitFor();
});

test("the heatmap counts the requests of a cell, of those of its column", async () => {
  const { page, complaints } = await opened("/t/shop");
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

test("a file is uploaded, its report tells what was rejected, and it leads to the load test", async () => {
  const { page, complaints } = await opened("/");
  const rows = "1700000000000,5,a,200,OK,true\n1700000001000,NaN,b,200,OK,true\n";
  await page.setInputFiles("input[type=file]", {
    name: "from page.jtl",
    mimeType: "text/plain",
    buffer: Buffer.from(`timeStamp,elapsed,label,responseCode,responseMessage,success\n${rows}`),
  });
  await page.getByText(/elapsed: got "NaN"/).waitFor();
  const report = await page.locator(".report").first().innerText();
  expect(report).toMatch(/rows read\s+2\s+= recorded\s+1.*\+ rejected\s+1/s);
  await page.getByRole("link", { name: "Open load test" }).click();
  await page.getByRole("heading", { name: "from page.jtl" }).waitFor();
  expect(complaints).toEqual([]);
});

test("endpoints that are selected have a line each, of one statistic", async () => {
  const { page, complaints } = await opened("/t/shop");
  await page.getByLabel("Select POST /cart", { exact: true }).check();
  await page.getByText("1 selected").waitFor();
  await page.getByLabel("Select GET /", { exact: true }).check();
  await page.locator(".line-names").getByText("POST /cart").waitFor();
  await page.getByRole("group", { name: "Statistic" }).getByText("p50").click();
  expect(new URL(page.url()).searchParams.get("statistic")).toBe("p50");
  expect(complaints).toEqual([]);
});

/** One request a second, as k6 sends them, up to now. */
async function sendLive(seconds: number): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const lines = Array.from({ length: seconds }, (_, index) => {
    const tags = "name=GET\\ /,method=GET,status=200,expected_response=true";
    return `http_req_duration,${tags} value=12.5 ${now - index}000000000\n`;
  });
  const response = await fetch(`${world.url}/write?db=live&precision=ns`, {
    method: "POST",
    headers: { "X-Service-Auth": world.key },
    body: lines.join(""),
  });
  expect(response.status).toBe(204);
}

test("a load test that runs is followed, paused, and names the tab", async () => {
  await sendLive(600);
  const { page, complaints } = await opened("/t/live");
  await page.locator(".tiles").getByText("600").waitFor();
  await page.getByRole("button", { name: "Follow" }).click();
  await page.locator(".tiles").getByText("300").waitFor();
  await page.getByText(", following").waitFor();
  expect(await page.title()).toBe("1/s · 0 failed · live");
  const range = await page.locator(".chip").first().innerText();
  await sendLive(1);
  await expect
    .poll(() => page.locator(".chip").first().innerText(), { timeout: 10_000 })
    .not.toBe(range);
  await page.locator("body").press(" ");
  await page.getByText(", paused").waitFor();
  expect(complaints).toEqual([]);
});

function titlesOf(elements: Element[]): (string | null)[] {
  return elements.map((element) => element.getAttribute("title"));
}

test("hostile labels, names and messages are text, and nothing of them is run", async () => {
  const { page, complaints } = await opened("/t/hostile");
  await page.getByText('<img src=x onerror="alert(1)">').first().waitFor();
  await page.getByRole("row", { name: /jndi/ }).waitFor();
  const seen = new Set<string>();
  for (let screen = 0; screen < 5; screen++) {
    const labels = page.locator(".endpoints tbody th");
    for (const title of await labels.evaluateAll(titlesOf)) seen.add(title ?? "");
    await page.mouse.wheel(0, 500);
    await page.waitForTimeout(100);
  }
  expect([...seen].toSorted()).toEqual(HOSTILE_LABELS.toSorted());
  expect(await page.locator(".failures td.name").first().innerText()).toBe("</script>");
  expect(complaints).toEqual([]);
});

test("dark and light follow the system, and a choice is kept", async () => {
  const { page } = await opened("/t/shop", { dark: true });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(await background()).toBe("rgb(16, 19, 22)");
  await page.getByRole("button", { name: "System" }).click();
  expect(await background()).toBe("rgb(255, 255, 255)");
  await page.reload();
  expect(await background()).toBe("rgb(255, 255, 255)");
});

test("on a narrow screen nothing is wider than the screen", async () => {
  const { page } = await opened("/t/shop", { width: 390 });
  await page.locator(".tiles").getByText("10,308").waitFor();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  const label = await page.locator(".endpoints tbody th").first().boundingBox();
  expect(label?.width).toBeGreaterThan(120);
});
