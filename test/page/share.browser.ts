/// <reference lib="dom" />
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, DEMO, type Tab, type World } from "./browser.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.import([DEMO, "--id", "first", "--name", "shop"]);
  await world.import([DEMO, "--id", "second", "--name", "shop", "--label", "label"]);
});

afterAll(() => world?.close());

/** Creates a link in the page and returns its URL. */
async function share({ page }: Tab, name: string): Promise<string> {
  await page.getByRole("button", { name: "Share…" }).click();
  await page.getByRole("textbox", { name: "Name of the link" }).fill(name);
  await page.keyboard.press("Enter");
  const secret = page.getByRole("textbox", { name: `Link ${name}` });
  await secret.waitFor();
  return secret.inputValue();
}

test("a link opens one run without a key, until it is revoked", async () => {
  const owner = await world.openWithKey("/t/first?filter=cart");
  const url = await share(owner, "for Anna");
  expect(url).toMatch(new RegExp(`^${world.url}/t/first\\?filter=cart#tgl_\\w{36}$`));

  const reader = await world.open();
  await reader.page.goto(url);
  await reader.page.getByRole("heading", { name: "shop first" }).waitFor();
  await reader.page.getByRole("table").first().waitFor();
  for (const button of ["Share…", "Sign out", "Set as baseline"]) {
    await expect.poll(() => reader.page.getByRole("button", { name: button }).count()).toBe(0);
  }
  // Other views keep the link, and know one run.
  await reader.page.getByRole("link", { name: "Runs", exact: true }).click();
  await reader.page.getByRole("link", { name: "shop" }).first().waitFor();
  expect(reader.page.url()).toContain("#tgl_");
  await expect.poll(() => reader.page.getByText("second").count()).toBe(0);
  await reader.page.reload();
  await reader.page.getByRole("link", { name: "shop" }).first().click();
  await reader.page.getByRole("heading", { name: "shop first" }).waitFor();

  // Whether another run is the baseline is not theirs to know.
  await reader.page.goto(url.replace("?filter=cart", "?incident=1795256491-1795256550"));
  await reader.page.reload();
  await reader.page.getByRole("region", { name: "Measures of the incident" }).waitFor();
  expect(await reader.page.getByText("No other run of this name").count()).toBe(0);

  const { page } = owner;
  await page.getByRole("button", { name: "Done" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "for Anna" });
  await row.getByRole("button", { name: "Revoke for Anna" }).click();
  await row.getByRole("button", { name: "Revoke for Anna for good" }).click();
  await row.waitFor({ state: "detached" });
  await reader.page.reload();
  await reader.page.getByText("This link does not work any more").waitFor();
  expect(owner.complaints).toEqual([]);
  expect(reader.complaints.filter((each) => !each.includes("404"))).toEqual([]);
});

test("a link needs no name: it is made with Enter", async () => {
  const { page, complaints } = await world.openWithKey("/t/second");
  await page.getByRole("button", { name: "Share…" }).click();
  await expect
    .poll(() => page.getByLabel("Name of the link").inputValue())
    .toMatch(/^Link of \d{4}-\d\d-\d\d [\d:]{8} UTC$/);
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: /^Link Link of / }).waitFor();
  expect(complaints).toEqual([]);
});

test("a link to a comparison opens both runs", async () => {
  const owner = await world.openWithKey("/compare/first/second");
  const url = await share(owner, "review");
  const reader = await world.open();
  await reader.page.goto(url);
  await reader.page.getByRole("heading", { name: "shop second with base shop first" }).waitFor();
  await reader.page.getByText("verdict").first().waitFor();
  expect(reader.complaints).toEqual([]);
});

test("whoever is signed in sees through a link what its reader sees, and stays signed in", async () => {
  const tab = await world.openWithKey("/t/first");
  const path = await world.command(["links", "create", "first", "--name", "by command"]);
  await tab.page.goto(world.url + path);
  await tab.page.getByRole("heading", { name: "shop first" }).waitFor();
  await expect.poll(() => tab.page.getByRole("button", { name: "Share…" }).count()).toBe(0);
  await world.command(["links", "revoke", "by command"]);
  await tab.page.reload();
  await tab.page.getByText("This link does not work any more").waitFor();
  await tab.page.goto(`${world.url}/t/second`);
  await tab.page.getByRole("button", { name: "Share…" }).waitFor();
});

/** Saves the only file: its name and bytes. */
async function save({ page }: Tab): Promise<readonly string[]> {
  const downloading = page.waitForEvent("download");
  await page.getByRole("listitem").getByRole("button", { name: "Save" }).click();
  const download = await downloading;
  return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
}

test("files are attached, saved byte for byte and removed; a reader may only save them", async () => {
  const owner = await world.openWithKey("/t/first");
  const { page } = owner;
  await page.getByRole("button", { name: "Files…" }).click();
  const panel = page.getByRole("region", { name: "Files" });
  await panel.getByText("None.").waitFor();
  const bytes = Buffer.from("<script>alert(1)</script>");
  const file = { name: "=dash\u202eboard.html", mimeType: "text/html", buffer: bytes };
  await panel.getByLabel("Attach a file").setInputFiles(file);
  const row = panel.getByRole("listitem");
  await row.getByText(/attachment · 25 B · Today /).waitFor();
  expect(await save(owner)).toEqual(["_dash_board.html", String(bytes)]);
  const key = await world.command(["keys", "create", "--name", "reader", "--scope", "read"]);
  const reader = await world.openWithKey("/t/first", { key: key.trim() });
  await reader.page.getByRole("button", { name: "Files…" }).click();
  expect(await save(reader)).toEqual(["_dash_board.html", String(bytes)]);
  expect(await reader.page.getByLabel("Attach a file").count()).toBe(0);
  expect(await reader.page.getByRole("button", { name: /^Remove/ }).count()).toBe(0);
  await row.getByRole("button", { name: /^Remove/ }).click();
  await row.getByRole("button", { name: /for good$/ }).click();
  await panel.getByText("None.").waitFor();
  expect([...owner.complaints, ...reader.complaints]).toEqual([]);
});
