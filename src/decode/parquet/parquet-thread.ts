import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { errorMessage, UserError } from "../../model/errors.ts";
import type { Damage, ParquetOrder, ParquetReply, RowGroup } from "./parquet-worker.ts";
import { type Columns, unreadableParquet } from "./row-reader.ts";

/** A group takes less than a second. */
const REPLY_MS_MAX = 60_000;

/** Of JavaScript objects; a group has some megabytes. */
const HEAP_MEBIBYTES_MAX = 1024;

export interface OpenedParquet {
  /** The text that `METADATA_KEY` has. */
  readonly metadata: string | undefined;
  readonly groups: readonly RowGroup[];
  /** One group at a time. */
  read(group: RowGroup): Promise<Columns>;
  close(): void;
}

/**
 * Reads a Parquet file, which is taken away, in another thread: the library trusts what files say, so that a crafted one could
 * occupy it for ever. Throws `unreadable-source` as `read` does, also after `replyMsMax` without a reply.
 */
export async function openParquetFile(
  bytes: Uint8Array<ArrayBuffer>,
  replyMsMax = REPLY_MS_MAX,
): Promise<OpenedParquet> {
  const thread = idle ?? new ParquetThread();
  idle = undefined;
  const opened = await thread.ask(bytes.buffer, replyMsMax);
  if (!("groups" in opened)) throw new Error("BUG: the first reply is about the file");
  return {
    ...opened,
    async read(group) {
      const read = await thread.ask(group, replyMsMax);
      if ("columns" in read) return read.columns;
      throw new Error("BUG: the reply to a row group is its columns");
    },
    close() {
      if (!thread.isEnded) idle = thread;
    },
  };
}

/** Of an earlier file, for the next one. */
let idle: ParquetThread | undefined;

/** It does not keep the process alive unless it is asked. */
class ParquetThread {
  readonly #worker: Worker;
  isEnded = false;

  constructor() {
    // The sources run unbuilt; the package contains compiled files.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    this.#worker = new Worker(new URL(`parquet-worker.${extension}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEBIBYTES_MAX },
    });
  }

  async ask(order: ParquetOrder, msMax: number): Promise<Exclude<ParquetReply, Damage>> {
    this.#worker.ref();
    this.#worker.postMessage(order, order instanceof ArrayBuffer ? [order] : []);
    const signal = AbortSignal.timeout(msMax);
    try {
      const [reply] = (await once(this.#worker, "message", { signal })) as [ParquetReply];
      if (!("damage" in reply)) return reply;
      throw unreadableParquet(`it is damaged: ${reply.damage}`);
    } catch (error) {
      if (error instanceof UserError) throw error;
      this.isEnded = true;
      await this.#worker.terminate();
      const late = `a part of it was not read within ${msMax / 1000} s`;
      throw unreadableParquet(`it is damaged: ${signal.aborted ? late : errorMessage(error)}`);
    } finally {
      this.#worker.unref();
    }
  }
}
