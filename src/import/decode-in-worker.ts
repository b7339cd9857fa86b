import { Worker } from "node:worker_threads";
import type { DecodePoints, DecodeSummary, TakeBatch } from "./decode-points.ts";
import type { DecodeOrder, DecodeWorkerData } from "./decode-worker.ts";
import { UserError } from "../model/errors.ts";
import type { FailureKind } from "../model/failures.ts";
import { withFacts } from "../model/point-facts.ts";
import type { DecodeReply, MeasurementDelta } from "./decode-replies.ts";

/** Size and number of the buffers that carry bytes to the worker and are reused. */
const BUFFER_BYTES = 512 * 1024;
const BUFFERS = 8;

/** Pending messages with points at which decoding stops. */
const STRETCHES_MAX = 2;

/** Its objects are short-lived: a larger young generation would only cost memory. */
const YOUNG_MEGABYTES = 12;

/**
 * Decodes in a worker thread, so that this thread's event loop stays free. For a large file it takes a third more processor
 * time than decoding in this thread.
 */
export const decodePointsInWorker: DecodePoints = async (
  bytes,
  { format, options, pointsMax },
  take,
) => {
  const buffers = Array.from({ length: BUFFERS }, () => new Uint8Array(BUFFER_BYTES));
  const thread = new DecodeThread(
    { formatName: format.name, options, pointsMax },
    { take, takeBack: (buffer) => void buffers.push(buffer) },
  );
  try {
    for await (const chunk of bytes) {
      for (let at = 0; at < chunk.length; at += BUFFER_BYTES) {
        const part = chunk.subarray(at, at + BUFFER_BYTES);
        await thread.until(() => buffers.length > 0 && thread.waitingStretches < STRETCHES_MAX);
        const buffer = buffers.pop() as Uint8Array<ArrayBuffer>;
        buffer.set(part);
        thread.post({ buffer, length: part.length }, [buffer.buffer]);
      }
    }
    thread.post("end");
    return await thread.finish();
  } finally {
    await thread.terminate();
  }
};

/** Callbacks for the owner of the worker. */
interface DecodeThreadEvents {
  readonly take: TakeBatch;
  /** Called for each buffer that the worker has decoded and gives back. */
  readonly takeBack: (buffer: Uint8Array<ArrayBuffer>) => void;
}

/** The owner's end of a decoding worker: receives points one message at a time. */
class DecodeThread {
  /** Messages with points sent and not yet taken. */
  waitingStretches = 0;
  readonly #worker: Worker;
  readonly #events: DecodeThreadEvents;
  /** Number of messages taken, shared with the worker. */
  readonly #taken: Int32Array;
  readonly #labels: string[] = [];
  readonly #kinds: FailureKind[] = [];
  readonly #generators: string[] = [];
  #taking: Promise<void> = Promise.resolve();
  #summary: DecodeSummary | undefined;
  #failure: unknown;
  #wake: () => void = () => undefined;

  constructor(job: Omit<DecodeWorkerData, "taken" | "stretchesMax">, events: DecodeThreadEvents) {
    this.#events = events;
    this.#taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const workerData: DecodeWorkerData = {
      ...job,
      taken: this.#taken,
      stretchesMax: STRETCHES_MAX,
    };
    // The sources run unbuilt; the package contains compiled files.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    this.#worker = new Worker(new URL(`decode-worker.${extension}`, import.meta.url), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    this.#worker.on("message", (reply: DecodeReply) => this.#receive(reply));
    this.#worker.on("error", (error) => this.fail(error));
  }

  post(message: DecodeOrder, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  /** Ends the work at its next step; waiting callers get the error. */
  fail(error: unknown): void {
    this.#failure ??= error;
    this.#wake();
  }

  /** Waits until everything is decoded and taken. */
  async finish(): Promise<DecodeSummary> {
    await this.until(() => this.#summary !== undefined);
    await this.#taking;
    await this.until(() => true);
    return this.#summary as DecodeSummary;
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
    await this.#taking;
  }

  /** Waits until `holds`; throws any failure. Allows one caller at a time. */
  async until(holds: () => boolean): Promise<void> {
    while (this.#failure === undefined && !holds()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  #receive(reply: DecodeReply): void {
    if (reply.kind === "measured") {
      this.waitingStretches += 1;
      this.#taking = this.#taking.then(() => this.#takeBatch(reply.measured));
    } else if (reply.kind === "summary") {
      this.#summary = reply.summary;
    } else if (reply.kind === "refusal") {
      this.fail(new UserError(reply.code, reply.message));
    } else {
      this.#events.takeBack(reply.buffer);
    }
    this.#wake();
  }

  /** Never rejects: failures end the work at the next step. */
  async #takeBatch(measured: MeasurementDelta): Promise<void> {
    const { newLabels, newKinds, newGenerators, facts, failures, users, ...rest } = measured;
    withFacts(rest.points, facts);
    for (const label of newLabels) this.#labels.push(label);
    for (const kind of newKinds) this.#kinds.push(kind);
    for (const generator of newGenerators) this.#generators.push(generator);
    try {
      if (this.#failure !== undefined) return;
      await this.#events.take({
        ...rest,
        labels: this.#labels,
        failures: { kinds: this.#kinds, counts: failures },
        users: { generators: this.#generators, counts: users },
      });
    } catch (error) {
      this.fail(error);
    } finally {
      this.waitingStretches -= 1;
      Atomics.add(this.#taken, 0, 1);
      Atomics.notify(this.#taken, 0);
      this.#wake();
    }
  }
}
