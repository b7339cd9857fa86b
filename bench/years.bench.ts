/**
 * Five years of nightly runs of one hour and 100 endpoints, kept as minutes: bytes of the file, and the time of a
 * trend over them. The first run is stored in seconds and downsampled; the others are written as minutes, which
 * gives the same blocks.
 *
 *     node bench/years.bench.ts FOLDER [RUNS]
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { loadavg } from "node:os";
import path from "node:path";
import type { DataPoints } from "../src/model/data-points.ts";
import { MINUTE_SECONDS } from "../src/model/load-test.ts";
import { downsample } from "../src/store/downsample.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import type { Store } from "../src/store/store.ts";
import { COMPLETE } from "../test/support/batches.ts";
import { densePoints } from "../test/support/dense-points.ts";

const [folder = "", runs = "1826"] = process.argv.slice(2);
const DAY_SECONDS = 86_400;
const SECONDS = 3600;
const FIRST_SECOND = 1_600_000_200;
const LABELS = Array.from({ length: 100 }, (_, at) => `GET /shop/products/${at}`);

mkdirSync(folder, { recursive: true });
const file = path.join(folder, "tachograph.sqlite");
const shape = { endpoints: 100, seconds: SECONDS, requestsPerPoint: 14, firstSecond: FIRST_SECOND };
const seconds = densePoints(shape);
const first = await openSqliteStore(file, { now: Date.now });
await importRun(first, 0, seconds);
await first.points.downsample("nightly-0");
await first.close();
// Its blocks of seconds are still there: they are deleted after two minutes.
const bytesOfFirst = statSync(file).size;
const within = { firstSecond: FIRST_SECOND, lastSecond: FIRST_SECOND + SECONDS - 1 };
const minutes = downsample(seconds, { windowSeconds: MINUTE_SECONDS, ...within });
const store = await openSqliteStore(file, { now: Date.now });
for (let run = 1; run < Number(runs); run++) await importRun(store, run, later(minutes, run));
await store.close();
const bytesPerRun = (statSync(file).size - bytesOfFirst) / (Number(runs) - 1);
// The first one reads all runs, the others what it has stored.
const times = [1, 2, 3].map(() => {
  const began = performance.now();
  const words = ["trend", "nightly", "--last", "2000", "--data", folder];
  execFileSync(process.execPath, ["bin/tachograph.js", ...words]);
  return Math.round(performance.now() - began);
});
console.log(`in seconds: ${((bytesOfFirst - bytesPerRun) / 1e6).toFixed(2)} MB a run`);
console.log(`in minutes: ${(bytesPerRun / 1e6).toFixed(3)} MB a run`);
console.log(`${runs} runs: ${((bytesPerRun * Number(runs)) / 1e9).toFixed(2)} GB`);
console.log(`trend over all, first and then: ${times.join(", ")} ms`);
console.log(`load ${loadavg()[0]?.toFixed(1)}`);

async function importRun({ loadTests, points }: Store, run: number, data: DataPoints) {
  const loadTestId = `nightly-${run}`;
  const startedAtMs = 1000 * (FIRST_SECOND + run * DAY_SECONDS);
  await loadTests.create({ id: loadTestId, name: "nightly", createdAtMs: startedAtMs });
  const batch = { loadTestId, sourceId: "file", sequence: 0, labels: LABELS, points: data };
  await points.append({ ...batch, visibility: "staged" });
  const source = { loadTestId, sourceId: "file", name: "run.jtl", format: "jmeter-csv" };
  await points.publish({
    ...source,
    sizeBytes: 1,
    digest: `gmac:${String(run).padStart(32, "0")}`,
    quality: COMPLETE,
  });
}

function later(points: DataPoints, nights: number): DataPoints {
  return { ...points, second: points.second.map((each) => each + nights * DAY_SECONDS) };
}
