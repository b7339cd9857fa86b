import assert from "node:assert/strict";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { jtlPieces } from "../../../bench/make-jtl.ts";
import { startTachograph } from "../../support/run-tachograph.ts";
import { peakUntilEnded } from "../disk/memory.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const MEBIBYTE = 1024 ** 2;
const ROWS_EACH_MEBIBYTE = 5000;
const RESIDENT_MEBIBYTES_MAX = 512;

export const largeImport: Fault = {
  id: "C13b",
  title:
    "A file of many megabytes (its rounds) is imported within 512 MB of memory, every row of it.",
  rounds: { fast: 100, nightly: 1000, release: 5120 },

  async run({ rounds: mebibytes, folder }: FaultContext): Promise<FaultFigures> {
    const file = path.join(folder, "large.jtl");
    const { rows, bytes } = writeFile(file, mebibytes);
    const words = ["import", file, "--json", "--data", path.join(folder, "data")];
    const importing = startTachograph(words);
    const peak = await peakUntilEnded(importing.process.pid ?? 0);
    const { exitCode, out, error } = await importing.outcome;
    rmSync(file);
    assert.equal(exitCode, 0, error);
    const { samples } = JSON.parse(out) as { samples: unknown };
    assert.deepEqual(samples, { read: rows, recorded: rows, rejected: 0 });
    assert.ok(peak <= RESIDENT_MEBIBYTES_MAX, `${peak} MiB of memory`);
    return { "MiB of file": Math.round(bytes / MEBIBYTE), rows, "MiB of memory at most": peak };
  },
};

/** Writes a JMeter file of this size in complete rows; its duration grows with the size. */
function writeFile(file: string, mebibytes: number): { rows: number; bytes: number } {
  const rows = mebibytes * ROWS_EACH_MEBIBYTE;
  const descriptor = openSync(file, "w");
  let bytes = 0;
  try {
    for (const piece of jtlPieces({ rows })) bytes += writeSync(descriptor, piece);
  } finally {
    closeSync(descriptor);
  }
  return { rows, bytes };
}
