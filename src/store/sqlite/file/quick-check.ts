/** Checks the structure of a large file for damage, in a separate thread. */

import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { UserError } from "../../../model/errors.ts";
import type { QuickCheckReply } from "./quick-check-worker.ts";

/** Checking smaller files takes no longer than starting a thread. */
const BESIDE_BYTES_MIN = 16 * 1024 ** 2;

/** Larger files are left to `verify`: a gibibyte takes about a second. */
export const QUICK_CHECK_BYTES_MAX = 1024 ** 3;

export interface QuickCheck {
  /** Rejects with `damaged-store`, or why the thread failed. Never settles once given up. */
  readonly isWhole: Promise<void>;
  giveUp(): Promise<unknown>;
}

/** Checks the file in the background; `undefined` if it is too small for a thread or larger than `bytesMax`. */
export function beginQuickCheck(
  path: string,
  bytesMax = QUICK_CHECK_BYTES_MAX,
): QuickCheck | undefined {
  const size = sizeOf(path);
  if (size < BESIDE_BYTES_MIN || size > bytesMax) return undefined;
  // The sources run unbuilt; the package contains compiled files.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const file = new URL(`quick-check-worker.${extension}`, import.meta.url);
  const worker = new Worker(file, { workerData: path });
  const isWhole = new Promise<void>((resolve, reject) => {
    worker.on("message", ({ refusal }: QuickCheckReply) => {
      if (refusal === undefined) resolve();
      else reject(new UserError(refusal.code, refusal.message));
    });
    worker.on("error", reject);
    worker.on("exit", () => reject(new Error(`the thread that checks ${path} has ended`)));
  });
  // A cancelled check is not awaited.
  isWhole.catch(() => undefined);
  return {
    isWhole,
    giveUp: () => worker.removeAllListeners().terminate(),
  };
}

/** 0 if unknown; opening the file reports why. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
