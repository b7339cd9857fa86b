/**
 * Measures the import of high-cardinality labels: a CSV file of k6 with a request in each row, to 100 URLs, to 1,000,000
 * and, folded, to 1,000,000, in turns; each import is a process and a store of its own.
 *
 *     npm run bench:urls [rounds]
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { runChild } from "./frame/child.ts";
import { dataFile } from "./frame/data-file.ts";
import { median } from "./frame/statistics.ts";
import { k6UrlPieces } from "./make-k6-urls.ts";

const REQUESTS = 3_000_000;
const FEW = 100;
const MANY = 1_000_000;
const MEGABYTE = 1_000_000;

const rounds = Number(process.argv[2] ?? 5);
const program = path.join(import.meta.dirname, "../bin/tachograph.js");
const cache = process.env["TACHOGRAPH_BENCH_CACHE"] ?? path.join(import.meta.dirname, ".cache");
const dataFolder = path.join(cache, "data");
mkdirSync(dataFolder, { recursive: true });
const few = await urlFile(FEW);
const many = await urlFile(MANY);
const runs = [
  { name: `${FEW} URLs`, file: few, flags: [] },
  { name: `${MANY} URLs`, file: many, flags: [] },
  { name: `${MANY} URLs, --group-urls`, file: many, flags: ["--group-urls"] },
].map((run) => ({ ...run, seconds: [] as number[], residentBytes: [] as number[] }));

for (let round = 0; round < rounds; round++) {
  for (const run of runs) {
    const data = mkdtempSync(path.join(tmpdir(), "tachograph-urls-bench-"));
    try {
      const words = [program, "import", "--data", data, "--labels-max", `${MANY}`, ...run.flags];
      const ended = await runChild({ program: process.execPath, words: [...words, run.file] });
      run.seconds.push(ended.seconds);
      run.residentBytes.push(ended.residentBytes);
    } finally {
      rmSync(data, { recursive: true });
    }
  }
}

const base = median(runs[0]?.seconds ?? []);
for (const { name, seconds, residentBytes } of runs) {
  const mid = median(seconds);
  const peak = Math.max(...residentBytes) / MEGABYTE;
  console.log(
    `${name.padEnd(30)} ${mid.toFixed(1)} s (${Math.min(...seconds).toFixed(1)} to ` +
      `${Math.max(...seconds).toFixed(1)}), x ${(mid / base).toFixed(2)}, ${peak.toFixed(0)} MB at most`,
  );
}
console.log(`${rounds} rounds, load average ${loadavg()[0]?.toFixed(1)}`);

function urlFile(urls: number): Promise<string> {
  const name = `k6-urls-1-${REQUESTS}-requests-${urls}-urls.csv`;
  const about = { dataFolder, log: (words: string) => console.error(words) };
  return dataFile(about, name, () => k6UrlPieces({ requests: REQUESTS, urls }));
}
