import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";

let known: string | undefined;

/** Environment in which a process has another wall-clock time, such as `+10y`; its timers stay right. Requires `faketime`. */
export function clockAt(jump: string): Readonly<Record<string, string>> {
  known ??= findLibrary();
  return { LD_PRELOAD: known, FAKETIME: jump, DONT_FAKE_MONOTONIC: "1" };
}

/** The same with a time that the first line of a file says, such as `+3600`, and that changes with it. */
export function clockIn(file: string): Readonly<Record<string, string>> {
  const { FAKETIME: _, ...others } = clockAt("+0");
  return { ...others, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: "1" };
}

function findLibrary(): string {
  const words = ["-m", "-f", "+0", "env"];
  const lines = execFileSync("faketime", words, { encoding: "utf8" }).split("\n");
  const preload = lines.find((line) => line.startsWith("LD_PRELOAD="));
  assert.ok(preload !== undefined, "faketime sets LD_PRELOAD");
  return preload.slice("LD_PRELOAD=".length);
}

/** Removes what a killed process with such a clock leaves: the next one with its number would not start. */
export function removeClock(processId: number | undefined): void {
  for (const name of [`faketime_shm_${processId}`, `sem.faketime_sem_${processId}`])
    rmSync(`/dev/shm/${name}`, { force: true });
}
