/**
 * Takes the screenshots for the documents, of the real page in a real browser: `npm run task pictures`
 * writes them to docs/pictures, `npm run task pictures -- FOLDER` elsewhere. They show the load test of
 * generated-run.ts, the history of nightly-runs.ts and results in test/fixtures.
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createWorld, type World } from "./browser.ts";
import { type GeneratedRunOptions, writeGeneratedRun } from "./generated-run.ts";
import { storeHistory } from "./nightly-runs.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const target = path.resolve(process.argv[2] ?? path.join(ROOT, "docs/pictures"));

const WIDTH = 1280;

interface Picture {
  readonly name: string;
  readonly address: string;
  /** Text that appears once the view is complete. */
  readonly awaits: string;
  readonly height?: number;
  readonly dark?: boolean;
}

const PICTURES: readonly Picture[] = [
  { name: "list", address: "/runs", awaits: "checkout-nightly", height: 500 },
  { name: "load-test", address: "/t/checkout-nightly-42", awaits: "POST /checkout/payment" },
  {
    name: "load-test-dark",
    address: "/t/checkout-nightly-42",
    awaits: "POST /checkout/payment",
    dark: true,
  },
  {
    name: "heatmap",
    address: "/t/checkout-nightly-42?view=heatmap",
    awaits: "requests in a cell",
  },
  {
    name: "comparison",
    address: "/compare/checkout-nightly-41/checkout-nightly-42",
    awaits: "POST /checkout/payment",
  },
];

/** Taken last, because its load tests would fill the list. */
const HISTORY: Picture = {
  name: "history",
  // SHA-1 of GET /cart.
  address: "/trend/shop-nightly?endpoint=890a7f8e02ad127c4f5669d211ea3ec8d8d8ce03&at=night-10",
  awaits: "shaded",
};

/** A recording of JMeter, after five without the incident. */
const INCIDENT: Picture = {
  name: "incident",
  address: "/t/demo",
  awaits: "GET /search",
  height: 820,
};

interface Result {
  readonly file: string;
  readonly name: string;
  readonly tags: readonly string[];
}

const FURTHER_RESULTS: readonly Result[] = [
  { file: "examples/demo/shop.jtl.gz", name: "search-release", tags: ["release"] },
  {
    file: "test/fixtures/gatling-binary/gen-gatling-3.15.1.simulation.log.gz",
    name: "login-smoke",
    tags: ["main"],
  },
  {
    file: "test/fixtures/k6-csv/gen-k6-1.8.1-main.csv.gz",
    name: "cart-api",
    tags: ["main", "eu"],
  },
];

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-pictures-"));
const world = await createWorld();
try {
  await importResults(world);
  mkdirSync(target, { recursive: true });
  for (const picture of PICTURES) await take(world, picture);
  await storeHistory(world, "shop-nightly");
  await world.command(["tests", "baseline", "night-1"]);
  await take(world, HISTORY);
  for (const run of ["-1", "-2", "-3", "-4", "-5", ""]) {
    const file = path.join(ROOT, `examples/demo/shop${run}.jtl.gz`);
    await world.import([file, "--id", `demo${run}`, "--name", "Web shop", "--again"]);
  }
  await take(world, INCIDENT);
} finally {
  await world.close();
  rmSync(folder, { recursive: true });
}

async function importResults(at: World): Promise<void> {
  await importGenerated(at, "checkout-nightly-41", { isCalm: true });
  await importGenerated(at, "checkout-nightly-42", {});
  for (const { file, name, tags } of FURTHER_RESULTS) {
    await at.import([path.join(ROOT, file), "--name", name, "--id", name]);
    await tag(at, name, tags);
  }
}

async function importGenerated(at: World, id: string, options: GeneratedRunOptions): Promise<void> {
  const file = path.join(folder, `${id}.jtl`);
  writeGeneratedRun(file, options);
  await at.import([file, "--id", id, "--name", "checkout-nightly"]);
  await tag(at, id, ["main", "eu"]);
}

async function tag(at: World, id: string, tags: readonly string[]): Promise<void> {
  const { status } = await fetch(`${at.url}/Api/LoadTests/${id}`, {
    method: "PATCH",
    headers: { "X-Service-Auth": at.key, "Content-Type": "application/json" },
    body: JSON.stringify({ tags }),
  });
  if (status !== 200) throw new Error(`tags of ${id}: ${status}`);
}

async function take(at: World, picture: Picture): Promise<void> {
  const { name, address, awaits, height = 1060, dark = false } = picture;
  const { page, complaints } = await at.openWithKey(address, { dark });
  await page.setViewportSize({ width: WIDTH, height });
  await page.getByText(awaits).first().waitFor();
  if (address === "/runs") await page.locator("tbody tr:has(svg)").nth(4).waitFor();
  await page.waitForLoadState("networkidle");
  await page.screenshot({ path: path.join(target, `${name}.png`) });
  if (complaints.length > 0) throw new Error(`${name}: ${complaints.join("; ")}`);
  await page.context().close();
}
