/** Trades time for memory during imports with very many labels. */

import { setFlagsFromString } from "node:v8";
import type { DecodeFile, DecodePoints, TakeBatch } from "./decode-points.ts";

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
