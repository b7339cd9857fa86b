/**
 * How fast a result file becomes a durable load test, histograms included: the whole command as a
 * process of its own, from its start to its end, with the most memory it had.
 *
 *     npm run bench:import -- [rows] [rounds]
 */

import { spawnSync } from "node:child_process";
import { createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { jtlPieces } from "./make-jtl.ts";

const PROGRAM = path.join(import.meta.dirname, "../bin/tachograph.js");

/** Runs in the measured process: its last words are the most memory it had, in kilobytes. */
const LAST_WORDS =
  "data:text/javascript,process.on('exit',()=>process.stderr.write(`${process.resourceUsage().maxRSS}`))";

const rows = Number(process.argv[2] ?? 2_000_000);
const rounds = Number(process.argv[3] ?? 7);

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-bench-"));
try {
  const file = path.join(folder, "results.jtl");
  await pipeline(Readable.from(jtlPieces({ rows })), createWriteStream(file));
  const fileBytes = statSync(file).size;
  const measured = Array.from({ length: rounds }, (_, round) => importOnce(file, round));
  const seconds = median(measured.map((each) => each.seconds));
  const residentBytes = Math.max(...measured.map((each) => each.residentBytes));
  console.log(`${rows} rows, ${(fileBytes / 1e6).toFixed(0)} MB, median of ${rounds}:`);
  console.log(`  ${seconds.toFixed(2)} s from start to end of the process`);
  console.log(
    `  ${(rows / seconds / 1e6).toFixed(2)} M rows/s, ${(fileBytes / seconds / 1e6).toFixed(0)} MB/s`,
  );
  console.log(`  ${(residentBytes / 1e6).toFixed(0)} MB resident at most`);
  console.log(`  ${(measured[0]?.storedBytes ?? 0) / 1e6} MB stored`);
} finally {
  rmSync(folder, { recursive: true });
}

interface Measured {
  readonly seconds: number;
  readonly residentBytes: number;
  readonly storedBytes: number;
}

function importOnce(file: string, round: number): Measured {
  const data = path.join(folder, `data-${round}`);
  const words = ["--import", LAST_WORDS, PROGRAM, "import", file, "--id", "run", "--data", data];
  const begin = performance.now();
  const { status, stderr } = spawnSync(process.execPath, words);
  const seconds = (performance.now() - begin) / 1000;
  if (status !== 0) throw new Error(`the import failed: ${stderr.toString()}`);
  const storedBytes = statSync(path.join(data, "tachograph.sqlite")).size;
  return { seconds, residentBytes: Number(stderr.toString()) * 1024, storedBytes };
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;
}
