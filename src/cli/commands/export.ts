import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { realpath, rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parametersOf } from "../../analysis/api-reader.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { badParameter } from "../../model/errors.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { withFacets, withLocation } from "../flags.ts";
import { formatBytes } from "../output/format-quantity.ts";
import { printable } from "../output/table.ts";
import { openApi, type LocationOptions } from "../targets/opened-store.ts";
import { type FacetFlags, withFacetsOf } from "../targets/selection.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  withLocation(withFacets(command))
    .description(
      "Writes a run as a Parquet file, for DuckDB, pandas and archives. `tachograph import` reads it again: docs/parquet.md.",
    )
    .argument("<id>", "load test")
    .requiredOption("-o, --output <file>", "file to write; - is standard output")
    .addHelpText("after", EXAMPLES)
    .action((id: string, options) => run(() => exportRun(id, options, context)));
};

const EXAMPLES = `
Examples:
  tachograph export release-42 -o release-42.parquet
  tachograph export release-42 --url https://results.example.org -o release-42.parquet
`;

interface ExportOptions extends LocationOptions, FacetFlags {
  /** `-`: standard output. */
  readonly output: string;
}

async function exportRun(
  loadTestId: string,
  options: ExportOptions,
  context: CommandContext,
): Promise<void> {
  await using api = await openApi(options, context);
  const selection = withFacetsOf(options, ALL_ENDPOINTS);
  const part = parametersOf({ loadTestId, selection, range: undefined });
  const chunks = api.open("exportLoadTest", part);
  if (options.output === "-") {
    for await (const chunk of chunks) {
      context.interrupted.throwIfAborted();
      await context.writeOut(chunk);
    }
    return;
  }
  const bytes = await writeFile(options.output, chunks, context.interrupted);
  context.writeError(`${printable(options.output)}: ${formatBytes(bytes)}\n`);
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
  const output = createWriteStream(partial);
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

/** A chunk is valid until the next one is asked for, which a stream does ahead. */
async function* copied(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield new Uint8Array(chunk);
}
