import { ALL_ENDPOINTS } from "../operations/endpoint-selection.ts";
import { type Figures, summarise } from "../operations/summarise.ts";
import { EXIT } from "./exit-codes.ts";
import { formatBytes } from "./format-quantity.ts";
import { openStore } from "./opened-store.ts";
import { printable } from "./printable.ts";
import { rangeOf, type SelectionOptions, selectionOf } from "./selection.ts";
import type { Shell } from "./shell.ts";
import { formatTable } from "./table.ts";

export interface SummaryOptions extends SelectionOptions {
  readonly apdexMs?: number;
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

/** Prints the figures of a load test, overall and by endpoint. */
export async function summaryCommand(
  loadTestId: string,
  options: SummaryOptions,
  shell: Shell,
): Promise<number> {
  const query = {
    loadTestId,
    selection: selectionOf(options) ?? ALL_ENDPOINTS,
    range: rangeOf(options),
    apdexMicros: options.apdexMs === undefined ? undefined : options.apdexMs * 1000,
  };
  await using opened = await openStore(options, shell);
  const { overall, endpoints } = await summarise(opened.store.points, query);
  if (options.json) {
    await shell.writeOut(`${JSON.stringify({ overall, endpoints })}\n`);
    return EXIT.done;
  }
  const head = options.apdexMs === undefined ? HEAD : [...HEAD, "APDEX"];
  const rows = endpoints.map((figures) => [...cells(figures), printable(figures.label)]);
  const table = [[...head, "ENDPOINT"], [...cells(overall), "(all)"], ...rows];
  await shell.writeOut(formatTable(table));
  return EXIT.done;
}

function cells(figures: Figures): string[] {
  const { count, errCount, errRate, apdex } = figures;
  return [
    String(count),
    errCount === 0 ? "0" : `${errCount} (${share(errRate)})`,
    milliseconds(count === 0 ? undefined : figures.avgLoadTime),
    milliseconds(figures.minLoadTime),
    milliseconds(figures.p50),
    milliseconds(figures.p90),
    milliseconds(figures.p95),
    milliseconds(figures.p99),
    milliseconds(figures.maxLoadTime),
    figures.reqPerSec.toFixed(1),
    formatBytes(figures.receivedBytes),
    ...(apdex === undefined ? [] : [apdex.toFixed(2)]),
  ];
}

/** Three digits that count, as milliseconds. */
function milliseconds(seconds: number | undefined): string {
  if (seconds === undefined) return "-";
  const value = seconds * 1000;
  return `${value < 100 ? Number(value.toPrecision(3)) : Math.round(value)} ms`;
}

/** Never 0 % where there are some, never 100 % where some passed. */
function share(rate: number): string {
  const percent = rate * 100;
  if (percent < 0.01) return "< 0.01 %";
  if (percent > 99.99 && percent < 100) return "> 99.99 %";
  return `${Number(percent.toPrecision(3))} %`;
}
