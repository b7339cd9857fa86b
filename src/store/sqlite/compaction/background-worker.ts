/** Worker thread of `background.ts`: reads and merges blocks, and runs checkpoints. */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { Yielder } from "../../../concurrency/yielder.ts";
import { type ErrorCode, UserError } from "../../../model/errors.ts";
import { type BlockRow, type EncodedBlock, openBlockRows } from "../blocks/block-rows.ts";
import { openCheckpointer, openReader } from "../file/connection.ts";
import { mergeChunks } from "./merge-chunks.ts";
import { readSegments } from "../blocks/segment-cache.ts";
import type { CompactionPlan } from "./compaction-plan.ts";
import { translated } from "../file/sql-error.ts";
import { bytesOnTheWay, type Change } from "../../totals.ts";
import { RunTotals, type TotalsRequest } from "./run-totals.ts";

export interface BackgroundData {
  readonly path: string;
  /** Bytes of points that are on their way to the thread. */
  readonly waitingBytes: Int32Array<SharedArrayBuffer>;
}

/** Gets no reply. Notes of changes and questions for totals are handled in the order they were sent. */
export type BackgroundNote =
  | { readonly kind: "changes"; readonly changes: readonly Change[] }
  /** Points of all endpoints are sent through the port, then whether they are exact. */
  | { readonly kind: "totals"; readonly request: TotalsRequest; readonly port: MessagePort };

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

if (parentPort !== null) serveOrders(parentPort, workerData as BackgroundData);

function serveOrders(
  port: NonNullable<typeof parentPort>,
  { path, waitingBytes }: BackgroundData,
): void {
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
  const takeChanges = (changes: readonly Change[]): void => {
    for (const { points } of changes) {
      if (points !== undefined) Atomics.sub(waitingBytes, 0, bytesOnTheWay(points));
    }
    opened?.totals.note(changes);
  };
  let replied = Promise.resolve();
  port.on("message", (message: BackgroundOrder | BackgroundNote) => {
    if (message.kind !== "changes" && message.kind !== "totals") {
      replied = replied.then(() => reply(message));
      return;
    }
    try {
      opened ??= openParts(path);
    } catch {
      // The next order reports it; totals that are not known are read from the store.
    }
    if (message.kind === "changes") takeChanges(message.changes);
    else void answerTotals(opened?.totals, message);
  });
}

async function answerTotals(
  totals: RunTotals | undefined,
  { request, port }: Extract<BackgroundNote, { kind: "totals" }>,
): Promise<void> {
  const isExact = await totals?.answer(request, (points) => port.postMessage(points));
  port.postMessage(isExact ?? false);
}

/** Connection of the worker. The first command opens it and reports errors. */
function openParts(path: string) {
  const reader = openReader(path);
  const rows = translated(reader, openBlockRows(reader));
  const checkpoint = openCheckpointer(path).prepare("PRAGMA wal_checkpoint(PASSIVE)");
  const totals = new RunTotals(rows);
  return { rows, totals, checkpointing: translated(reader, { run: () => checkpoint.get() }) };
}

/** Yields, so that changes and questions for totals wait little. */
async function nextChunk(chunks: ReturnType<typeof mergeChunks> | undefined) {
  const yielder = new Yielder();
  for (;;) {
    const { done = true, value } = chunks?.next() ?? {};
    if (done || value !== undefined) return value ?? undefined;
    await yielder.pass();
  }
}
