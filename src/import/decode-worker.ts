/**
 * The worker's end of `decode-in-worker.ts`: receives bytes and sends points.
 */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { FORMATS } from "../decode/formats.ts";
import { formatNamed } from "../decode/detect.ts";
import type { DecodeOptions } from "../decode/decoder.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import { type ErrorCode, UserError } from "../model/errors.ts";
import type { FailureKind } from "../model/failures.ts";
import { factsOf, type PointFacts } from "../model/point-facts.ts";
import { DecodeRun, type DecodeSummary } from "./decode-points.ts";

export interface DecodeWorkerData {
  readonly formatName: string;
  readonly options: DecodeOptions;
  readonly pointsMax: number | undefined;
  /** Number of batches taken, in shared memory. */
  readonly taken: Int32Array;
}

/** The first `length` bytes of a buffer, or the end of the source. */
export type DecodeOrder =
  | { readonly buffer: Uint8Array<ArrayBuffer>; readonly length: number }
  | "end";

export type DecodeReply =
  | { readonly kind: "buffer"; readonly buffer: Uint8Array<ArrayBuffer> }
  | { readonly kind: "measured"; readonly measured: MeasurementDelta }
  | { readonly kind: "summary"; readonly summary: DecodeSummary }
  | { readonly kind: "refusal"; readonly code: ErrorCode; readonly message: string };

/** Measurements, with only the names that have not been sent before. */
interface MeasurementDelta extends Pick<
  MeasurementBatch,
  "points" | "roles" | "reported" | "measures" | "samples"
> {
  readonly newLabels: readonly string[];
  readonly newKinds: readonly FailureKind[];
  readonly newGenerators: readonly string[];
  readonly facts: PointFacts;
  readonly failures: MeasurementBatch["failures"]["counts"];
  readonly users: MeasurementBatch["users"]["counts"];
}

if (parentPort !== null) serve(parentPort, workerData as DecodeWorkerData);

function serve(
  port: MessagePort,
  { formatName, options, pointsMax, taken }: DecodeWorkerData,
): void {
  const run = new DecodeRun({ format: formatNamed(formatName, FORMATS), options, pointsMax });
  const send = (reply: DecodeReply, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(reply, transfer);
  const [newLabels, newKinds] = [newcomers<string>(), newcomers<FailureKind>()];
  const newGenerators = newcomers<string>();
  let sent = 0;

  /** Returns when all batches before this one were taken: meanwhile, this thread has nothing else to do. */
  function sendBatch({ points, failures, users, labels, ...others }: MeasurementBatch): void {
    const { roles, reported, measures, samples } = others;
    const measured = {
      newLabels: newLabels(labels),
      newKinds: newKinds(failures.kinds),
      newGenerators: newGenerators(users.generators),
      facts: factsOf(points),
      failures: failures.counts,
      users: users.counts,
      points,
      roles,
      reported,
      measures,
      samples,
    };
    const { outcomes } = points;
    const ofOutcomes = outcomes ? [outcomes, outcomes.failed] : [];
    const ofMeasures = measures ? [measures.sums, measures.gauges, measures.histograms] : [];
    const columns = [points, failures.counts, users.counts, reported ?? {}];
    const transfer = [...columns, ...ofOutcomes, ...ofMeasures].flatMap(buffersOf);
    send({ kind: "measured", measured }, transfer);
    for (let now = Atomics.load(taken, 0); now < sent; now = Atomics.load(taken, 0)) {
      Atomics.wait(taken, 0, now);
    }
    sent += 1;
  }

  async function obey(order: DecodeOrder): Promise<void> {
    if (order === "end") {
      send({ kind: "summary", summary: await run.end(sendBatch) });
      return;
    }
    const measured = run.push(order.buffer.subarray(0, order.length));
    send({ kind: "buffer", buffer: order.buffer }, [order.buffer.buffer]);
    if (measured === undefined) return;
    sendBatch(measured);
    // They belong to the receiver from now on.
    run.forgetLabels();
  }
  port.on("message", (order: DecodeOrder) => {
    obey(order).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      send({ kind: "refusal", code: error.code, message: error.message });
    });
  });
}

/** Returns the part of a growing table that it has not returned before. */
function newcomers<Name>(): (names: readonly Name[]) => readonly Name[] {
  let sent = 0;
  return (names) => {
    const added = names.slice(sent);
    sent = names.length;
    return added;
  };
}

function buffersOf(columns: object): ArrayBuffer[] {
  const arrays = Object.values(columns).filter((column) => ArrayBuffer.isView(column));
  return [...new Set(arrays.map((column) => column.buffer as ArrayBuffer))];
}
