/** Worker thread of `background.ts`: reads and merges blocks, and runs checkpoints. */

import { parentPort, workerData } from "node:worker_threads";
import { type ErrorCode, UserError } from "../../../model/errors.ts";
import { type BlockRow, type EncodedBlock, openBlockRows } from "../blocks/block-rows.ts";
import { openCheckpointer, openReader } from "../file/connection.ts";
import { mergeChunks } from "./merge-chunks.ts";
import { readSegments } from "../blocks/segment-cache.ts";
import type { CompactionPlan } from "./compaction-plan.ts";
import { translated } from "../file/sql-error.ts";

/** Sends one reply per command, in order. */
export type BackgroundOrder =
  /** Starts a merge and replaces an earlier one. Replies with its first chunk. */
  | { readonly kind: "merge"; readonly plan: CompactionPlan }
  | { readonly kind: "next-chunk" }
  | { readonly kind: "checkpoint" };

export type BackgroundReply =
  | { readonly kind: "chunk"; readonly blocks: readonly EncodedBlock[] }
  | { readonly kind: "end" }
  | { readonly kind: "refusal"; readonly code: ErrorCode; readonly message: string };

/** The second checkpoint covers what was written during the first one. */
const CHECKPOINTS = 2;

/** Of 128 live blocks, a section of 128 points of each: it is decoded and merged at once. */
const STEP_ROWS = 16_384;

if (parentPort !== null) serveOrders(parentPort, workerData as string);

function serveOrders(port: NonNullable<typeof parentPort>, path: string): void {
  let opened: ReturnType<typeof openParts> | undefined;
  let merging: ReturnType<typeof mergeChunks> | undefined;
  const answer = (order: BackgroundOrder): BackgroundReply => {
    opened ??= openParts(path);
    const { rows, checkpointing } = opened;
    if (order.kind === "checkpoint") {
      for (let times = 0; times < CHECKPOINTS; times++) checkpointing.run();
      return { kind: "end" };
    }
    if (order.kind === "merge") {
      const segmentsOf = (row: BlockRow) => readSegments(rows, row);
      merging = mergeChunks({ ...order.plan, segmentsOf, stepRows: STEP_ROWS, hasTotals: true });
    }
    const blocks = nextChunk(merging);
    return blocks === undefined ? { kind: "end" } : { kind: "chunk", blocks };
  };
  port.on("message", (order: BackgroundOrder) => {
    try {
      port.postMessage(answer(order));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const { code, message } = error;
      port.postMessage({ kind: "refusal", code, message } satisfies BackgroundReply);
    }
  });
}

/** Connection of the worker. The first command opens it and reports errors. */
function openParts(path: string) {
  const reader = openReader(path);
  const rows = translated(reader, openBlockRows(reader));
  const checkpoint = openCheckpointer(path).prepare("PRAGMA wal_checkpoint(PASSIVE)");
  return { rows, checkpointing: translated(reader, { run: () => checkpoint.get() }) };
}

/** Nothing else runs in this thread, so it need not yield. */
function nextChunk(chunks: ReturnType<typeof mergeChunks> | undefined) {
  for (;;) {
    const { done = true, value } = chunks?.next() ?? {};
    if (done || value !== undefined) return value ?? undefined;
  }
}
