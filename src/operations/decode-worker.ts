/** The worker's end of `decode-in-worker.ts`: bytes in, points out. */

import { parentPort, workerData } from "node:worker_threads";
import { FORMATS } from "../decode/formats.ts";
import { formatNamed } from "../decode/detect.ts";
import type { DecodeOptions } from "../decode/decoder.ts";
import type { FailureKind } from "../model/failures.ts";
import type { Measured } from "../model/measured.ts";
import { type ErrorCode, UserError } from "../model/errors.ts";
import { DecodeRun, type DecodeSummary } from "./decode-points.ts";

export interface DecodeWorkerData {
  readonly formatName: string;
  readonly options: DecodeOptions;
}

/** The first `length` bytes of a buffer, or the end of the source. */
export type DecodeOrder =
  | { readonly buffer: Uint8Array<ArrayBuffer>; readonly length: number }
  | "end";

export type DecodeReply =
  | { readonly kind: "buffer"; readonly buffer: Uint8Array<ArrayBuffer> }
  | { readonly kind: "measured"; readonly measured: NewlyMeasured }
  | { readonly kind: "summary"; readonly summary: DecodeSummary }
  | { readonly kind: "refusal"; readonly code: ErrorCode; readonly message: string };

/** What was measured, with only those names that have not been sent before. */
export interface NewlyMeasured extends Pick<Measured, "points" | "roles"> {
  readonly newLabels: readonly string[];
  readonly newKinds: readonly FailureKind[];
  readonly newGenerators: readonly string[];
  readonly failures: Measured["failures"]["counts"];
  readonly users: Measured["users"]["counts"];
}

if (parentPort !== null) serveOrders(parentPort, workerData as DecodeWorkerData);

function serveOrders(port: NonNullable<typeof parentPort>, job: DecodeWorkerData): void {
  const run = new DecodeRun({
    format: formatNamed(job.formatName, FORMATS),
    options: job.options,
  });
  const newLabels = newcomers<string>();
  const newKinds = newcomers<FailureKind>();
  const newGenerators = newcomers<string>();
  const reply = (message: DecodeReply, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(message, transfer);
  const replyMeasured = (whole: Measured | undefined): void => {
    if (whole === undefined) return;
    const measured = {
      newLabels: newLabels(whole.labels),
      newKinds: newKinds(whole.failures.kinds),
      newGenerators: newGenerators(whole.users.generators),
      roles: whole.roles,
      points: whole.points,
      failures: whole.failures.counts,
      users: whole.users.counts,
    };
    const columns = [measured.points, measured.failures, measured.users].flatMap(buffersOf);
    reply({ kind: "measured", measured }, columns);
  };
  port.on("message", (order: DecodeOrder) => {
    try {
      if (order === "end") {
        const { measured, summary } = run.end();
        replyMeasured(measured);
        reply({ kind: "summary", summary });
      } else {
        replyMeasured(run.push(order.buffer.subarray(0, order.length)));
        reply({ kind: "buffer", buffer: order.buffer }, [order.buffer.buffer]);
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      reply({ kind: "refusal", code: error.code, message: error.message });
    }
  });
}

/** Answers the part of a growing table that it has not answered before. */
function newcomers<Name>(): (names: readonly Name[]) => readonly Name[] {
  let sent = 0;
  return (names) => {
    const added = names.slice(sent);
    sent = names.length;
    return added;
  };
}

/** The memory of all columns, which is handed over instead of copied. */
function buffersOf(columns: object): ArrayBuffer[] {
  const arrays = Object.values(columns).filter((column) => ArrayBuffer.isView(column));
  return [...new Set(arrays.map((column) => column.buffer as ArrayBuffer))];
}
