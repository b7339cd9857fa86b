import { itemOf } from "../../api/schema.ts";
import {
  type Check,
  type Figures,
  type ParentFigures,
  SUMMARY,
  type SummaryFigures,
} from "../../api/summary.ts";
import { InvalidArgumentError } from "commander";
import type { Api } from "../../client/api.ts";
import { UserError } from "../../model/errors.ts";
import { shownSeries } from "../../series/series-groups.ts";
import { incidentTexts } from "../../analysis/findings/anomaly-texts.ts";
import type { Findings } from "../../analysis/findings/read-findings.ts";
import { askFindings, openApiReader } from "../../analysis/api-reader.ts";
import { readSteadyRange } from "../../analysis/load-test-reader.ts";
import { percentOf } from "../../analysis/check/parse-limit.ts";
import { csvTable, withOverall } from "../../render/csv-table.ts";
import type { RowsRequest } from "../../query/open-summary.ts";
import { SORT_COLUMNS, type SortColumn } from "../../query/sort-columns.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { flag, wholeNumber, withLocation, withRamps, withSelection } from "../flags.ts";
import { wholeNotes, withRole } from "../output/comparison-texts.ts";
import {
  formatBytes,
  formatMilliseconds,
  formatShare,
  UNKNOWN,
} from "../output/format-quantity.ts";
import {
  formatFittedTable,
  formatMarkdownTable,
  jsonLine,
  markdownCode,
  printable,
} from "../output/table.ts";
import { openApi } from "../targets/opened-store.ts";
import {
  noMatchHint,
  partOf,
  type RampOptions,
  type SelectionOptions,
} from "../targets/selection.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  withLocation(withRamps(withSelection(command)))
    .description(
      "Prints the statistics of a run, overall and by endpoint, its checks (k6), and its anomalies: a step " +
        "of response times, a burst of failures, requests that the load generator did not send.",
    )
    .argument("<id>", "the run")
    .addOption(
      flag("--apdex-ms <ms>", "show the Apdex for this threshold T").argParser(
        wholeNumber(1, 86_400_000),
      ),
    )
    .addOption(
      flag("--percentiles <list>", "also show these percentiles, such as 75,99.99").argParser(
        percentiles,
      ),
    )
    .addOption(
      flag("--limit <number>", "list at most this many endpoints, and checks").argParser(
        wholeNumber(1, 10_000),
      ),
    )
    .addOption(
      flag("--sort <figure>", "sort by this column, largest first; label: alphabetically")
        .choices(SORT_COLUMNS)
        .default("label"),
    )
    .addOption(
      flag(
        "--tree",
        "list endpoints below their transactions or groups, or the values of the facet in --by",
      ),
    )
    .addOption(flag("--csv", "write CSV, with times in seconds").conflicts("json"))
    .addOption(flag("--markdown", "write Markdown").conflicts(["csv", "json"]))
    .addOption(flag("--json", "write JSON"))
    .action((id: string, options) => run(() => printSummary(id, options, context)));
};

const PERCENTILES_MAX = 10;

function percentiles(text: string): readonly number[] {
  const percents = [...new Set(text.split(",").map((each) => percentOf(each.trim())))];
  const known = percents.filter((percent) => percent !== undefined);
  if (known.length === percents.length && known.length <= PERCENTILES_MAX) return known;
  throw new InvalidArgumentError(
    `Expected at most ${PERCENTILES_MAX} numbers above 0 and below 100 with at most two decimals, separated by commas.`,
  );
}

interface SummaryOptions extends SelectionOptions, RampOptions {
  readonly apdexMs?: number;
  readonly percentiles?: readonly number[];
  readonly limit?: number;
  readonly sort?: SortColumn;
  readonly tree?: true;
  readonly csv?: true;
  readonly markdown?: true;
}

const HEAD = "REQUESTS FAILED AVG MIN P50 P90 P95 P99 MAX REQ/S BYTES".split(" ");
/** Columns that go in a narrow terminal, the first one first. */
const OPTIONAL = ["MIN", "P90", "BYTES", "MAX", "REQ/S", "AVG"];

async function printSummary(
  loadTestId: string,
  options: SummaryOptions,
  context: CommandContext,
): Promise<void> {
  const { apdexMs } = options;
  await using api = await openApi(options, context);
  const by = options.tree ? (options.by ?? (await treeFacet(api, loadTestId))) : options.by;
  const part = partOf(loadTestId, { ...options, ...(by && { by }) });
  const { selection } = part;
  const reader = openApiReader(api);
  const query = { ...part, range: await readSteadyRange(reader, part) };
  const apdexMicros = apdexMs === undefined ? undefined : apdexMs * 1000;
  const summary = await reader.summarise({
    ...query,
    apdexMicros,
    percents: options.percentiles,
    rows: rowsOf(options),
    hasParents: options.tree,
  });
  if (options.json) return context.writeOut(jsonLine(summary));
  if (options.csv) {
    const item = itemOf(SUMMARY, "endpoints");
    const rows = withOverall(summary.overall, summary.endpoints);
    return context.writeOut((await Array.fromAsync(csvTable({ item }, rows))).join(""));
  }
  if (summary.endpoints.length === 0 && selection !== ALL_ENDPOINTS) {
    context.writeError(noMatchHint(selection));
  }
  await context.writeOut(report(summary, await askFindings(api, query), options, context));
}

/** The statistics as a table of text or Markdown, notes and anomalies, and a table of the checks. */
function report(
  summary: SummaryFigures,
  findings: Findings,
  { apdexMs, percentiles: percents = [], markdown, limit, count }: SummaryOptions,
  { terminal: { columns: terminalColumns } }: CommandContext,
): string {
  const shown = markdown ? markdownCode : printable;
  const { overall, endpoints, parents, checks = [] } = summary;
  const named = percents.map((percent) => `P${percent}`);
  const head = [...HEAD, ...named, ...(apdexMs === undefined ? [] : ["APDEX"]), "ENDPOINT"];
  const rows = (parents === undefined ? endpoints : treeRows(endpoints, parents)).map((figures) => [
    ...cells(figures, percents),
    withRole(shown(figures.label), figures.role),
  ]);
  const table = [head, [...cells(overall, percents), "(all)"], ...rows];
  const ofChecks = checks.length === 0 ? [] : [checkRows(checks.slice(0, limit), shown)];
  const remarks = summary.quality.map(({ message }) => shown(message));
  const lines = [
    ...[
      ...(count === "transactions" ? [] : wholeNotes(summary)),
      ...restNotes(summary),
      ...remarks,
    ].map((line) => `${line}\n`),
    findingLines(findings, shown),
  ];
  if (markdown) {
    const below = lines.flatMap((line) => line.split("\n").filter((each) => each !== ""));
    const otherLength = below.join("\n\n").length;
    const tables = [table, ...ofChecks].map((each) => formatMarkdownTable(each, { otherLength }));
    return [...tables, ...below.map((line) => `${line}\n`)].join("\n");
  }
  const fitted = formatFittedTable(table, { terminalColumns, optional: OPTIONAL });
  const tables = ofChecks.map(
    (each) => `\n${formatFittedTable(each, { terminalColumns, optional: [] })}`,
  );
  return [fitted, ...lines, ...tables].join("");
}

/** The facet that has the transactions of a run, or its groups. */
async function treeFacet(api: Api, id: string): Promise<readonly string[]> {
  const { facets } = await api.ask("getFacets", { id });
  const names = facets.map(({ name }) => name);
  const name = ["transaction", "group"].find((each) => names.includes(each));
  if (name !== undefined) return [name];
  const known = names.length === 0 ? "it has no facets" : `--by one of ${names.join(", ")}`;
  throw new UserError(
    "unknown-facet",
    `cannot show a tree: the run does not say which requests are in which transaction or group; ${known}`,
  );
}

/** Parents, each followed by its endpoints, then those without one. */
function treeRows(
  endpoints: SummaryFigures["endpoints"],
  parents: NonNullable<SummaryFigures["parents"]>,
): readonly ParentFigures[] {
  const children = Map.groupBy(endpoints, ({ parent }) => parent);
  const below = (parent?: string) =>
    (children.get(parent) ?? []).map((each) => {
      const { label } = shownSeries(each.label);
      if (parent === undefined) return { ...each, label };
      // Gatling repeats its group.
      const group = `${parent} / `;
      return { ...each, label: `  ${label.startsWith(group) ? label.slice(group.length) : label}` };
    });
  return [...parents.flatMap((parent) => [parent, ...below(parent.label)]), ...below()];
}

/** With a head. */
function checkRows(checks: readonly Check[], shown: (text: string) => string): string[][] {
  const rows = checks.map(({ name, group, passed, failed, rate }) => {
    const path = group === "" ? "-" : shown(group);
    return [String(passed), String(failed), formatShare(rate), path, shown(name)];
  });
  return [["PASSED", "FAILED", "RATE", "GROUP", "CHECK"], ...rows];
}

const ROWS_MAX = 10_000;

/** `undefined`: all rows by label. */
function rowsOf({ limit, sort = "label" }: SummaryOptions): RowsRequest | undefined {
  if (limit === undefined && sort === "label") return undefined;
  return { limit: limit ?? ROWS_MAX, sort, order: sort === "label" ? "ascending" : "descending" };
}

/** Note about endpoints that are not listed. */
function restNotes({ endpoints, matchingCount = 0 }: SummaryFigures): readonly string[] {
  if (matchingCount <= endpoints.length) return [];
  return [
    `${endpoints.length} of ${matchingCount} endpoints are listed; (all) includes all of them`,
  ];
}

function cells(figures: Figures, percents: readonly number[]): string[] {
  const { count, errCount, errRate, apdex } = figures;
  return [
    String(count),
    errCount === 0 ? "0" : `${errCount} (${formatShare(errRate)})`,
    ...[figures.avgLoadTime, figures.minLoadTime].map(formatMilliseconds),
    ...[figures.p50, figures.p90, figures.p95, figures.p99].map(formatMilliseconds),
    formatMilliseconds(figures.maxLoadTime),
    formatRate(figures.reqPerSec),
    formatBytes(figures.receivedBytes),
    ...percents.map((percent) => formatMilliseconds(figures.percentiles?.[`p${percent}`])),
    ...(apdex === undefined ? [] : [apdex?.toFixed(2) ?? UNKNOWN]),
  ];
}

/** A line per incident, and one for each of its symptoms; each with a newline. */
export function findingLines(
  { incidents }: Pick<Findings, "incidents">,
  shown: (text: string) => string = printable,
): string {
  return incidents
    .flatMap((each) => incidentTexts(each).map((text, at) => (at === 0 ? "" : "  ") + shown(text)))
    .map((line) => `${line}\n`)
    .join("");
}

/** Never 0.0 unless exact. */
function formatRate(perSecond: number | null): string {
  if (perSecond === null) return UNKNOWN;
  return perSecond > 0 && perSecond < 0.05 ? "< 0.1" : perSecond.toFixed(1);
}
