/// <reference lib="dom" />
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./browser.ts";

const HEADER = "timeStamp,elapsed,label,responseCode,responseMessage,success\n";
let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

interface Dropped {
  readonly name: string;
  readonly text: string;
}

/** Drags files over the page. The function returned drops them. */
async function hold(page: Page, files: readonly Dropped[]): Promise<() => Promise<void>> {
  const held = await page.evaluateHandle((given) => {
    const transfer = new DataTransfer();
    for (const { name, text } of given) transfer.items.add(new File([text], name));
    return transfer;
  }, files);
  const place = page.locator("body");
  await place.dispatchEvent("dragover", { dataTransfer: held });
  return () => place.dispatchEvent("drop", { dataTransfer: held });
}

const UPLOAD = { name: "Upload", exact: true } as const;

/** Answers what is asked before an upload. */
async function confirm(page: Page): Promise<void> {
  const sheet = page.getByRole("dialog", UPLOAD).or(page.getByRole("dialog", { name: "Upload 2" }));
  await sheet.getByRole("button", UPLOAD).click();
  await sheet.waitFor({ state: "detached" });
}

test("an empty list has a command for each tool, ready to copy", async () => {
  const { page, complaints } = await world.openWithKey("/runs");
  await page.getByRole("heading", { name: "No runs yet" }).waitFor();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const row = page.getByRole("row", { name: /^Vegeta/ });
  await row.getByRole("button", { name: "Copy" }).click();
  await row.getByText("Copied").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(
    "vegeta attack -targets=t.txt -duration=60s -output=run.bin && tachograph import --name checkout run.bin",
  );
  await expect
    .poll(() => page.getByText("k6 run --out influxdb=").innerText())
    .toContain(`any:KEY@${new URL(world.url).host}/checkout`);
  expect(complaints).toEqual([]);
});

test("a file without rows is imported only on demand", async () => {
  const { page, complaints } = await world.openWithKey("/runs");
  await page.setInputFiles("input[type=file]", {
    name: "header.jtl",
    mimeType: "text/plain",
    buffer: Buffer.from(HEADER),
  });
  await confirm(page);
  await page.locator(".slow", { hasText: "the source has no rows: nothing was" }).waitFor();
  await page.getByRole("button", { name: "Import it anyway" }).click();
  await page.getByRole("link", { name: "Open run" }).waitFor();
  await page.locator(".upload summary", { hasText: "0 of 0 records" }).click();
  expect(await page.locator(".report").first().innerText()).toMatch(/records read\s+0\s/);
  expect(await page.getByText(/the source has no rows/).count()).toBe(0);
  await page.locator(".uploads").getByRole("button", { name: "Close" }).click();
  expect(complaints.filter((each) => !each.includes("422"))).toEqual([]);
});

test("a file is uploaded; its report lists what was rejected and links to the run", async () => {
  const { page, complaints } = await world.openWithKey("/runs");
  const rows = "1700000000000,5,a,200,OK,true\n1700000001000,5,b,200,OK,WAHR\n";
  await page.setInputFiles("input[type=file]", {
    name: "from page.jtl",
    mimeType: "text/plain",
    buffer: Buffer.from(`${HEADER}${rows}`),
  });
  await confirm(page);
  await page.locator(".upload summary", { hasText: "1 of 2 records ▲ 1 rejected" }).click();
  await page.getByText(/success: got "WAHR"/).waitFor();
  const report = await page.locator(".report").first().innerText();
  expect(report).toMatch(/records read\s+2\s+= recorded\s+1.*\+ rejected\s+1/s);
  await page.getByRole("link", { name: "Open run" }).click();
  await page.getByRole("heading", { name: "from page.jtl" }).waitFor();
  // The report stays on other views until it is closed.
  const line = page.locator(".upload summary");
  await line.getByText("1 of 2 records").waitFor();
  // On a phone the buttons take a line of their own.
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(async () => (await line.boundingBox())?.width).toBeGreaterThan(300);
  await page.getByRole("button", { name: "Close" }).click();
  await line.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("files can be dropped anywhere, also in the view of a run, and nothing moves meanwhile", async () => {
  const { page, complaints } = await world.openWithKey("/runs");
  await page.getByRole("link", { name: "from page.jtl" }).click();
  const heading = page.getByRole("heading", { name: "from page.jtl" });
  await heading.waitFor();
  const before = await heading.boundingBox();
  const drop = await hold(page, [
    { name: "one.jtl", text: `${HEADER}1700000000000,5,a,200,OK,true\n` },
    { name: "cut.jtl", text: `${HEADER}1700000000000,5,a,200,OK,true\n1700000000000,5,"GET /x` },
  ]);
  await page.getByText("Drop to upload 2 files").waitFor();
  expect(await heading.boundingBox()).toEqual(before);
  await drop();
  await page.getByText("Drop to upload").waitFor({ state: "detached" });
  await confirm(page);
  const uploads = page.getByRole("region", { name: "Uploads" });
  await uploads.locator("summary", { hasText: "the source ends inside quotes" }).waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Runs" }).click();
  await page.getByRole("row", { name: "one.jtl" }).getByText("JMeter").waitFor();
  await expect.poll(() => uploads.getByRole("link", { name: "Open run" }).count()).toBe(2);
  expect(complaints).toEqual([]);
});

test("URL ids are grouped in the files for which that was chosen", async () => {
  const { page, complaints } = await world.openWithKey("/runs");
  await page.getByRole("row", { name: "one.jtl" }).waitFor();
  const rows = [1, 2, 3].map((id) => `1700000000000,5,GET /products/${id},200,OK,true\n`).join("");
  await (
    await hold(page, [{ name: "as-they-are.jtl", text: HEADER + rows }])
  )();
  await confirm(page);
  const endpoints = page.getByRole("row", { name: "endpoints" });
  await page.locator(".upload summary", { hasText: "3 of 3 records" }).click();
  await endpoints.getByText("3", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await (
    await hold(page, [{ name: "folded.jtl", text: HEADER + rows }])
  )();
  await page.getByRole("checkbox", { name: "Treat /users/7 as /users/{id}" }).check();
  await confirm(page);
  // Another run has the same content.
  await page.getByText(/already in run as-they-are-\w+: nothing added/).waitFor();
  await page.getByRole("button", { name: "Import it again" }).click();
  await page.locator(".upload summary", { hasText: "3 of 3 records" }).click();
  await endpoints.getByText("1", { exact: true }).waitFor();
  await page.getByText("labels folded into groups: 3 into 1").first().waitFor();
  await page.getByRole("link", { name: "Open run" }).click();
  await page.getByRole("rowheader", { name: "/products/{id}" }).waitFor();
  expect(complaints).toEqual([]);
});

test("name and tags are asked before an upload: Enter accepts the name of the last runs", async () => {
  const { page, complaints } = await world.openWithKey("/runs");
  await page.getByRole("row", { name: "one.jtl" }).waitFor();
  const drop = async (name: string, at: number): Promise<void> => {
    const text = `${HEADER}${1_700_000_000_000 + at},5,a,200,OK,true\n`;
    await (
      await hold(page, [{ name, text }])
    )();
  };
  const name = page.getByRole("combobox", { name: "Name", exact: true });
  await drop("results.jtl", 1);
  await expect.poll(() => name.inputValue()).toBe("results.jtl");
  await name.fill("Checkout nightly");
  await page.getByRole("textbox", { name: "Tags" }).fill("main, eu");
  await page.keyboard.press("Enter");
  const rows = page.getByRole("row", { name: "Checkout nightly" });
  await rows.getByText("eu, main").waitFor();
  await page.getByRole("link", { name: "Tests" }).focus();
  await drop("checkout-nightly-2026-11-30.jtl", 2);
  await expect.poll(() => name.inputValue()).toBe("Checkout nightly");
  await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe("Checkout nightly");
  await page.keyboard.press("Enter");
  await expect.poll(() => rows.count()).toBe(2);
  // What had the focus has it again.
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Tests");
  // Escape gives up: the shortcuts of the page wait meanwhile.
  await drop("not.jtl", 3);
  await name.waitFor();
  await page.keyboard.press("Escape");
  await name.waitFor({ state: "detached" });
  await expect.poll(() => page.getByText("not.jtl").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("a folder becomes one run, without what is no result in it", async () => {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), "tachograph-upload-")), "two hosts");
  try {
    mkdirSync(path.join(folder, "b"), { recursive: true });
    writeFileSync(path.join(folder, "a.jtl"), `${HEADER}1700000000010,5,a,200,OK,true\n`);
    writeFileSync(path.join(folder, "b/b.jtl"), `${HEADER}1700000000011,5,b,200,OK,true\n`);
    writeFileSync(path.join(folder, "b/index.html"), "<h1>Report</h1>");
    const { page, complaints } = await world.openWithKey("/runs");
    await page.getByRole("row", { name: "one.jtl" }).waitFor();
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const) {
      await session.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
    }
    const sheet = page.getByRole("dialog", { name: "Upload 3 files" });
    await expect.poll(() => sheet.getByRole("combobox", { name: "Into" }).inputValue()).toBe("one");
    await expect.poll(() => sheet.locator("li input:checked").count()).toBe(2);
    const ticked = sheet.locator("li input:checked");
    await ticked.last().uncheck();
    await ticked.uncheck();
    await sheet.getByRole("button", UPLOAD).click();
    await sheet.getByText("! No file is selected").waitFor();
    for (const host of ["a", "b"]) await sheet.getByLabel(`${host}.jtl`).check();
    await sheet.getByRole("button", UPLOAD).click();
    await page.getByRole("link", { name: "Open run" }).nth(1).click();
    await page.getByRole("heading", { name: "two hosts" }).waitFor();
    for (const name of ["a", "b"])
      await page.getByRole("rowheader", { name, exact: true }).waitFor();
    // A third part, for the run that is shown.
    await (
      await hold(page, [{ name: "c.jtl", text: `${HEADER}1700000000012,5,c,200,OK,true\n` }])
    )();
    await page.getByRole("combobox", { name: "Into" }).selectOption("shown");
    await confirm(page);
    await page.getByRole("rowheader", { name: "c", exact: true }).waitFor();
    expect(complaints).toEqual([]);
  } finally {
    rmSync(path.dirname(folder), { recursive: true });
  }
});

test("with a read key upload is not offered", async () => {
  const key = await world.command(["keys", "create", "--name", "reader", "--scope", "read"]);
  const { page } = await world.openWithKey("/runs", { key });
  await page.getByRole("row", { name: "one.jtl" }).waitFor();
  await expect.poll(() => page.getByText("Upload…").count()).toBe(0);
});

test("an unknown file is rejected with the message of the service", async () => {
  const { page } = await world.openWithKey("/runs");
  await page.getByRole("row", { name: "one.jtl" }).waitFor();
  const drop = await hold(page, [{ name: "notes.txt", text: "hello" }]);
  await drop();
  await confirm(page);
  const problem = page.locator(".upload .slow");
  await problem.waitFor();
  await expect.poll(() => problem.innerText()).toContain("cannot read the source: it is text");
});

test("a response that is not from the service is reported by its status", async () => {
  const { page } = await world.openWithKey("/runs");
  await page.getByRole("row", { name: "one.jtl" }).waitFor();
  await page.route("**/Results*", (route) =>
    route.fulfill({ status: 413, contentType: "text/html", body: "<h1>Too large</h1>" }),
  );
  const drop = await hold(page, [{ name: "large.jtl", text: HEADER }]);
  await drop();
  await confirm(page);
  const problem = page.locator(".upload .slow");
  await problem.waitFor();
  await expect.poll(() => problem.innerText()).toContain("413");
});

test("cancelling an upload keeps what had arrived, and says so", async () => {
  const { page, complaints } = await world.openWithKey("/runs");
  await page.getByRole("row", { name: "one.jtl" }).waitFor();
  // A slow connection, so that the upload is still running when it is cancelled.
  const session = await page.context().newCDPSession(page);
  const line = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
  await session.send("Network.emulateNetworkConditions", line);
  const row = "1700000000000,5,a,200,OK,true\n";
  const drop = await hold(page, [{ name: "long.jtl", text: HEADER + row.repeat(100_000) }]);
  await drop();
  await confirm(page);
  await page.getByText("JMeter CSV, to run").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator(".upload summary", { hasText: "stopped while it was received" }).click();
  await page.getByRole("row", { name: "long.jtl" }).waitFor();
  const report = await page.locator(".report").first().innerText();
  const [, read = ""] = /records read\s+([\d,]+)/.exec(report) ?? [];
  const rows = Number(read.replaceAll(",", ""));
  expect(rows).toBeGreaterThan(0);
  expect(rows).toBeLessThan(100_000);
  expect(complaints).toEqual([]);
});
