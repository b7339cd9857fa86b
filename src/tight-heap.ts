/** Where labels without end are imported, memory is worth more than time. */

import { setFlagsFromString } from "node:v8";
import type { DecodeFile, DecodePoints, TakeBatch } from "./import/decode-points.ts";

/** Labels of a source that are very many. */
export const LABELS_MANY = 32 * 1024;

/**
 * Labels live until the end. V8 takes that for a reason to let the room for what is young grow to
 * 128 MB, and waits until as much again as is in use, and more, is to be collected. So they hold
 * for all of the process, from then on: that room stays as it is, and half as much is collected.
 */
export const TIGHT_FLAGS = ["--semi-space-growth-factor=1", "--heap-growing-percent=50"] as const;

/** How sources and files are decoded. */
export interface Decoding {
  readonly decodePoints: DecodePoints;
  readonly decodeFile: DecodeFile;
}

/** Decodes in the same ways, in a heap that is tight once a source has very many labels. */
export function inTightHeap(
  { decodePoints, decodeFile }: Decoding,
  setFlag: (flag: string) => void = setFlagsFromString,
): Decoding {
  const tightening = (take: TakeBatch): TakeBatch => {
    let isTight = false;
    return (measured) => {
      if (!isTight && measured.labels.length >= LABELS_MANY) {
        isTight = true;
        for (const flag of TIGHT_FLAGS) setFlag(flag);
      }
      return take(measured);
    };
  };
  return {
    decodePoints: (bytes, job, take) => decodePoints(bytes, job, tightening(take)),
    decodeFile: (file, job, take) => decodeFile(file, job, tightening(take)),
  };
}
