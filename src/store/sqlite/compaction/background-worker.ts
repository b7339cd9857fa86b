/** The thread behind `background.ts`: it reads blocks and merges them, and brings the log into the file. */

import { parentPort, workerData } from "node:worker_threads";
import { type ErrorCode, UserError } from "../../../model/errors.ts";
import { type EncodedBlock, openBlockRows } from "../blocks/block-rows.ts";
import { openCheckpointer, openReader } from "../file/connection.ts";
import { mergeChunks } from "./merge-chunks.ts";
import { readSegments } from "../blocks/segment-cache.ts";
import type { CompactionPlan } from "./compaction-plan.ts";
import { translated } from "../file/sql-error.ts";

/** Each order gets one reply, in their order. */
export type BackgroundOrder =
  /** Begins a merge in the place of an earlier one. The reply is its first chunk. */
  | { readonly kind: "merge"; readonly plan: CompactionPlan }
  | { readonly kind: "next-chunk" }
  | { readonly kind: "checkpoint" };

export type BackgroundReply =
  | { readonly kind: "chunk"; readonly blocks: readonly EncodedBlock[] }
  | { readonly kind: "end" }
  | { readonly kind: "refusal"; readonly code: ErrorCode; readonly message: string };

/** While it works, more is written: a second time brings what came during the first. */
const CHECKPOINTS = 2;

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
    if (order.kind === "merge") merging = mergeChunks(order.plan, (row) => readSegments(rows, row));
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

/** What it works with. Opened with the first order, whose reply tells why that is not possible. */
function openParts(path: string) {
  const reader = openReader(path);
  const rows = translated(reader, openBlockRows(reader));
  const checkpoint = openCheckpointer(path).prepare("PRAGMA wal_checkpoint(PASSIVE)");
  return { rows, checkpointing: translated(reader, { run: () => checkpoint.get() }) };
}

/** Nothing waits for a turn in this thread. */
function nextChunk(chunks: ReturnType<typeof mergeChunks> | undefined) {
  for (;;) {
    const { done = true, value } = chunks?.next() ?? {};
    if (done || value !== undefined) return value ?? undefined;
  }
}
