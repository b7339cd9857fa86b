import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

const YOUNG_BYTES_MAX = 16 * 1024 * 1024;

let observer: PerformanceObserver | undefined;

/**
 * Keeps the young generation of this thread at about 16 MB. V8 grows it to 128 MB under a steady load
 * and has no limit that a running process can set, but it only grows while the growth factor is above 1.
 * The factor returns to 2 when V8 has shrunk it, as in an idle process. Further calls change nothing.
 */
export function limitYoungGeneration(): void {
  if (observer !== undefined) return;
  let isLimited = false;
  const adjust = (): void => {
    const isLarge = youngBytes() >= YOUNG_BYTES_MAX;
    if (isLarge === isLimited) return;
    isLimited = isLarge;
    setFlagsFromString(`--semi-space-growth-factor=${isLarge ? 1 : 2}`);
  };
  observer = new PerformanceObserver(adjust);
  observer.observe({ entryTypes: ["gc"] });
}

/** Bytes reserved for the young generation of this thread. */
export function youngBytes(): number {
  const spaces = getHeapSpaceStatistics();
  return spaces.find((space) => space.space_name === "new_space")?.space_size ?? 0;
}
