import { openApiReader, parametersOf } from "../../analysis/api-reader.ts";
import { readSteadyRange } from "../../analysis/load-test-reader.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { flag, withLocation, withRamps, withSelection } from "../flags.ts";
import { printPdf } from "../output/print-pdf.ts";
import { reportIn, saveReport } from "../output/save-report.ts";
import { openApi } from "../targets/opened-store.ts";
import { partOf, type RampOptions, type SelectionOptions } from "../targets/selection.ts";
import { checkServer } from "../targets/store-location.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  withLocation(withRamps(withSelection(command)))
    .description(
      "Writes a self-contained HTML report of a run: statistics, charts and tables in one file: docs/report.md.",
    )
    .argument("<id>", "the run")
    .requiredOption("-o, --output <file>", "file to write; - is standard output")
    .addOption(flag("--pdf", "print it as a PDF, with an installed Chromium, Chrome or Edge"))
    .option("--browser <file>", "the program that prints")
    .addOption(flag("--samples", "also requests that were kept whole, with headers and bodies"))
    .addHelpText("after", EXAMPLES)
    .action((id: string, options) => run(() => writeReport(id, options, context)));
};

const EXAMPLES = `
Examples:
  tachograph report release-42 -o report.html
  tachograph report release-42 --pdf -o report.pdf
  tachograph report release-42 --filter /checkout --skip-start 60s -o checkout.html
`;

interface ReportOptions extends SelectionOptions, RampOptions {
  /** `-`: standard output. */
  readonly output: string;
  readonly samples?: true;
  readonly pdf?: true;
  readonly browser?: string;
}

const STANDARD_OUTPUT = "-";

async function writeReport(
  loadTestId: string,
  options: ReportOptions,
  context: CommandContext,
): Promise<void> {
  const part = partOf(loadTestId, options);
  await using api = await openApi(options, context);
  const range = await readSteadyRange(openApiReader(api), part);
  const asked = {
    ...parametersOf({ ...part, range }),
    address: addressOf(loadTestId, options),
    samples: options.samples && "true",
  } as const;
  const html = await reportIn(api.open("getReport", asked));
  const { output, pdf, browser } = options;
  const searchPath = context.environment["PATH"];
  const written = pdf ? await printPdf(html, { browser, searchPath, load: context.load }) : html;
  if (output === STANDARD_OUTPUT) {
    return context.writeOut(written);
  }
  await saveReport("--output", output, written, context);
}

function addressOf(loadTestId: string, { url, key }: ReportOptions): string | undefined {
  if (url === undefined) return undefined;
  return `${checkServer(url, key).url}/t/${encodeURIComponent(loadTestId)}`;
}
