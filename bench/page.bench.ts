/**
 * How long the page takes in a real browser, with the service as a process of its own: until the
 * first chart of 100 endpoints x 3,600 s stands, how smoothly it is zoomed into, and until a table
 * of 10,000 endpoints can be used; of load tests that nobody has asked for before, and again, when the service
 * has kept its answers. Needs Chromium; prints medians of `RUNS`.
 */

import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { createWorld, type World } from "../test/page/browser.ts";
import { seededRandom } from "./seeded-random.ts";

const RUNS = 5;
const FIRST_SECOND = 1_790_000_000;
const LOAD_TESTS = [
  { id: "long", endpoints: 100, seconds: 3600 },
  { id: "broad", endpoints: 10_000, seconds: 60 },
];
const CHART = ".charts .line-names button";
const TABLE = ".endpoints tbody tr:nth-child(10)";
/** Steps of a drag over the chart, one for each frame. */
const DRAG_STEPS = 60;

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-page-bench-"));
const world = await createWorld();
try {
  for (const { id, endpoints, seconds } of LOAD_TESTS) {
    const file = path.join(folder, `${id}.jtl`);
    writeResults(file, endpoints, seconds);
    for (let run = 0; run < RUNS; run++) await world.import([file, "--id", `${id}-${run}`]);
  }
  await measure(world);
} finally {
  await world.close();
  rmSync(folder, { recursive: true });
}

async function measure(at: World): Promise<void> {
  const tab = await at.openWithKey("/");
  const timesUntil = async (id: string, selector: string): Promise<number[]> => {
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      await tab.page.goto("about:blank");
      await tab.page.goto(`${at.url}/t/${id}-${run}`, { waitUntil: "commit" });
      times.push(await timeUntil(tab.page, selector));
      await tab.page.waitForLoadState("networkidle");
    }
    return times;
  };
  tell("100 x 3,600: first chart, ms", await timesUntil("long", CHART));
  tell("100 x 3,600: first chart again, ms", await timesUntil("long", CHART));
  const frames: number[] = [];
  for (let run = 0; run < RUNS; run++) frames.push(...(await framesOfZoom(tab.page)));
  tell("100 x 3,600: frame while zooming, ms", frames);
  tell("10,000 endpoints: table, ms", await timesUntil("broad", TABLE));
  tell("10,000 endpoints: table again, ms", await timesUntil("broad", TABLE));
  console.log(`load ${loadavg()[0]?.toFixed(1)}`);
}

/** From the begin of the navigation to the frame after the element came. */
function timeUntil(page: Page, selector: string): Promise<number> {
  return page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        const look = (): void => {
          if (document.querySelector(wanted) === null) requestAnimationFrame(look);
          else requestAnimationFrame(() => resolve(performance.now()));
        };
        look();
      }),
    selector,
  );
}

/** Drags over half of the chart and back out again; lengths of the frames meanwhile. */
async function framesOfZoom(page: Page): Promise<number[]> {
  const plot = page.locator(".u-over").first();
  const box = await plot.boundingBox();
  if (box === null) throw new Error("no chart");
  await page.evaluate(recordFrames);
  await page.mouse.move(box.x + box.width / 4, box.y + 40);
  await page.mouse.down();
  for (let step = 0; step < DRAG_STEPS; step++) {
    await page.mouse.move(box.x + box.width * (0.25 + step / DRAG_STEPS / 2), box.y + 60);
  }
  await page.mouse.up();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("-");
  await page.keyboard.press("+");
  const frames = await page.evaluate(() =>
    (globalThis as unknown as { stopRecording: () => number[] }).stopRecording(),
  );
  await page.keyboard.press("0");
  await page.waitForLoadState("networkidle");
  return frames;
}

function recordFrames(): void {
  const frames: number[] = [];
  let before: number | undefined;
  let isOver = false;
  const frame = (now: number): void => {
    if (before !== undefined) frames.push(now - before);
    before = now;
    if (!isOver) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  Object.assign(globalThis, {
    stopRecording: () => {
      isOver = true;
      return frames;
    },
  });
}

/** One request of each endpoint in each second. */
function writeResults(file: string, endpoints: number, seconds: number): void {
  const random = seededRandom(7);
  const target = openSync(file, "w");
  writeSync(target, "timeStamp,elapsed,label,responseCode,success,bytes\n");
  for (let second = 0; second < seconds; second++) {
    const rows = Array.from({ length: endpoints }, (_, endpoint) => {
      const elapsed = Math.round(20 + 200 * random() ** 4);
      const isGood = random() > 0.01;
      const at = (FIRST_SECOND + second) * 1000;
      return `${at},${elapsed},GET /endpoint/${endpoint},${isGood ? 200 : 503},${isGood},900\n`;
    });
    writeSync(target, rows.join(""));
  }
  closeSync(target);
}

function tell(what: string, values: readonly number[]): void {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(0);
  console.log(`${what}: median ${at(0.5)}, 95 % ${at(0.95)}, at most ${at(1)} (${sorted.length})`);
}
