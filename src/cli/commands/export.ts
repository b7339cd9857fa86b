import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import { UserError } from "../../model/errors.ts";
import type { CommandContext } from "../command-context.ts";
import { EXIT, type Run } from "../exit-codes.ts";
import { withLocation } from "../flags.ts";
import { formatBytes } from "../output/format-quantity.ts";
import { printable } from "../output/table.ts";
import { type LocationOptions, openReader } from "../targets/opened-store.ts";

export function defineCommand(command: Command, context: CommandContext, run: Run): void {
  withLocation(command)
    .description(
      "Writes a run as a Parquet file, for DuckDB, pandas and archives. `tachograph import` reads it again: docs/parquet.md.",
    )
    .argument("<id>", "load test")
    .requiredOption("-o, --output <file>", "file to write; - is standard output")
    .addHelpText("after", EXAMPLES)
    .action((id: string, options) => run(() => exportRun(id, options, context)));
}

const EXAMPLES = `
Examples:
  tachograph export release-42 -o release-42.parquet
  tachograph export release-42 --url https://results.example.org -o release-42.parquet
`;

interface ExportOptions extends LocationOptions {
  /** `-`: standard output. */
  readonly output: string;
}

async function exportRun(
  loadTestId: string,
  options: ExportOptions,
  context: CommandContext,
): Promise<number> {
  await using opened = await openReader(options, context);
  const chunks = opened.reader.exportParquet(loadTestId);
  if (options.output === "-") {
    for await (const chunk of chunks) await context.writeOut(chunk);
    return EXIT.done;
  }
  const bytes = await writeFile(options.output, chunks);
  context.writeError(`${printable(options.output)}: ${formatBytes(bytes)}\n`);
  return EXIT.done;
}

/** Replaces the file only once it is complete. Returns its length. Throws `bad-parameter`, and what `chunks` throws. */
async function writeFile(file: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const partial = `${file}.partial`;
  let bytes = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield new Uint8Array(chunk);
    }
  };
  try {
    await pipeline(Readable.from(counted()), createWriteStream(partial));
    await rename(partial, file);
    return bytes;
  } catch (error) {
    await rm(partial, { force: true });
    const isOfFile = error instanceof Error && "syscall" in error;
    if (!isOfFile) throw error;
    throw new UserError("bad-parameter", `--output: cannot write "${file}": ${error.message}`);
  }
}
