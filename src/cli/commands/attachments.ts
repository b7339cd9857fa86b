import path from "node:path";
import { Readable } from "node:stream";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { flag, withLocation } from "../flags.ts";
import { formatBytes } from "../output/format-quantity.ts";
import { formatTable, jsonLine, keyTime, printable } from "../output/table.ts";
import { type LocationOptions, type OpenedApi, openApi } from "../targets/opened-store.ts";
import { findFile } from "../targets/read-file.ts";
import { chooseFile, saveFile } from "../targets/kept-files.ts";
import { copied } from "../targets/write-chunks.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  command
    .description("Files attached to a run, and the originals that import --keep-file kept.")
    .addHelpText("after", EXAMPLES);
  withLocation(
    command
      .command("add")
      .description("Attaches files to a run and prints their ids.")
      .argument("<id>", "the run")
      .argument("<file...>", "files to attach"),
  ).action((id: string, files: string[], options: LocationOptions) =>
    run(async () => {
      await using api = await openApi(options, context);
      for (const file of files) await attach(api, id, file, context);
    }),
  );
  withLocation(
    command
      .command("list")
      .description("Prints the files of a run.")
      .argument("<id>", "the run")
      .addOption(flag("--json", "write JSON")),
  ).action((id: string, options: LocationOptions) =>
    run(async () => {
      await using api = await openApi(options, context);
      const { files } = await api.ask("listFiles", { id });
      const rows = files.map((file) => [
        file.id,
        file.kind,
        formatBytes(file.sizeBytes),
        keyTime(file.addedAt),
        printable(file.author ?? "-"),
        printable(file.name),
      ]);
      const head = ["ID", "KIND", "SIZE", "ADDED", "AUTHOR", "NAME"];
      const table = rows.length === 0 ? "no files\n" : formatTable([head, ...rows]);
      await context.writeOut(options.json ? jsonLine(files) : table);
    }),
  );
  withLocation(
    command
      .command("get")
      .description("Writes a file of a run and verifies its SHA-256.")
      .argument("<id>", "the run")
      .argument("<file>", "id or name of the file")
      .requiredOption("-o, --output <file>", "file to write; - is standard output"),
  ).action((id: string, file: string, options: LocationOptions & { readonly output: string }) =>
    run(async () => {
      await using api = await openApi(options, context);
      const { files } = await api.ask("listFiles", { id });
      const { output } = options;
      await saveFile(api, { id, file: chooseFile(files, file), output }, context);
    }),
  );
  withLocation(
    command
      .command("remove")
      .description("Removes a file from a run. The results are kept.")
      .argument("<id>", "the run")
      .argument("<file>", "id or name of the file"),
  ).action((id: string, file: string, options: LocationOptions) =>
    run(async () => {
      await using api = await openApi(options, context);
      const { files } = await api.ask("listFiles", { id });
      await api.ask("removeFile", { id, file: chooseFile(files, file).id });
    }),
  );
};

const EXAMPLES = `
Examples:
  tachograph attachments add release-42 dashboard.png gc.log
  tachograph attachments list release-42
  tachograph attachments get release-42 gc.log -o gc.log
`;

async function attach(
  api: OpenedApi,
  id: string,
  file: string,
  context: CommandContext,
): Promise<void> {
  const { chunks } = await findFile(file, context.interrupted);
  const body = Readable.toWeb(Readable.from(copied(chunks))) as ReadableStream;
  const added = await api.ask("addFile", { id, name: path.basename(file) }, body);
  await context.writeOut(`${added.id}\n`);
}
