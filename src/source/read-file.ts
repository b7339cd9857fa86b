import { closeSync, openSync, readSync, statSync } from "node:fs";
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import { UserError, unreadableFile } from "../model/errors.ts";
import type { ReadFileOrder, ReadFileReply } from "./read-file-worker.ts";
import { type Beginning, type Digests, SourceDigest } from "./source-digest.ts";

/** Smaller files are decoded before a thread would have started. */
const AHEAD_BYTES_MIN = 32 * 1024 * 1024;

/** Size and number of the buffers that a thread fills ahead of decoding. */
const AHEAD_BYTES = 1024 * 1024;
const AHEAD_BUFFERS = 4;

/** Bytes per read in this thread: they stay in the processor's L2 cache until they are decoded. */
const CHUNK_BYTES = 256 * 1024;

/** Some milliseconds of decoding. */
const REPORT_BYTES = 8 * 1024 * 1024;

export interface FileReading {
  /** A chunk is valid until the next one is requested. Throws `unreadable-source`. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Expects each chunk, unless another thread has digested it. */
  readonly digest: Pick<SourceDigest, "update" | "finish">;
}

/**
 * Reads and digests a regular file: a large one in another thread, ahead of the caller. `report` gets the number of bytes
 * read every 8 MiB; reading waits for it.
 */
export function readFile(
  path: string,
  beginnings: readonly Beginning[],
  report: (readBytes: number) => void | Promise<void>,
): FileReading {
  const { chunks, digest } = isLarge(path)
    ? readAhead({ path, beginnings })
    : { chunks: readHere(path), digest: new SourceDigest(beginnings) };
  return { chunks: reporting(chunks, report), digest };
}

function isLarge(path: string): boolean {
  try {
    return statSync(path).size >= AHEAD_BYTES_MIN;
  } catch {
    // Opening the file reports why.
    return false;
  }
}

async function* reporting(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  report: (readBytes: number) => void | Promise<void>,
): AsyncGenerator<Uint8Array> {
  let readBytes = 0;
  let reportedBytes = 0;
  for await (const chunk of chunks) {
    readBytes += chunk.length;
    yield chunk;
    if (readBytes - reportedBytes < REPORT_BYTES) continue;
    reportedBytes = readBytes;
    await report(readBytes);
  }
}

function* readHere(path: string): Generator<Uint8Array> {
  const file = trying(path, () => openSync(path, "r"));
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    for (;;) {
      const bytes = trying(path, () => readSync(file, buffer));
      if (bytes === 0) return;
      yield buffer.subarray(0, bytes);
    }
  } finally {
    closeSync(file);
  }
}

function trying<Answer>(path: string, access: () => Answer): Answer {
  try {
    return access();
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

/** The thread that reads the next large file; it does not keep the process alive. */
let idle: ReadingThread | undefined;

/** Files that are probably compressed: they are read where they are decompressed. */
const COMPRESSED = /\.(gz|zst)$/i;

/** Begins to start the thread for a large file, which takes as long as loading the decoders. */
export function prepareToRead(path: string): void {
  if (isLarge(path) && !COMPRESSED.test(path)) idle ??= new ReadingThread();
}

function readAhead(opening: Exclude<ReadFileOrder, Uint8Array>): FileReading {
  let digests: Digests | undefined;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const thread = idle ?? new ReadingThread();
    idle = undefined;
    try {
      thread.begin(opening);
      for (;;) {
        const reply = await thread.next();
        if ("refusal" in reply) throw new UserError("unreadable-source", reply.refusal);
        if (!(reply instanceof Uint8Array)) {
          digests = reply;
          return;
        }
        yield reply;
        thread.lend(reply.buffer);
      }
    } finally {
      if (digests === undefined || idle !== undefined) await thread.end();
      else idle = thread.rest();
    }
  }
  return {
    chunks: chunks(),
    digest: { update: () => undefined, finish: () => digests as Digests },
  };
}

class ReadingThread {
  readonly #port: MessagePort;
  readonly #worker: Worker;
  /** Replies that arrived in turns of the event loop. */
  readonly #arrived: ReadFileReply[] = [];
  #failure: Error | undefined;
  #wake: () => void = () => undefined;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    // The sources run unbuilt; the package contains compiled files.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const url = new URL(`read-file-worker.${extension}`, import.meta.url);
    this.#worker = new Worker(url, { workerData: port2, transferList: [port2] });
    this.#worker.on("error", (error: Error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("the thread that reads files has ended")));
    this.#port.on("message", (reply: ReadFileReply) => {
      this.#arrived.push(reply);
      this.#wake();
    });
    this.rest();
  }

  begin(opening: ReadFileOrder): void {
    this.#worker.ref();
    this.#port.postMessage(opening, []);
    for (let count = 0; count < AHEAD_BUFFERS; count++) this.lend(new ArrayBuffer(AHEAD_BYTES));
  }

  lend(buffer: ArrayBuffer): void {
    this.#port.postMessage(new Uint8Array(buffer), [buffer]);
  }

  /** Asks without a turn of the event loop first: the thread is usually ahead. */
  async next(): Promise<ReadFileReply> {
    for (;;) {
      const reply = this.#arrived.shift() ?? receiveMessageOnPort(this.#port)?.message;
      if (reply !== undefined) return reply as ReadFileReply;
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  rest(): this {
    this.#worker.unref();
    this.#port.unref();
    return this;
  }

  async end(): Promise<void> {
    this.#port.close();
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#wake();
  }
}
