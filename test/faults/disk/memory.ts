import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const KIBIBYTE = 1024;
const LOOK_EACH_MS = 50;

/** Peak resident memory of a running process, in mebibytes; `undefined` once it has ended. */
export function peakMebibytes(processId: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${processId}/status`, "utf8");
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    return kibibytes === undefined ? undefined : Math.ceil(Number(kibibytes) / KIBIBYTE);
  } catch {
    return undefined;
  }
}

/** The same for a process that exits by itself, polled until then. */
export async function peakUntilEnded(processId: number): Promise<number> {
  let most = 0;
  for (;;) {
    const peak = peakMebibytes(processId);
    if (peak === undefined) return most;
    most = Math.max(most, peak);
    await delay(LOOK_EACH_MS);
  }
}
