import { Worker } from "node:worker_threads";
import type { BegunFile, FileOrder, FileReply } from "./export-worker.ts";
import type { ExportedPart } from "./parquet-rows.ts";

interface Thread {
  readonly worker: Worker;
  /** The last order of each file that is being written. */
  readonly asked: Map<number, PromiseWithResolvers<FileReply>>;
  /** Why it ended before its files did. */
  failure?: unknown;
  /** Ends it. */
  idle?: NodeJS.Timeout;
}

/** After the last file: starting it takes longer than a small file. */
const IDLE_MS = 10_000;

/** Of all files: a thread for each would let slow readers hold very many. */
let running: Thread | undefined;

let begun = 0;

/** Yields the bytes of a Parquet file, which a second thread writes of parts as they are read. Throws what `parts` throws. */
export async function* writeInThread(
  file: BegunFile,
  parts: AsyncIterable<ExportedPart>,
): AsyncGenerator<Uint8Array> {
  const id = (begun += 1);
  const thread = (running ??= startThread());
  const { worker, asked } = thread;
  clearTimeout(thread.idle);
  worker.ref();
  const ask = async (order: FileOrder): Promise<Uint8Array> => {
    if (thread.failure !== undefined) throw thread.failure;
    const reply = Promise.withResolvers<FileReply>();
    asked.set(id, reply);
    const columns = new Set<ArrayBuffer>();
    worker.postMessage([id, withOwnColumns(order, columns)], [...columns]);
    const answer = await reply.promise;
    if ("error" in answer) throw new Error(answer.error);
    return answer.chunk;
  };
  try {
    await ask(file);
    for await (const part of parts) {
      const chunk = await ask(part);
      if (chunk.length > 0) yield chunk;
    }
    yield await ask("end");
  } finally {
    asked.delete(id);
    worker.postMessage([id, "give up"], []);
    if (asked.size === 0) rest(thread);
  }
}

/** It does not keep the process alive. */
function rest(thread: Thread): void {
  thread.worker.unref();
  thread.idle = setTimeout(() => {
    if (running === thread) running = undefined;
    void thread.worker.terminate();
  }, IDLE_MS).unref();
}

function startThread(): Thread {
  // The sources run unbuilt; the package contains compiled files.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`export-worker.${extension}`, import.meta.url));
  const thread: Thread = { worker, asked: new Map() };
  worker.on("message", ([id, reply]: readonly [number, FileReply]) => {
    thread.asked.get(id)?.resolve(reply);
  });
  worker.on("error", (error) => {
    thread.failure = error;
    if (running === thread) running = undefined;
    for (const { reject } of thread.asked.values()) reject(error);
  });
  return thread;
}

/** Adds the buffers of the copies to `buffers`. A column may be a small part of a large buffer, or still be read here. */
function withOwnColumns<Value>(value: Value, buffers: Set<ArrayBuffer>): Value;
function withOwnColumns(value: unknown, buffers: Set<ArrayBuffer>): unknown {
  if (isColumn(value)) {
    const copy = value.slice();
    buffers.add(copy.buffer);
    return copy;
  }
  if (Array.isArray(value)) return value.map((each: unknown) => withOwnColumns(each, buffers));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, withOwnColumns(each, buffers)]),
  );
}

function isColumn(value: unknown): value is Float64Array | Uint32Array | Uint16Array {
  return ArrayBuffer.isView(value);
}
