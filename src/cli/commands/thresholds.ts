import { readFile } from "node:fs/promises";
import { stringify } from "yaml";
import { thresholdsFromK6 } from "../../analysis/thresholds/from-k6.ts";
import { checkLoadTestName } from "../../model/load-test/attributes.ts";
import { unreadableFile, UserError } from "../../model/errors.ts";
import { parsedJson } from "../../model/json-text.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { EXIT } from "../exit-codes.ts";
import { withLocation } from "../flags.ts";
import { formatCount } from "../output/format-quantity.ts";
import { printable } from "../output/table.ts";
import { openApi, type LocationOptions } from "../targets/opened-store.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  command
    .description(
      "Thresholds files, which `tachograph check --thresholds` reads, and thresholds kept by name: docs/check.md.",
    )
    .addHelpText("after", EXAMPLES);
  command
    .command("from-k6")
    .description(
      "Converts k6 thresholds to a thresholds file on standard output. Lists those it cannot convert " +
        "and then exits with code 3.",
    )
    .argument("<file>", "output of --summary-export, handleSummary or k6 inspect")
    .action((file: string) => run(() => convertK6(file, context)));
  withLocation(
    command
      .command("set")
      .description("Keeps the thresholds of a file for the runs of a name.")
      .argument("<name>", "name of the runs")
      .argument("<file>", "thresholds in YAML or JSON"),
  ).action((name: string, file: string, options) =>
    run(() => setThresholds(name, file, options, context)),
  );
  withLocation(
    command
      .command("show")
      .description("Prints the thresholds of a name as a file.")
      .argument("<name>", "name of the runs"),
  ).action((name: string, options: LocationOptions) =>
    run(async () => {
      await using api = await openApi(options, context);
      const thresholds = await api.ask("getThresholds", { name });
      await context.writeOut(stringify(thresholds, { lineWidth: 0 }));
    }),
  );
  withLocation(
    command
      .command("remove")
      .description("Removes the thresholds of a name.")
      .argument("<name>", "name of the runs"),
  ).action((name: string, options: LocationOptions) =>
    run(async () => {
      await using api = await openApi(options, context);
      await api.ask("deleteThresholds", { name });
    }),
  );
};

const EXAMPLES = `
Examples:
  k6 inspect script.js > options.json && tachograph thresholds from-k6 options.json > thresholds.yaml
  tachograph thresholds from-k6 summary.json > thresholds.yaml
  tachograph thresholds set checkout thresholds.yaml && tachograph check release-42
`;

async function setThresholds(
  name: string,
  file: string,
  options: LocationOptions,
  context: CommandContext,
): Promise<number> {
  checkLoadTestName(name);
  const { readThresholdsFile } = await import("../targets/thresholds-file.ts");
  const read = await readThresholdsFile(file, context);
  if (read === undefined) return EXIT.unusable;
  await using api = await openApi(options, context, { mayCreate: true });
  await api.ask("putThresholds", { name }, read.thresholds);
  return EXIT.done;
}

async function convertK6(file: string, context: CommandContext): Promise<number> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw unreadableFile(file, error);
  });
  const converted = thresholdsFromK6(parsedJson(text));
  if (converted === undefined) {
    throw new UserError(
      "unreadable-source",
      `cannot read "${file}": expected JSON with "metrics", as k6 --summary-export writes it, or with ` +
        '"thresholds", as k6 inspect prints it',
    );
  }
  const { thresholds, leftOut, facets } = converted;
  await context.writeOut(stringify({ thresholds }, { lineWidth: 0 }));
  for (const { threshold, why } of leftOut) {
    context.writeError(`not converted: ${printable(threshold)}: ${printable(why)}\n`);
  }
  if (facets.length > 0) {
    context.writeError(`these need runs imported with --facet ${printable(facets.join(","))}\n`);
  }
  const counts = `${formatCount(thresholds.flatMap(({ failIf }) => failIf).length, "threshold")} converted, ${leftOut.length} not`;
  context.writeError(`${counts}\n`);
  return leftOut.length === 0 ? EXIT.done : EXIT.incomplete;
}
