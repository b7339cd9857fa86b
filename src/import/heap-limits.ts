import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import type { DecodeFile, DecodePoints, TakeBatch } from "./decode-points.ts";

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

/**
 * V8 lets a small heap grow to four times what is alive before it collects: in a server, 100 MB more after six minutes of mixed requests.
 * With this flag, to twice that.
 */
export const SERVER_FLAG = "--heap-growing-percent=100";

/** Keeps the heap of a server small, in all its threads. */
export function limitServerHeap(): void {
  limitYoungGeneration();
  setFlagsFromString(SERVER_FLAG);
}

/** From this number of labels per source, the heap is kept tight. */
export const LABELS_MANY = 32 * 1024;

/** Labels live until an import ends, so V8 lets the heap double before it collects: this flag halves the factor, for the rest of the process. */
export const TIGHT_FLAG = "--heap-growing-percent=50";

export interface Decoding {
  readonly decodePoints: DecodePoints;
  readonly decodeFile: DecodeFile;
}

/** The same decoders, with a tight heap once a source has very many labels. */
export function inTightHeap(
  { decodePoints, decodeFile }: Decoding,
  setFlag: (flag: string) => void = setFlagsFromString,
): Decoding {
  const tightening = (take: TakeBatch): TakeBatch => {
    let isTight = false;
    return (measured) => {
      if (!isTight && measured.labels.length >= LABELS_MANY) {
        isTight = true;
        setFlag(TIGHT_FLAG);
      }
      return take(measured);
    };
  };
  return {
    decodePoints: (bytes, job, take) => decodePoints(bytes, job, tightening(take)),
    decodeFile: (file, job, take) => decodeFile(file, job, tightening(take)),
  };
}
