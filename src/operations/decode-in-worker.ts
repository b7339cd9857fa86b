import { Worker } from "node:worker_threads";
import { UserError } from "../model/errors.ts";
import type { DecodePoints, DecodeSummary, TakeMeasured } from "./decode-points.ts";
import type { FailureKind } from "../model/failures.ts";
import type { DecodeOrder, DecodeReply, DecodeWorkerData, NewlyMeasured } from "./decode-worker.ts";

/** Size and number of the buffers that carry bytes to the worker and come back empty. */
const BUFFER_BYTES = 512 * 1024;
const BUFFERS = 8;

/** Stretches of points that may wait to be taken before the worker gets no more bytes. */
const STRETCHES_MAX = 2;

/**
 * Decodes in a thread of its own, so that decoding and storing go on side by side and this thread's
 * event loop stays free. Starting the thread takes some 40 ms: worth it from a few megabytes on.
 */
export const decodePointsInWorker: DecodePoints = async (bytes, { format, options }, take) => {
  const workerData: DecodeWorkerData = { formatName: format.name, options };
  const worker = new DecodeThread(workerData, take);
  try {
    for await (const piece of bytes) {
      for (let at = 0; at < piece.length; at += BUFFER_BYTES) {
        await worker.send(piece.subarray(at, at + BUFFER_BYTES));
      }
    }
    return await worker.finish();
  } finally {
    await worker.terminate();
  }
};

/** Our end of the worker: buffers go out full and come back empty, points come in. */
class DecodeThread {
  readonly #worker: Worker;
  readonly #take: TakeMeasured;
  readonly #labels: string[] = [];
  readonly #kinds: FailureKind[] = [];
  readonly #generators: string[] = [];
  readonly #buffers = Array.from({ length: BUFFERS }, () => new Uint8Array(BUFFER_BYTES));
  #waitingStretches = 0;
  #taking: Promise<void> = Promise.resolve();
  #summary: DecodeSummary | undefined;
  #failure: unknown;
  #wake: () => void = () => undefined;

  constructor(workerData: DecodeWorkerData, take: TakeMeasured) {
    this.#take = take;
    // The sources run as they are, the package has them compiled.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    this.#worker = new Worker(new URL(`decode-worker.${extension}`, import.meta.url), {
      workerData,
    });
    this.#worker.on("message", (reply: DecodeReply) => this.#receive(reply));
    this.#worker.on("error", (error) => this.#fail(error));
  }

  /** Sends at most `BUFFER_BYTES`. Waits while the worker or the taking of points is behind. */
  async send(bytes: Uint8Array): Promise<void> {
    await this.#until(() => this.#buffers.length > 0 && this.#waitingStretches < STRETCHES_MAX);
    const buffer = this.#buffers.pop() as Uint8Array<ArrayBuffer>;
    buffer.set(bytes);
    this.#order({ buffer, length: bytes.length }, [buffer.buffer]);
  }

  /** Waits until everything is decoded and taken. */
  async finish(): Promise<DecodeSummary> {
    this.#order("end");
    await this.#until(() => this.#summary !== undefined);
    await this.#taking;
    await this.#until(() => true);
    return this.#summary as DecodeSummary;
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
    await this.#taking;
  }

  #order(order: DecodeOrder, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(order, transfer);
  }

  #receive(reply: DecodeReply): void {
    switch (reply.kind) {
      case "buffer":
        this.#buffers.push(reply.buffer);
        break;
      case "measured":
        this.#waitingStretches += 1;
        this.#taking = this.#taking.then(() => this.#takeMeasured(reply.measured));
        break;
      case "summary":
        this.#summary = reply.summary;
        break;
      case "refusal":
        this.#fail(new UserError(reply.code, reply.message));
        break;
      default:
        throw new Error(`BUG: unknown reply ${JSON.stringify(reply satisfies never)}`);
    }
    this.#wake();
  }

  /** Never rejects: what goes wrong ends the work at the next step. */
  async #takeMeasured(measured: NewlyMeasured): Promise<void> {
    const { newLabels, newKinds, newGenerators, roles, points, failures, users } = measured;
    for (const label of newLabels) this.#labels.push(label);
    for (const kind of newKinds) this.#kinds.push(kind);
    for (const generator of newGenerators) this.#generators.push(generator);
    try {
      if (this.#failure !== undefined) return;
      await this.#take({
        labels: this.#labels,
        roles,
        points,
        failures: { kinds: this.#kinds, counts: failures },
        users: { generators: this.#generators, counts: users },
      });
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#waitingStretches -= 1;
      this.#wake();
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#wake();
  }

  /** Waits until `holds`; throws as soon as anything has gone wrong. */
  async #until(holds: () => boolean): Promise<void> {
    while (this.#failure === undefined && !holds()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
  }
}
