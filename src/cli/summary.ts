import { ALL_ENDPOINTS } from "../operations/endpoint-selection.ts";
import type { Figures } from "../operations/summarise.ts";
import { summariseSteady } from "../operations/summarise-steady.ts";
import { EXIT } from "./exit-codes.ts";
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

export interface SummaryOptions extends SelectionOptions, RampOptions {
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
    ...rampsOf(options),
    apdexMicros: options.apdexMs === undefined ? undefined : options.apdexMs * 1000,
  };
  await using opened = await openReader(options, shell);
  const { overall, endpoints } = await summariseSteady(opened.reader, query);
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
