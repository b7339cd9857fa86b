import type { SummaryFigures, Figures } from "../../api/summary.ts";
import { InvalidArgumentError } from "commander";
import type { BurstFinding, StepFinding } from "../../api/findings.ts";
import type { Findings } from "../../analysis/findings/read-findings.ts";
import { askFindings, openApiReader } from "../../analysis/api-reader.ts";
import { readSteadyRange } from "../../analysis/load-test-reader.ts";
import { percentOf } from "../../analysis/check/parse-limit.ts";
import type { RowsRequest } from "../../query/open-summary.ts";
import { SORT_COLUMNS, type SortColumn } from "../../query/sort-columns.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { flag, wholeNumber, withLocation, withRamps, withSelection } from "../flags.ts";
import { wholeNotes, withRole } from "../output/comparison-texts.ts";
import {
  formatBytes,
  formatMilliseconds,
  formatSecond,
  formatShare,
  UNKNOWN,
} from "../output/format-quantity.ts";
import { printable, csvCell, formatFittedTable, jsonLine } from "../output/table.ts";
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
      "Prints the statistics of a run, overall and by endpoint, followed by its anomalies: a step " +
        "of response times, a burst of failures.",
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
      flag("--limit <number>", "list at most this many endpoints").argParser(
        wholeNumber(1, 10_000),
      ),
    )
    .addOption(
      flag("--sort <figure>", "sort by this column, largest first; label: alphabetically")
        .choices(SORT_COLUMNS)
        .default("label"),
    )
    .addOption(flag("--csv", "write CSV, with times in seconds").conflicts("json"))
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
  readonly csv?: true;
}

const HEAD = "REQUESTS FAILED AVG MIN P50 P90 P95 P99 MAX REQ/S BYTES".split(" ");
/** Columns that go in a narrow terminal, the first one first. */
const OPTIONAL = ["MIN", "P90", "BYTES", "MAX", "REQ/S", "AVG"];

async function printSummary(
  loadTestId: string,
  options: SummaryOptions,
  context: CommandContext,
): Promise<void> {
  const { apdexMs, percentiles: percents = [] } = options;
  const { columns: terminalColumns } = context.terminal;
  const part = partOf(loadTestId, options);
  const { selection } = part;
  await using api = await openApi(options, context);
  const reader = openApiReader(api);
  const query = { ...part, range: await readSteadyRange(reader, part) };
  const apdexMicros = apdexMs === undefined ? undefined : apdexMs * 1000;
  const summary = await reader.summarise({
    ...query,
    apdexMicros,
    percents: options.percentiles,
    rows: rowsOf(options),
  });
  if (options.json) return context.writeOut(jsonLine(summary));
  if (options.csv) return context.writeOut(formatCsv(summary, percents));
  const { overall, endpoints } = summary;
  if (endpoints.length === 0 && selection !== ALL_ENDPOINTS) {
    context.writeError(noMatchHint(selection));
  }
  const head = [
    ...HEAD,
    ...percents.map((percent) => `P${percent}`),
    ...(apdexMs === undefined ? [] : ["APDEX"]),
  ];
  const rows = endpoints.map((figures) => [
    ...cells(figures, percents),
    withRole(printable(figures.label), figures.role),
  ]);
  const table = [[...head, "ENDPOINT"], [...cells(overall, percents), "(all)"], ...rows];
  const remarks = summary.quality.map(({ message }) => printable(message));
  const lines = [...wholeNotes(summary), ...restNotes(summary), ...remarks];
  const notes = lines.map((line) => `${line}\n`).join("");
  await context.writeOut(
    `${formatFittedTable(table, { terminalColumns, optional: OPTIONAL })}${notes}${findingLines(await askFindings(api, query))}`,
  );
}

/** Units and names of `--json`. */
const CSV_FIGURES = [
  "count",
  "errCount",
  "untimedCount",
  "errRate",
  "avgLoadTime",
  "errAvgLoadTime",
  "minLoadTime",
  "maxLoadTime",
  "p50",
  "p90",
  "p95",
  "p99",
  "p999",
  "percentileOrigin",
  "receivedBytes",
  "reqPerSec",
  "from",
  "until",
  "apdex",
] as const satisfies readonly (keyof Figures)[];

/** A header, all endpoints, then each endpoint. Unknown figures are empty cells. */
function formatCsv({ overall, endpoints }: SummaryFigures, percents: readonly number[]): string {
  const names = percents.map((percent) => `p${percent}`);
  const row = (label: string, role: string, figures: Figures): string =>
    [
      csvCell(label),
      role,
      ...CSV_FIGURES.map((name) => figures[name] ?? ""),
      ...names.map((name) => figures.percentiles?.[name] ?? ""),
    ].join(",");
  const lines = [
    ["label", "role", ...CSV_FIGURES, ...names].join(","),
    row("(all)", "", overall),
    ...endpoints.map((figures) => row(figures.label, figures.role ?? "", figures)),
  ];
  return lines.map((line) => `${line}\r\n`).join("");
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
    figures.reqPerSec?.toFixed(1) ?? UNKNOWN,
    formatBytes(figures.receivedBytes),
    ...percents.map((percent) => formatMilliseconds(figures.percentiles?.[`p${percent}`])),
    ...(apdex === undefined ? [] : [apdex?.toFixed(2) ?? UNKNOWN]),
  ];
}

/** One line per anomaly, each with a newline. */
export function findingLines({ step, burst }: Pick<Findings, "step" | "burst">): string {
  const lines = [
    ...(step === undefined ? [] : [stepLine(step)]),
    ...(burst === undefined ? [] : [burstLine(burst)]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function stepLine({ at, p95Before, p95After, backAt, endpoints }: StepFinding): string {
  const [before, after] = [p95Before, p95After].map(formatMilliseconds);
  const ratio = (p95After / p95Before).toFixed(1);
  const back = backAt === undefined ? "" : ` and is back at ${formatSecond(backAt)}`;
  return (
    `p95 rises from ${before} to ${after} (×${ratio}) at ${formatSecond(at)}${back}` +
    endpointsText(endpoints)
  );
}

function burstLine(burst: BurstFinding): string {
  const { from, until, errCount, allErrCount, failure, endpoints } = burst;
  const why = failure ? `: ${printable(`${failure.code} ${failure.message}`.trim())}` : "";
  return (
    `${errCount} of ${allErrCount} failures from ${formatSecond(from)} to ${formatSecond(until)}` +
    `${why}${endpointsText(endpoints)}`
  );
}

function endpointsText([most, ...others]: StepFinding["endpoints"]): string {
  if (most === undefined) return "";
  const label = printable(most.label);
  return others.length === 0 ? `; ${label}` : `; ${others.length + 1} endpoints, ${label} most`;
}
