/** Work on the file in a second thread, beside the writes: merging of live blocks, and checkpoints. */

import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { UserError } from "../../../model/errors.ts";
import type { BackgroundOrder, BackgroundReply } from "./background-worker.ts";
import type { EncodedBlock } from "../blocks/block-rows.ts";
import type { CompactionPlan } from "./compaction-plan.ts";

/**
 * Pages that the log may have before it is brought into the file. Most pages of live batches are
 * written again within minutes, and what is written again meanwhile goes into the file only once.
 */
const LOG_PAGES = 12_000;

/** Merged chunks are short-lived. Without a limit V8 lets the young generation grow to 128 MB. */
const YOUNG_MEBIBYTES = 12;

const WAS_ENDED = "the thread was ended";

interface Asked {
  readonly fulfil: (reply: BackgroundReply) => void;
  readonly reject: (error: unknown) => void;
}

/** The thread is started when there is work for the first time. Without work it keeps no process alive. */
export class Background {
  readonly #path: string;
  #worker: Worker | undefined;
  #asked: Asked[] = [];
  #isStopped = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Merges what a plan names; one plan at a time. Throws as `mergeBlocks`, or what ended the thread. */
  async *merge(plan: CompactionPlan): AsyncGenerator<readonly EncodedBlock[]> {
    let next = this.#ask({ kind: "merge", plan });
    for (;;) {
      const reply = await next;
      if (reply.kind !== "chunk") return;
      // It is made while the one before is written; whoever takes no more need not hear of it.
      next = this.#ask({ kind: "next-chunk" });
      next.catch(() => undefined);
      yield reply.blocks;
    }
  }

  /** Brings the log into the file, as far as readers and writers let it. */
  async checkpoint(): Promise<void> {
    await this.#ask({ kind: "checkpoint" });
  }

  /** Ends the thread; what it was asked for fails, and what it will be. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    // A reply that still comes must not let the process end before the thread has.
    this.#end(worker, new Error(WAS_ENDED));
    await worker.terminate();
  }

  #ask(order: BackgroundOrder): Promise<BackgroundReply> {
    return new Promise((fulfil, reject) => {
      if (this.#isStopped) return reject(new Error(WAS_ENDED));
      this.#worker ??= this.#start();
      this.#asked.push({ fulfil, reject });
      this.#worker.ref();
      this.#worker.postMessage(order, []);
    });
  }

  #start(): Worker {
    // The sources run as they are, the package has them compiled.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const file = new URL(`background-worker.${extension}`, import.meta.url);
    const worker = new Worker(file, {
      workerData: this.#path,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEBIBYTES },
    });
    worker.on("message", (reply: BackgroundReply) => this.#receive(reply));
    worker.on("error", (error) => this.#end(worker, error));
    worker.on("exit", () => this.#end(worker, new Error("the thread has ended")));
    return worker;
  }

  #receive(reply: BackgroundReply): void {
    const asked = this.#asked.shift();
    if (this.#asked.length === 0) this.#worker?.unref();
    if (reply.kind === "refusal") asked?.reject(new UserError(reply.code, reply.message));
    else asked?.fulfil(reply);
  }

  /** The next order starts another one. */
  #end(worker: Worker, error: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#asked.splice(0)) reject(error);
  }
}

/**
 * What to do after each commit, so that the log is brought into the file beside the writes. What was
 * written meanwhile, which is little, is left to the writer: only a log that is in the file to its
 * end can begin anew.
 */
export function checkpointsBeside(
  writer: DatabaseSync,
  background: Pick<Background, "checkpoint">,
  logPages = LOG_PAGES,
): () => void {
  const look = writer.prepare("PRAGMA wal_checkpoint(NOOP)");
  const finish = writer.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  let isWorking = false;
  const isLong = () => {
    const { log, checkpointed } = look.get() as { log: number; checkpointed: number };
    return log - checkpointed >= logPages;
  };
  const work = async () => {
    isWorking = true;
    try {
      if (!isLong()) return;
      await background.checkpoint();
      finish.get();
    } catch {
      // Nothing is lost: the log goes on, and what is wrong with the file shows where it is written.
    } finally {
      isWorking = false;
    }
  };
  return () => {
    if (!isWorking) void work();
  };
}
