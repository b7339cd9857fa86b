import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const VERSION = "0.8.0";
const SCRIPT = path.join(import.meta.dirname, "trend-otava.py");
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Returns the indexes of Apache Otava's changes for each series. Installs it into a temporary folder, or uses
 * the Python of `TACHOGRAPH_OTAVA_PYTHON`. Throws if neither works.
 */
export function runOtava(series: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const given = process.env["TACHOGRAPH_OTAVA_PYTHON"];
  if (given !== undefined) return changesBy(given, series);
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-otava-"));
  try {
    run("python3", ["-m", "venv", folder]);
    const python = path.join(folder, "bin/python");
    run(python, ["-m", "pip", "install", "--quiet", `apache-otava==${VERSION}`]);
    return changesBy(python, series);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function changesBy(python: string, series: readonly (readonly number[])[]) {
  return JSON.parse(run(python, [SCRIPT], JSON.stringify(series))) as number[][];
}

function run(command: string, words: readonly string[], input = ""): string {
  const { status, stdout, stderr, error } = spawnSync(command, words, {
    input,
    encoding: "utf8",
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  if (status === 0) return stdout;
  throw new Error(`${command} ${words.join(" ")}: ${error?.message ?? stderr}`);
}
