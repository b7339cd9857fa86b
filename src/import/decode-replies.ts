import type { MessagePort } from "node:worker_threads";
import type { ErrorCode } from "../model/errors.ts";
import type { FailureKind } from "../model/failures.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import { factsOf, type PointFacts } from "../model/point-facts.ts";
import type { DecodeSummary } from "./decode-points.ts";

/** Messages from a decoding thread. */
export type DecodeReply =
  | { readonly kind: "buffer"; readonly buffer: Uint8Array<ArrayBuffer> }
  | { readonly kind: "measured"; readonly measured: MeasurementDelta }
  | { readonly kind: "summary"; readonly summary: DecodeSummary }
  | { readonly kind: "refusal"; readonly code: ErrorCode; readonly message: string };

/** Measurements, with only the names that have not been sent before. */
export interface MeasurementDelta extends Pick<
  MeasurementBatch,
  "points" | "roles" | "reported" | "measures"
> {
  readonly newLabels: readonly string[];
  readonly newKinds: readonly FailureKind[];
  readonly newGenerators: readonly string[];
  readonly facts: PointFacts;
  readonly failures: MeasurementBatch["failures"]["counts"];
  readonly users: MeasurementBatch["users"]["counts"];
}

/** Sends measurements, with only new names. */
export class Replies {
  /** Number of messages with points sent. */
  stretches = 0;
  readonly #port: MessagePort;
  readonly #newLabels = newcomers<string>();
  readonly #newKinds = newcomers<FailureKind>();
  readonly #newGenerators = newcomers<string>();

  constructor(port: MessagePort) {
    this.#port = port;
  }

  send(message: DecodeReply, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  sendBatch(whole: MeasurementBatch): void {
    const measured = {
      newLabels: this.#newLabels(whole.labels),
      newKinds: this.#newKinds(whole.failures.kinds),
      newGenerators: this.#newGenerators(whole.users.generators),
      roles: whole.roles,
      points: whole.points,
      facts: factsOf(whole.points),
      failures: whole.failures.counts,
      users: whole.users.counts,
      reported: whole.reported,
      measures: whole.measures,
    };
    const { points, failures, users, reported = {}, measures } = measured;
    const { outcomes } = points;
    const ofOutcomes = outcomes ? [outcomes, outcomes.failed] : [];
    const ofMeasures = measures ? [measures.sums, measures.gauges, measures.histograms] : [];
    const all = [points, ...ofOutcomes, failures, users, reported, ...ofMeasures];
    const columns = all.flatMap(buffersOf);
    this.send({ kind: "measured", measured }, columns);
    this.stretches += 1;
  }
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

/** Returns the buffers of all columns, which are transferred instead of copied. */
function buffersOf(columns: object): ArrayBuffer[] {
  const arrays = Object.values(columns).filter((column) => ArrayBuffer.isView(column));
  return [...new Set(arrays.map((column) => column.buffer as ArrayBuffer))];
}
