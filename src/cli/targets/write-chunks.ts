import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { realpath, rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { badParameter } from "../../model/errors.ts";
import type { CommandContext } from "../command-context.ts";
import { formatBytes } from "../output/format-quantity.ts";
import { printable } from "../output/table.ts";

/** Writes to a file and prints its size, or to standard output for `-`. Throws what `writeFile` throws. */
export async function writeChunks(
  output: string,
  chunks: AsyncIterable<Uint8Array>,
  context: Pick<CommandContext, "interrupted" | "writeError" | "writeOut">,
): Promise<void> {
  if (output === "-") {
    for await (const chunk of chunks) {
      context.interrupted.throwIfAborted();
      await context.writeOut(chunk);
    }
    return;
  }
  const bytes = await writeFile(output, chunks, context.interrupted);
  context.writeError(`${printable(output)}: ${formatBytes(bytes)}\n`);
}

/**
 * Replaces a regular file only once the new one is complete, and writes to anything else directly. Returns the
 * number of bytes. Throws `bad-parameter`, the reason of `interrupted`, and what `chunks` throws.
 */
async function writeFile(
  given: string,
  chunks: AsyncIterable<Uint8Array>,
  interrupted: AbortSignal,
): Promise<number> {
  // The file that a link points to is replaced, not the link.
  const file = await realpath(given).catch(() => given);
  const isReplaced = await stat(file).then(
    (found) => found.isFile(),
    () => true,
  );
  const partial = isReplaced ? `${file}.${randomUUID()}.partial` : file;
  // A power cut can keep a new name and lose what was not yet on the disk.
  const output = createWriteStream(partial, { flush: isReplaced });
  try {
    await pipeline(Readable.from(copied(chunks)), output, { signal: interrupted });
    if (isReplaced) await rename(partial, file);
    return output.bytesWritten;
  } catch (error) {
    if (isReplaced) await rm(partial, { force: true });
    const isOfFile = error instanceof Error && "syscall" in error;
    if (!isOfFile) throw error;
    throw badParameter(`--output: cannot write "${given}": ${error.message}`);
  }
}

/** A chunk is valid only until the next one is requested, and streams request ahead. */
export async function* copied(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield new Uint8Array(chunk);
}
