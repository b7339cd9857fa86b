/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type Tab, type World } from "./browser.ts";

let world: World;
/** The key of an administrator called `anna`. */
let key: string;

beforeAll(async () => {
  world = await createWorld();
  key = await makeKey("anna", "admin");
});

afterAll(() => world?.close());

function makeKey(name: string, scope: string): Promise<string> {
  return world.command(["keys", "create", "--name", name, "--scope", scope]);
}

/** The keys view as an administrator sees it. */
async function opened(options: Parameters<World["open"]>[0] = {}): Promise<Tab> {
  const tab = await world.openWithKey("/keys", { key, ...options });
  await tab.page.getByRole("row", { name: "anna this key" }).waitFor();
  return tab;
}

async function statusOf(text: string): Promise<number> {
  const headers = { "X-Service-Auth": text };
  return (await fetch(`${world.url}/Api/CurrentKey`, { headers })).status;
}

/** The focused element, as a screen reader names it. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement: element } = document;
    return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
  });
}

test("the header links to the keys only for administrators", async () => {
  const { page, complaints } = await world.openWithKey("/", { key });
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("heading", { name: "Keys" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/keys");
  await expect.poll(() => page.title()).toContain("Keys");
  await page.reload();
  const row = /anna this key admin Today \d\d:\d\d (just now|\d min ago)/;
  await page.getByRole("row", { name: row }).waitFor();
  expect(complaints).toEqual([]);
  const reader = await world.openWithKey("/keys");
  await reader.page.getByText("Managing keys needs the scope admin").waitFor();
  await expect.poll(() => reader.page.getByRole("link", { name: "Keys" }).count()).toBe(0);
});

test("a key is created by keyboard, shown once, selected and copied", async () => {
  const { page, complaints } = await opened();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Create key…" }).press("Enter");
  await expect.poll(() => focused(page)).toBe("Name of the key");
  await page.keyboard.type("ci-eu");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await page.getByLabel("expires").selectOption("in 90 days");
  await page.getByRole("button", { name: "Create key", exact: true }).press("Enter");
  const field = page.getByRole("textbox", { name: "Key ci-eu" });
  await field.waitFor();
  const made = await field.inputValue();
  await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe(made);
  expect(await statusOf(made)).toBe(200);
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(made);
  await page.getByRole("row", { name: /^ci-eu read, write Today .* not yet/ }).waitFor();
  await page.getByRole("button", { name: "Done" }).press("Enter");
  await expect.poll(() => focused(page)).toBe("Create key…");
  expect(await page.content()).not.toContain(made);
  await page.reload();
  await page.getByRole("row", { name: "ci-eu read, write" }).waitFor();
  expect(await page.content()).not.toContain(made);
  expect(complaints).toEqual([]);
});

test("the form says why a key cannot be created, and Escape closes it", async () => {
  const { page } = await opened();
  await page.getByRole("button", { name: "Create key…" }).click();
  await page.keyboard.type("anna");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("anna").waitFor();
  await expect.poll(() => focused(page)).toBe("Name of the key");
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe("Create key…");
});

test("a key is revoked after one confirmation, and the focus is never lost", async () => {
  const [first, second] = [await makeKey("gone-1", "read"), await makeKey("gone-2", "read")];
  const { page, complaints } = await opened();
  const ask = page.getByRole("button", { name: "Revoke gone-2", exact: true });
  await ask.press("Enter");
  await expect.poll(() => focused(page)).toBe("Revoke gone-2 for good");
  expect(await page.getByText("need another key").count()).toBe(0);
  await page.keyboard.press("Tab");
  await ask.press("Enter");
  await expect.poll(() => focused(page)).toBe("Revoke gone-2 for good");
  expect(await statusOf(second)).toBe(200);
  await page.keyboard.press("Enter");
  await page.getByRole("row", { name: "gone-2" }).waitFor({ state: "detached" });
  expect(await statusOf(second)).toBe(401);
  await expect.poll(() => focused(page)).toBe("Revoke gone-1");
  expect(await statusOf(first)).toBe(200);
  await page.getByText("1 revoked").click();
  await page.getByText("Their names stay taken: gone-2").waitFor();
  expect(complaints).toEqual([]);
});

test("the last administrator key cannot be revoked, with a reason; any other one in use can", async () => {
  const { page } = await opened();
  await page.getByRole("button", { name: "Revoke anna" }).click();
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("no other key may administer").waitFor();
  await expect.poll(() => focused(page)).toBe("Revoke anna for good");
  const other = await makeKey("ben", "admin");
  const ben = await world.openWithKey("/keys", { key: other });
  await ben.page.getByRole("button", { name: "Revoke ben" }).click();
  await ben.page.getByText("This page will need another key.").waitFor();
  await ben.page.keyboard.press("Enter");
  await ben.page.locator("#key").waitFor();
  await expect.poll(() => ben.page.getByRole("link", { name: "Keys" }).count()).toBe(0);
});

test("names of keys are shown as text, whatever they contain", async () => {
  await makeKey("<img src=x onerror=alert(1)>/../%2F?#", "read");
  const { page, complaints } = await opened();
  const ask = page.getByRole("button", { name: /^Revoke <img/ });
  await ask.click();
  await page.keyboard.press("Enter");
  await ask.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("on a narrow screen nothing is wider than the screen, not even a confirmation", async () => {
  const { page } = await opened({ width: 390, dark: true });
  const isTooWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  await expect.poll(() => isTooWide()).toBe(false);
  await page.getByRole("button", { name: "Revoke page" }).click();
  await page.getByRole("button", { name: "Revoke page for good" }).waitFor();
  await expect.poll(() => isTooWide()).toBe(false);
  await page.getByRole("button", { name: "Create key…" }).click();
  await expect.poll(() => isTooWide()).toBe(false);
});

test("without runs, an administrator is shown where to create keys", async () => {
  const mayRead = await makeKey("bea", "read,admin");
  const { page } = await world.openWithKey("/", { key: mayRead });
  await page.getByRole("link", { name: "Make a key" }).click();
  await page.getByRole("row", { name: "bea this key" }).waitFor();
  const writer = await world.openWithKey("/");
  await writer.page.getByRole("heading", { name: "No runs yet" }).waitFor();
  await expect.poll(() => writer.page.getByRole("link", { name: "Make a key" }).count()).toBe(0);
});
