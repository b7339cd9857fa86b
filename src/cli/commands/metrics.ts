import { parametersOf } from "../../analysis/api-reader.ts";
import { badParameter } from "../../model/errors.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { METRICS_FORMATS } from "../../render/renderer.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { flag, wholeNumber, withLocation, withSelection } from "../flags.ts";
import { openApi } from "../targets/opened-store.ts";
import { noMatchHint, rangeOf, selectionOf, type SelectionOptions } from "../targets/selection.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  withLocation(withSelection(command))
    .description("Prints the metrics of a run, exactly as GET /Api/Metrics returns them.")
    .argument("<id>", "the run")
    .addOption(flag("--all", "all endpoints"))
    // TACHOGRAPH_FORMAT is for imports.
    .addOption(flag("--format <name>", "csv, xy or default").env("TACHOGRAPH_METRICS_FORMAT"))
    .addOption(
      flag("--resolution <seconds>", "seconds per point").argParser(wholeNumber(1, 2 ** 32 - 1)),
    )
    .addHelpText("after", EXAMPLES)
    .action((id: string, options) => run(() => printMetrics(id, options, context)));
};

const EXAMPLES = `
Examples:
  tachograph metrics release-42 --all --format csv
  tachograph metrics release-42 --hash $(printf 'GET /cart' | sha1sum | cut -c1-40)
  tachograph metrics release-42 --filter /pay --resolution 60
`;

interface MetricsOptions extends SelectionOptions {
  readonly all?: true;
  readonly format?: string;
  readonly resolution?: number;
}

const EMPTY_BYTES = "[]".length;

/** Prints the response of `GET /Api/Metrics`, byte for byte, and a newline. */
async function printMetrics(
  loadTestId: string,
  options: MetricsOptions,
  context: CommandContext,
): Promise<void> {
  const { filter, hash } = options;
  const selection = selectionOf(options) ?? ALL_ENDPOINTS;
  if ([filter, hash, options.all].filter((each) => each !== undefined).length !== 1) {
    throw badParameter("expected one of --filter, --hash and --all");
  }
  const { id: _, ...part } = parametersOf({ loadTestId, selection, range: rangeOf(options) });
  const { resolution } = options;
  const format = formatOf(options.format ?? "default");
  const all = options.all && "true";
  await using api = await openApi(options, context);
  let bytes = 0;
  for await (const chunk of api.open("getMetrics", {
    loadTestId,
    ...part,
    all,
    resolution,
    format,
  })) {
    bytes += chunk.length;
    await context.writeOut(chunk);
  }
  await context.writeOut("\n");
  if (bytes <= EMPTY_BYTES) context.writeError(noMatchHint(selection));
}

function formatOf(text: string): (typeof METRICS_FORMATS)[number] {
  const format = METRICS_FORMATS.find((known) => known === text);
  if (format !== undefined) return format;
  throw badParameter(`--format: expected one of ${METRICS_FORMATS.join(", ")}, got "${text}"`);
}
