/**
 * The worker's end of `decode-in-worker.ts`: receives bytes and sends points.
 */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { FORMATS } from "../decode/formats.ts";
import { formatNamed } from "../decode/detect.ts";
import type { DecodeOptions } from "../decode/decoder.ts";
import { UserError } from "../model/errors.ts";
import { DecodeRun } from "./decode-points.ts";
import { Replies } from "./decode-replies.ts";

export interface DecodeWorkerData {
  readonly formatName: string;
  readonly options: DecodeOptions;
  readonly pointsMax: number | undefined;
  /** Number of messages taken, in shared memory. */
  readonly taken: Int32Array;
  /** Pending messages at which decoding stops. */
  readonly stretchesMax: number;
}

/** The first `length` bytes of a buffer. */
interface DecodeChunk {
  readonly buffer: Uint8Array<ArrayBuffer>;
  readonly length: number;
}

/** A part of the source, or its end. */
export type DecodeOrder = DecodeChunk | "end";

if (parentPort !== null) serve(parentPort, workerData as DecodeWorkerData);

function serve(port: MessagePort, job: DecodeWorkerData): void {
  const run = new DecodeRun({
    format: formatNamed(job.formatName, FORMATS),
    options: job.options,
    pointsMax: job.pointsMax,
  });
  const replies = new Replies(port);
  port.on("message", (order: DecodeOrder) => {
    void refusing(replies, async () => {
      if (order === "end") await endRun(run, replies, job);
      else decode(order, run, replies);
    });
  });
}

async function refusing(replies: Replies, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    replies.send({ kind: "refusal", code: error.code, message: error.message });
  }
}

function decode({ buffer, length }: DecodeChunk, run: DecodeRun, replies: Replies): void {
  const measured = run.push(buffer.subarray(0, length));
  if (measured !== undefined) {
    replies.sendBatch(measured);
    // They belong to the receiver from now on.
    run.forgetLabels();
  }
  replies.send({ kind: "buffer", buffer }, [buffer.buffer]);
}

async function endRun(
  run: DecodeRun,
  replies: Replies,
  { taken, stretchesMax }: DecodeWorkerData,
): Promise<void> {
  const summary = await run.end((measured) => {
    replies.sendBatch(measured);
    waitUntilTaken(replies.stretches - stretchesMax + 1, taken);
  });
  replies.send({ kind: "summary", summary });
}

/** Blocks this thread until this many messages were taken; it has nothing else to do. */
function waitUntilTaken(wanted: number, taken: Int32Array): void {
  for (;;) {
    const now = Atomics.load(taken, 0);
    if (now >= wanted) return;
    Atomics.wait(taken, 0, now);
  }
}
