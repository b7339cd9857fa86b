/** Background work in a second thread: merging live blocks, and checkpoints. */

import type { DatabaseSync } from "node:sqlite";
import { MessageChannel, Worker } from "node:worker_threads";
import { UserError } from "../../../model/errors.ts";
import type { DataPoints } from "../../../model/data-points.ts";
import type { BackgroundOrder, BackgroundQuestion, BackgroundReply } from "./background-worker.ts";
import type { EncodedBlock } from "../blocks/block-rows.ts";
import type { CompactionPlan } from "./compaction-plan.ts";
import type { TotalsRequest } from "./run-totals.ts";

/** Log pages that trigger a checkpoint: late, as most pages of live batches are rewritten within minutes. */
const LOG_PAGES = 12_000;

/** Merged chunks are short-lived. Without a limit, V8 grows the young generation to 128 MB. */
const YOUNG_MEBIBYTES = 12;

const WAS_ENDED = "the thread was ended";

interface Asked {
  readonly fulfil: (reply: BackgroundReply) => void;
  readonly reject: (error: unknown) => void;
}

/** Starts the thread on first use. An idle thread does not keep the process alive. */
export class Background {
  readonly #path: string;
  #worker: Worker | undefined;
  #asked: Asked[] = [];
  #isStopped = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Merges the blocks of a plan, one plan at a time. Throws what `mergeBlocks` throws, or why the thread ended. */
  async *merge(plan: CompactionPlan): AsyncGenerator<readonly EncodedBlock[]> {
    let next = this.#ask({ kind: "merge", plan });
    for (;;) {
      const reply = await next;
      if (reply.kind !== "chunk") return;
      // It is prepared while the previous chunk is written; a caller that stops iterating can ignore it.
      next = this.#ask({ kind: "next-chunk" });
      next.catch(() => undefined);
      yield reply.blocks;
    }
  }

  /** Runs a checkpoint, as far as readers and writers allow. */
  async checkpoint(): Promise<void> {
    await this.#ask({ kind: "checkpoint" });
  }

  /** Returns the sums of all points of a load test; `undefined` for damage. Never rejects. */
  totals(request: TotalsRequest): Promise<readonly DataPoints[] | undefined> {
    return new Promise((fulfil) => {
      if (this.#isStopped) return fulfil(undefined);
      if (this.#worker === undefined) {
        this.#worker = this.#start();
        this.#worker.unref();
      }
      const { port1, port2 } = new MessageChannel();
      const points: DataPoints[] = [];
      port1.on("message", (part: DataPoints | boolean) => {
        if (typeof part !== "boolean") return points.push(part);
        fulfil(part ? points : undefined);
        return port1.close();
      });
      // The thread may have ended.
      port1.on("close", () => fulfil(undefined));
      this.#worker.postMessage({ request, port: port2 } satisfies BackgroundQuestion, [port2]);
    });
  }

  /** Ends the thread; open and later commands fail. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    // Until the thread has ended, a pending reply must not let the process exit.
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
    // The sources run unbuilt; the package contains compiled files.
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

  /** The next command starts a new thread. */
  #end(worker: Worker, error: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#asked.splice(0)) reject(error);
  }
}

/**
 * Returns what to do after each commit to run checkpoints in the background. The writer handles what was
 * written meanwhile, which is little: the log can restart only after a complete checkpoint.
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
      // Nothing is lost: the log continues, and the next write reports what is wrong with the file.
    } finally {
      isWorking = false;
    }
  };
  return () => {
    if (!isWorking) void work();
  };
}
