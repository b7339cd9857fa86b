import { parametersOf } from "../../analysis/api-reader.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { flag, withFacets, withLocation } from "../flags.ts";
import { chooseFile, saveFile } from "../targets/kept-files.ts";
import { openApi, type LocationOptions } from "../targets/opened-store.ts";
import { writeChunks } from "../targets/write-chunks.ts";
import { type FacetFlags, withFacetsOf } from "../targets/selection.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  withLocation(withFacets(command))
    .description(
      "Writes a run as a Parquet file, for DuckDB, pandas and archives. `tachograph import` reads it again: docs/parquet.md.",
    )
    .argument("<id>", "the run")
    .addOption(
      flag(
        "--file [name]",
        "write the original that import --keep-file kept, not Parquet; give a name or id if there are several",
      ),
    )
    .requiredOption("-o, --output <file>", "file to write; - is standard output")
    .addHelpText("after", EXAMPLES)
    .action((id: string, options) => run(() => exportRun(id, options, context)));
};

const EXAMPLES = `
Examples:
  tachograph export release-42 -o release-42.parquet
  tachograph export release-42 --file -o results.jtl
  tachograph export release-42 --url https://results.example.org -o release-42.parquet
`;

interface ExportOptions extends LocationOptions, FacetFlags {
  /** `-`: standard output. */
  readonly output: string;
  /** `true`: the only original. */
  readonly file?: string | true;
}

async function exportRun(
  loadTestId: string,
  options: ExportOptions,
  context: CommandContext,
): Promise<void> {
  const { file, output } = options;
  await using api = await openApi(options, context);
  if (file !== undefined) {
    const { files } = await api.ask("listFiles", { id: loadTestId });
    const originals = files.filter(({ kind }) => kind === "original");
    const chosen = chooseFile(originals, file === true ? undefined : file);
    await saveFile(api, { id: loadTestId, file: chosen, output }, context);
    return;
  }
  const selection = withFacetsOf(options, ALL_ENDPOINTS);
  const part = parametersOf({ loadTestId, selection, range: undefined });
  const chunks = api.open("exportLoadTest", part);
  await writeChunks(output, chunks, context);
}
