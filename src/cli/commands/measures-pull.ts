import { readFile } from "node:fs/promises";
import {
  type MeasureQuery,
  parseMeasureQuery,
  requireDistinct,
  prometheusAuthorization,
  type PulledMeasure,
  pullMeasure,
} from "../../import/pull-measures.ts";
import { checkLoadTestId } from "../../import/load-test-id.ts";
import { badParameter, unreadableFile } from "../../model/errors.ts";
import { unstoredText } from "../../model/measures/series-limits.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { EXIT } from "../exit-codes.ts";
import { addFlags, duration, flag, instant, withLocation } from "../flags.ts";
import { jsonLine, printable } from "../output/table.ts";
import { openApi, openTarget, type TargetOptions } from "../targets/opened-store.ts";

interface PullOptions extends Omit<TargetOptions, "spoolBytes"> {
  readonly prometheus: string;
  readonly query: readonly string[];
  readonly queries?: string;
  readonly step: number;
  readonly from?: number;
  readonly until?: number;
}

export const definePull: DefineCommand = (command, context, run) => {
  command
    .description(
      "Pulls measures of a run from a Prometheus. Pulled again, they replace those that the same queries brought before. " +
        "TACHOGRAPH_PROMETHEUS_TOKEN, or _USERNAME and _PASSWORD, are its credentials.",
    )
    .argument("<id>", "the run");
  addFlags(command, [
    flag("--prometheus <url>", "URL of the Prometheus").makeOptionMandatory(),
    flag(
      "--query <name=query>",
      "name of the measure and its query in PromQL; may be repeated. Without a name, that of the metric",
    )
      .argParser((text: string, all: readonly string[]) => [...all, text])
      .default([], "none"),
    flag("--queries <file>", "file with such a query in each line; # begins a comment"),
    flag("--step <duration>", "time between two values, in whole seconds")
      .argParser(duration)
      .default(1, "1s"),
    flag("--from <time>", "from this time (default: start of the run)").argParser(instant),
    flag("--until <time>", "before this time (default: end of the run)").argParser(instant),
    flag("--json", "write JSON"),
  ]);
  withLocation(command).action((id: string, options: PullOptions) =>
    run(() => pull(checkLoadTestId(id), options, context)),
  );
};

async function pull(id: string, options: PullOptions, context: CommandContext): Promise<number> {
  const queries = await queriesOf(options);
  const range = await rangeOf(id, options, context);
  const prometheus = await context.imports.openPrometheus({
    url: options.prometheus,
    authorization: prometheusAuthorization(context.environment),
  });
  await using opened = await openTarget({ ...options, spoolBytes: 0 }, false, context);
  const pulled: PulledMeasure[] = [];
  for (const query of queries) {
    const loadTest = { id, name: id, createdAtMs: context.now() };
    const own = await pullMeasure({ target: opened.target, prometheus, loadTest, query, range });
    pulled.push(own);
    if (!options.json) await context.writeOut(textOf(own));
  }
  if (options.json) await context.writeOut(jsonLine(pulled));
  if (!(await opened.settle())) return EXIT.failed;
  return pulled.every(({ series }) => series > 0) ? EXIT.done : EXIT.incomplete;
}

function textOf({ query, names, series, values, unstored, isUnchanged }: PulledMeasure): string {
  const what = names.length === 0 ? printable(query) : names.map(printable).join(", ");
  const counted = `${values.toLocaleString("en-US")} values of ${series.toLocaleString("en-US")} series`;
  const outcome = series === 0 ? "no series" : `${counted}${isUnchanged ? ", as before" : ""}`;
  const lost = unstoredText(unstored);
  return `${what}: ${outcome}${lost === undefined ? "" : `; ${lost}`}\n`;
}

async function queriesOf({ query, queries }: PullOptions): Promise<readonly MeasureQuery[]> {
  const file = queries === undefined ? "" : await textOfFile(queries);
  const lines = file.split("\n").map((line) => line.trim());
  const given = [...query, ...lines.filter((line) => line !== "" && !line.startsWith("#"))];
  if (given.length === 0) throw badParameter("want a query: --query NAME=QUERY or --queries FILE");
  const parsed = given.map(parseMeasureQuery);
  requireDistinct(parsed);
  return parsed;
}

/** Throws `unreadable-source`. */
async function textOfFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw unreadableFile(file, error);
  }
}

/** That of the run where it is not given. Throws `bad-parameter`, `unknown-load-test`. */
async function rangeOf(id: string, options: PullOptions, context: CommandContext) {
  const { step: stepSeconds, ...given } = options;
  if (stepSeconds < 1) throw badParameter("--step: want at least 1s");
  let { from, until } = given;
  if (from === undefined || until === undefined) {
    await using api = await openApi(options, context);
    const run = await api.ask("getLoadTest", { id });
    from ??= run.from ?? undefined;
    until ??= run.until === null ? undefined : run.until + 1;
  }
  if (from === undefined || until === undefined) {
    throw badParameter(
      "the run has no requests, whose time would be taken: give --from and --until",
    );
  }
  if (from >= until) throw badParameter("--from: want a time before --until");
  return { from, until: until - 1, stepSeconds };
}
