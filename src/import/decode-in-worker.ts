import { Worker } from "node:worker_threads";
import type { DecodePoints, DecodeSummary } from "./decode-points.ts";
import type { DecodeOrder, DecodeReply, DecodeWorkerData } from "./decode-worker.ts";
import { UserError } from "../model/errors.ts";
import type { FailureKind } from "../model/failures.ts";
import { withFacts } from "../model/point-facts.ts";
import { FACETS_BEGIN, labelOfSeries } from "../model/series/facets.ts";

/** Size and number of the buffers that carry bytes to the worker and are reused. */
const BUFFER_BYTES = 512 * 1024;
const BUFFERS = 8;

/** Its objects are short-lived: a larger young generation would only cost memory. */
const YOUNG_MEGABYTES = 12;

/**
 * Decodes in a worker thread, so that this thread's event loop stays free. For a large file it takes a third more processor
 * time than decoding in this thread. A worker whose batches wait gives no buffers back, so reading waits, too.
 */
export const decodePointsInWorker: DecodePoints = async (
  bytes,
  { format, options, pointsMax },
  take,
) => {
  const taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: DecodeWorkerData = { formatName: format.name, options, pointsMax, taken };
  // The sources run unbuilt; the package contains compiled files.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`decode-worker.${extension}`, import.meta.url), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  });
  const post = (order: DecodeOrder, transfer: ArrayBuffer[] = []): void =>
    worker.postMessage(order, transfer);
  const buffers = Array.from({ length: BUFFERS }, () => new Uint8Array(BUFFER_BYTES));
  const [labels, kinds, generators]: [string[], FailureKind[], string[]] = [[], [], []];
  const { promise: summary, resolve, reject } = Promise.withResolvers<DecodeSummary>();
  let wake: (() => void) | undefined;
  // After a failure, nothing more is taken.
  let taking = Promise.resolve();

  async function takeBatch(reply: Extract<DecodeReply, { kind: "measured" }>): Promise<void> {
    const { newLabels, newKinds, newGenerators, facts, failures, users, ...rest } = reply.measured;
    withFacts(rest.points, facts);
    for (const label of withSharedTexts(newLabels)) labels.push(label);
    for (const kind of newKinds) kinds.push(kind);
    for (const generator of newGenerators) generators.push(generator);
    await take({
      ...rest,
      labels,
      failures: { kinds, counts: failures },
      users: { generators, counts: users },
    });
    Atomics.add(taken, 0, 1);
    Atomics.notify(taken, 0);
  }
  function receive(reply: DecodeReply): void {
    if (reply.kind === "buffer") {
      buffers.push(reply.buffer);
      wake?.();
    } else if (reply.kind === "measured") {
      taking = taking.then(() => takeBatch(reply));
      taking.catch(reject);
    } else if (reply.kind === "summary") {
      taking.then(() => resolve(reply.summary), reject);
    } else {
      reject(new UserError(reply.code, reply.message));
    }
  }
  worker.on("message", receive);
  worker.on("error", reject);
  // Awaited where decoding has to wait for the worker.
  summary.catch(() => undefined);
  try {
    for await (const chunk of bytes) {
      for (let at = 0; at < chunk.length; at += BUFFER_BYTES) {
        const part = chunk.subarray(at, at + BUFFER_BYTES);
        while (buffers.length === 0) {
          await Promise.race([summary, new Promise<void>((given) => (wake = given))]);
        }
        const buffer = buffers.pop() as Uint8Array<ArrayBuffer>;
        buffer.set(part);
        post({ buffer, length: part.length }, [buffer.buffer]);
      }
    }
    post("end");
    return await summary;
  } finally {
    await worker.terminate();
    await taking.catch(() => undefined);
  }
};

/** Labels as parts of the names of their series, which take less memory than texts of their own. */
function withSharedTexts(names: readonly string[]): readonly string[] {
  const shared = new Map<string, string>();
  for (const name of names) if (name.includes(FACETS_BEGIN)) shared.set(labelOfSeries(name), name);
  if (shared.size === 0) return names;
  return names.map((name) => shared.get(name)?.slice(0, name.length) ?? name);
}
