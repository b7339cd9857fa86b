import { UserError } from "../model/errors.ts";
import { METRICS_FORMATS } from "../render/renderer.ts";
import { EXIT } from "./exit-codes.ts";
import { openReader } from "./opened-reader.ts";
import { rangeOf, type SelectionOptions, selectionOf } from "./selection.ts";
import type { Shell } from "./shell.ts";

export interface MetricsOptions extends SelectionOptions {
  readonly format?: string;
  readonly resolution?: number;
}

/** Prints what `GET /Api/Metrics` answers, byte for byte, and a newline. */
export async function metricsCommand(
  loadTestId: string,
  options: MetricsOptions,
  shell: Shell,
): Promise<number> {
  const selection = selectionOf(options);
  if (selection === undefined) {
    throw new UserError("bad-parameter", "expected either --filter or --hash");
  }
  const query = {
    loadTestId,
    selection,
    range: rangeOf(options),
    resolutionSeconds: options.resolution ?? 1,
    format: formatOf(options.format ?? "default"),
  };
  await using opened = await openReader(options, shell);
  for await (const piece of opened.reader.metrics(query)) await shell.writeOut(piece);
  await shell.writeOut("\n");
  return EXIT.done;
}

function formatOf(text: string): (typeof METRICS_FORMATS)[number] {
  const format = METRICS_FORMATS.find((known) => known === text);
  if (format !== undefined) return format;
  throw new UserError(
    "bad-parameter",
    `--format: expected one of ${METRICS_FORMATS.join(", ")}, got "${text}"`,
  );
}
