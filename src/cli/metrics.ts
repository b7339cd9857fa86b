import { UserError } from "../model/errors.ts";
import type { EndpointSelection } from "../operations/endpoint-selection.ts";
import { openMetrics } from "../operations/read-metrics.ts";
import { METRICS_FORMATS } from "../render/renderer.ts";
import { EXIT } from "./exit-codes.ts";
import { openStore, type StoreOptions } from "./opened-store.ts";
import type { Shell } from "./shell.ts";

export interface MetricsOptions extends StoreOptions {
  readonly filter?: string;
  readonly hash?: string;
  readonly format?: string;
  readonly from?: number;
  readonly until?: number;
  readonly resolution?: number;
}

/** Prints what `GET /Api/Metrics` answers, byte for byte, and a newline. */
export async function metricsCommand(
  loadTestId: string,
  options: MetricsOptions,
  shell: Shell,
): Promise<number> {
  const query = {
    loadTestId,
    selection: selectionOf(options),
    range: rangeOf(options),
    resolutionSeconds: options.resolution ?? 1,
    format: formatOf(options.format ?? "default"),
  };
  await using opened = await openStore(options, shell);
  const answer = await openMetrics(opened.store.points, query);
  try {
    for await (const piece of answer.pieces()) await shell.writeOut(piece);
    await shell.writeOut("\n");
  } finally {
    answer.release();
  }
  return EXIT.done;
}

function selectionOf({ filter, hash }: MetricsOptions): EndpointSelection {
  if ((filter === undefined) === (hash === undefined)) {
    throw new UserError("bad-parameter", "expected either --filter or --hash");
  }
  if (filter !== undefined) {
    if (filter === "") throw new UserError("bad-parameter", "--filter is empty: expected a text");
    return { by: "filter", filter };
  }
  const text = hash ?? "";
  if (!/^[0-9A-Fa-f]{40}$/.test(text)) {
    throw new UserError("bad-parameter", `--hash: expected 40 hex digits, got "${text}"`);
  }
  return { by: "hash", hash: text.toLowerCase() };
}

function rangeOf({ from, until }: MetricsOptions): { from: number; until: number } | undefined {
  if (from === undefined && until === undefined) return undefined;
  const range = { from: from ?? 0, until: until ?? 2 ** 32 };
  if (range.from < range.until) return range;
  throw new UserError(
    "bad-parameter",
    `--from must come before --until, got ${range.from} and ${range.until}`,
  );
}

function formatOf(text: string): (typeof METRICS_FORMATS)[number] {
  const format = METRICS_FORMATS.find((known) => known === text);
  if (format !== undefined) return format;
  throw new UserError(
    "bad-parameter",
    `--format: expected one of ${METRICS_FORMATS.join(", ")}, got "${text}"`,
  );
}
