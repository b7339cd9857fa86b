/** The look for damage in the structure of a large file, in a thread of its own. */

import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { UserError } from "../../../model/errors.ts";
import type { QuickCheckReply } from "./quick-check-worker.ts";

/** To look through less takes no longer than to start a thread for it. */
const BESIDE_BYTES_MIN = 16 * 1024 ** 2;

interface QuickCheck {
  /** Throws `damaged-store`. To be waited for, or given up. */
  readonly isWhole: Promise<void>;
  giveUp(): Promise<unknown>;
}

/**
 * Begins to look through the file, so that the caller can do something else meanwhile; `undefined` where
 * that is not worth a thread, or the file is larger than `bytesMax`.
 */
export function beginQuickCheck(path: string, bytesMax: number): QuickCheck | undefined {
  const size = sizeOf(path);
  if (size < BESIDE_BYTES_MIN || size > bytesMax) return undefined;
  // The sources run as they are, the package has them compiled.
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
  // Who gives up does not wait for it.
  isWhole.catch(() => undefined);
  return { isWhole, giveUp: () => worker.terminate() };
}

/** 0 where it cannot be told: why, is told by who opens the file. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
