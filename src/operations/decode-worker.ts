/** The worker's end of `decode-in-worker.ts`: bytes in, points out. */

import { parentPort, workerData } from "node:worker_threads";
import { FORMATS } from "../decode/formats.ts";
import { formatNamed } from "../decode/detect.ts";
import type { DataPoints } from "../model/data-points.ts";
import { type ErrorCode, UserError } from "../model/errors.ts";
import { DecodeRun, type DecodeSummary } from "./decode-points.ts";

export interface DecodeWorkerData {
  readonly formatName: string;
  readonly timeZone: string;
}

/** The first `length` bytes of a buffer, or the end of the source. */
export type DecodeOrder =
  | { readonly buffer: Uint8Array<ArrayBuffer>; readonly length: number }
  | "end";

export type DecodeReply =
  | { readonly kind: "buffer"; readonly buffer: Uint8Array<ArrayBuffer> }
  | { readonly kind: "points"; readonly newLabels: readonly string[]; readonly points: DataPoints }
  | { readonly kind: "summary"; readonly summary: DecodeSummary }
  | { readonly kind: "refusal"; readonly code: ErrorCode; readonly message: string };

if (parentPort !== null) serveOrders(parentPort, workerData as DecodeWorkerData);

function serveOrders(port: NonNullable<typeof parentPort>, job: DecodeWorkerData): void {
  const run = new DecodeRun({
    format: formatNamed(job.formatName, FORMATS),
    timeZone: job.timeZone,
  });
  let sentLabels = 0;
  const reply = (message: DecodeReply, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(message, transfer);
  const replyPoints = (points: DataPoints | undefined): void => {
    if (points === undefined) return;
    const newLabels = run.labels.slice(sentLabels);
    sentLabels = run.labels.length;
    reply({ kind: "points", newLabels, points }, buffersOf(points));
  };
  port.on("message", (order: DecodeOrder) => {
    try {
      if (order === "end") {
        const { points, summary } = run.end();
        replyPoints(points);
        reply({ kind: "summary", summary });
      } else {
        replyPoints(run.push(order.buffer.subarray(0, order.length)));
        reply({ kind: "buffer", buffer: order.buffer }, [order.buffer.buffer]);
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      reply({ kind: "refusal", code: error.code, message: error.message });
    }
  });
}

/** The memory of all columns, which is handed over instead of copied. */
function buffersOf(points: DataPoints): ArrayBuffer[] {
  const columns = Object.values(points) as (DataPoints["second"] | DataPoints["requests"])[];
  return [...new Set(columns.map((column) => column.buffer as ArrayBuffer))];
}
