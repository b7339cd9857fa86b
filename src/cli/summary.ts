import { ALL_ENDPOINTS } from "../operations/endpoint-selection.ts";
import { readSteadyRange } from "../operations/read-steady-range.ts";
import type { SortColumn } from "../operations/sort-columns.ts";
import type { Figures } from "../operations/figures.ts";
import type { SummaryFigures } from "../operations/load-test-reader.ts";
import type { RowsWish } from "../operations/summarise.ts";
import { EXIT } from "./exit-codes.ts";
import { findingLines } from "./finding-lines.ts";
import { formatBytes, formatMilliseconds, formatShare } from "./format-quantity.ts";
import { openReader } from "./opened-reader.ts";
import { printable } from "./printable.ts";
import {
  type RampOptions,
  rampsOf,
  rangeOf,
  type SelectionOptions,
  selectionOf,
} from "./selection.ts";
import type { Shell } from "./shell.ts";
import { formatTable } from "./table.ts";
import { wholeNotes, withRole } from "./whole-texts.ts";

export interface SummaryOptions extends SelectionOptions, RampOptions {
  readonly apdexMs?: number;
  readonly limit?: number;
  readonly sort?: SortColumn;
  readonly json?: true;
}

const HEAD = [
  "REQUESTS",
  "FAILED",
  "AVG",
  "MIN",
  "P50",
  "P90",
  "P95",
  "P99",
  "MAX",
  "REQ/S",
  "BYTES",
];

/** Prints the figures of a load test, overall and by endpoint, and what stands out in it. */
export async function summaryCommand(
  loadTestId: string,
  options: SummaryOptions,
  shell: Shell,
): Promise<number> {
  const { apdexMs } = options;
  const part = { range: rangeOf(options), ...rampsOf(options) };
  const selection = selectionOf(options) ?? ALL_ENDPOINTS;
  await using opened = await openReader(options, shell);
  const { reader } = opened;
  const query = { loadTestId, selection, range: await readSteadyRange(reader, loadTestId, part) };
  const apdexMicros = apdexMs === undefined ? undefined : apdexMs * 1000;
  const summary = await reader.summarise({ ...query, apdexMicros, rows: rowsOf(options) });
  if (options.json) {
    await shell.writeOut(`${JSON.stringify(summary)}\n`);
    return EXIT.done;
  }
  const { overall, endpoints } = summary;
  const head = apdexMs === undefined ? HEAD : [...HEAD, "APDEX"];
  const rows = endpoints.map((figures) => [
    ...cells(figures),
    withRole(printable(figures.label), figures.role),
  ]);
  const table = [[...head, "ENDPOINT"], [...cells(overall), "(all)"], ...rows];
  const notes = [...wholeNotes(summary), ...restNotes(summary)].map((line) => `${line}\n`).join("");
  await shell.writeOut(
    `${formatTable(table)}${notes}${findingLines(await reader.findings(query))}`,
  );
  return EXIT.done;
}

const ROWS_MAX = 10_000;

/** What is said of rows; `undefined`: all of them by label. */
function rowsOf({ limit, sort = "label" }: SummaryOptions): RowsWish | undefined {
  if (limit === undefined && sort === "label") return undefined;
  return { limit: limit ?? ROWS_MAX, sort, order: sort === "label" ? "ascending" : "descending" };
}

/** That there are more endpoints than are listed. */
function restNotes({ endpoints, matchingCount = 0 }: SummaryFigures): readonly string[] {
  if (matchingCount <= endpoints.length) return [];
  return [`${endpoints.length} of ${matchingCount} endpoints are listed, (all) is of all of them`];
}

function cells(figures: Figures): string[] {
  const { count, errCount, errRate, apdex } = figures;
  return [
    String(count),
    errCount === 0 ? "0" : `${errCount} (${formatShare(errRate)})`,
    formatMilliseconds(count === 0 ? undefined : figures.avgLoadTime),
    formatMilliseconds(figures.minLoadTime),
    formatMilliseconds(figures.p50),
    formatMilliseconds(figures.p90),
    formatMilliseconds(figures.p95),
    formatMilliseconds(figures.p99),
    formatMilliseconds(figures.maxLoadTime),
    figures.reqPerSec.toFixed(1),
    formatBytes(figures.receivedBytes),
    ...(apdex === undefined ? [] : [apdex.toFixed(2)]),
  ];
}
