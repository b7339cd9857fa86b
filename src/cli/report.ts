import { ALL_ENDPOINTS } from "../operations/endpoint-selection.ts";
import { readSteadyRange } from "../operations/read-steady-range.ts";
import { EXIT } from "./exit-codes.ts";
import { formatBytes } from "./format-quantity.ts";
import { openReader } from "./opened-reader.ts";
import { printable } from "./printable.ts";
import { writeReportFile } from "./report-file.ts";
import {
  type RampOptions,
  rampsOf,
  rangeOf,
  type SelectionOptions,
  selectionOf,
} from "./selection.ts";
import { checkServer } from "./server-address.ts";
import type { Shell } from "./shell.ts";

export interface ReportOptions extends SelectionOptions, RampOptions {
  /** `-`: standard output. */
  readonly output: string;
  /** Version of the program. */
  readonly version: string;
}

const STANDARD_OUTPUT = "-";

/** Writes a load test as a document that opens from a disk. */
export async function reportCommand(
  loadTestId: string,
  options: ReportOptions,
  shell: Shell,
): Promise<number> {
  const part = { range: rangeOf(options), ...rampsOf(options) };
  const wish = {
    loadTestId,
    selection: selectionOf(options) ?? ALL_ENDPOINTS,
    template: await shell.reportTemplate(),
    madeAtMs: shell.now(),
    version: options.version,
    address: addressOf(loadTestId, options),
  };
  await using opened = await openReader(options, shell);
  const range = await readSteadyRange(opened.reader, loadTestId, part);
  const html = await opened.reader.report({ ...wish, range });
  if (options.output === STANDARD_OUTPUT) {
    await shell.writeOut(html);
    return EXIT.done;
  }
  await writeReportFile("--output", options.output, html);
  const size = formatBytes(Buffer.byteLength(html));
  shell.writeError(`${printable(options.output)}: a report of ${size}\n`);
  return EXIT.done;
}

/** Where people find a load test of a server. */
function addressOf(loadTestId: string, { url, key }: ReportOptions): string | undefined {
  if (url === undefined) return undefined;
  return `${checkServer(url, key).url}/t/${encodeURIComponent(loadTestId)}`;
}
