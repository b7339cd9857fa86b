import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, DEMO, type World } from "./browser.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.import([DEMO, "--id", "shop", "--name", "Shop"]);
  await world.import([DEMO, "--id", "other", "--name", "Other"]);
});

afterAll(() => world?.close());

test("the list is searched while one types, and leads to a load test and back", async () => {
  const { page, complaints } = await world.openWithKey("/");
  await page.keyboard.press("/");
  await page.keyboard.type("sho");
  await page.getByRole("row", { name: "Other" }).waitFor({ state: "detached" });
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
