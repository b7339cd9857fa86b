/** Worker thread of `background.ts`: reads and merges blocks, and runs checkpoints. */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { Mutex } from "../../../concurrency/mutex.ts";
import { Yielder } from "../../../concurrency/yielder.ts";
import { type ErrorCode, UserError } from "../../../model/errors.ts";
import { type BlockRow, type EncodedBlock, openBlockRows } from "../blocks/block-rows.ts";
import { openCheckpointer, openReader } from "../file/connection.ts";
import { mergeChunks } from "./merge-chunks.ts";
import { readSegments } from "../blocks/segment-cache.ts";
import type { CompactionPlan } from "./compaction-plan.ts";
import { translated } from "../file/sql-error.ts";
import { readTotals, type TotalsRequest } from "./run-totals.ts";

/** Points of all endpoints are sent through the port, then whether they could be read. */
export interface BackgroundQuestion {
  readonly request: TotalsRequest;
  readonly port: MessagePort;
}

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
  const answer = async (order: BackgroundOrder): Promise<BackgroundReply> => {
    opened ??= openParts(path);
    const { rows, checkpointing } = opened;
    if (order.kind === "checkpoint") {
      for (let times = 0; times < CHECKPOINTS; times++) checkpointing.run();
      return { kind: "end" };
    }
    if (order.kind === "merge") {
      const segmentsOf = (row: BlockRow) => readSegments(rows, row);
      merging = mergeChunks({ ...order.plan, segmentsOf, stepRows: STEP_ROWS });
    }
    const blocks = await nextChunk(merging);
    return blocks === undefined ? { kind: "end" } : { kind: "chunk", blocks };
  };
  const reply = async (order: BackgroundOrder): Promise<void> => {
    const replied = await answer(order).catch((error: unknown): BackgroundReply => {
      if (!(error instanceof UserError)) throw error;
      return { kind: "refusal", code: error.code, message: error.message };
    });
    port.postMessage(replied);
  };
  let replied = Promise.resolve();
  const reading = new Mutex();
  const answerQuestion = async ({ request, port: asker }: BackgroundQuestion): Promise<void> => {
    try {
      const { rows } = (opened ??= openParts(path));
      const totals = await reading.run(() => readTotals(rows, request));
      for (const points of totals.all()) asker.postMessage(points, []);
      asker.postMessage(true, []);
    } catch {
      // Whoever asked reads the points then, and reports what is wrong.
      asker.postMessage(false, []);
    }
  };
  port.on("message", (message: BackgroundOrder | BackgroundQuestion) => {
    if ("request" in message) void answerQuestion(message);
    else replied = replied.then(() => reply(message));
  });
}

/** Connection of the worker. The first command opens it and reports errors. */
function openParts(path: string) {
  const reader = openReader(path);
  const rows = translated(reader, openBlockRows(reader));
  const checkpoint = openCheckpointer(path).prepare("PRAGMA wal_checkpoint(PASSIVE)");
  return { rows, checkpointing: translated(reader, { run: () => checkpoint.get() }) };
}

/** Yields, so that questions for totals wait little. */
async function nextChunk(chunks: ReturnType<typeof mergeChunks> | undefined) {
  const yielder = new Yielder();
  for (;;) {
    const { done = true, value } = chunks?.next() ?? {};
    if (done || value !== undefined) return value ?? undefined;
    await yielder.pass();
  }
}
