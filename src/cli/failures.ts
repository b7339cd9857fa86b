import { ALL_ENDPOINTS } from "../operations/endpoint-selection.ts";
import type { EndpointFailureCounts } from "../operations/load-test-reader.ts";
import { EXIT } from "./exit-codes.ts";
import { formatCount, formatSecond } from "./format-quantity.ts";
import { openReader } from "./opened-reader.ts";
import { printable } from "./printable.ts";
import { rangeOf, type SelectionOptions, selectionOf } from "./selection.ts";
import type { Shell } from "./shell.ts";
import { formatTable } from "./table.ts";

export interface FailuresOptions extends SelectionOptions {
  readonly json?: true;
}

/** Longest message that a table shows; `--json` has all of it. */
const MESSAGE_CHARACTERS_MAX = 100;

/** Prints why requests failed, by endpoint and kind. */
export async function failuresCommand(
  loadTestId: string,
  options: FailuresOptions,
  shell: Shell,
): Promise<number> {
  const query = {
    loadTestId,
    selection: selectionOf(options) ?? ALL_ENDPOINTS,
    range: rangeOf(options),
  };
  await using opened = await openReader(options, shell);
  const endpoints = await opened.reader.failures(query);
  const text = options.json ? `${JSON.stringify(endpoints.map(json))}\n` : table(endpoints);
  await shell.writeOut(text);
  return EXIT.done;
}

function json({ label, hash, failedRequests, withoutKind, kinds }: EndpointFailureCounts): unknown {
  return {
    label,
    hash,
    failedRequests,
    withoutKind,
    kinds: kinds.map(({ code, message, requests, from, until }) => ({
      code,
      message,
      requests,
      from,
      until,
    })),
  };
}

function table(endpoints: readonly EndpointFailureCounts[]): string {
  if (endpoints.length === 0) return "no request failed\n";
  const rows = endpoints.flatMap(({ label, withoutKind, kinds }) => [
    ...kinds.map(({ code, message, requests, from, until }) => [
      String(requests),
      code === "" ? "-" : printable(code),
      printable(label),
      from === undefined ? "-" : formatSecond(from),
      until === undefined ? "-" : formatSecond(until),
      shortened(message),
    ]),
    ...(withoutKind === 0 ? [] : [[String(withoutKind), "-", printable(label), "-", "-", UNTOLD]]),
  ]);
  const failed = endpoints.reduce((sum, { failedRequests }) => sum + failedRequests, 0);
  const head = ["FAILED", "CODE", "ENDPOINT", "FIRST", "LAST", "MESSAGE"];
  return `${formatTable([head, ...rows])}${formatCount(failed, "failed request")}\n`;
}

const UNTOLD = "(the source does not say why)";

function shortened(message: string): string {
  const text = printable(message);
  return text.length <= MESSAGE_CHARACTERS_MAX
    ? text
    : `${text.slice(0, MESSAGE_CHARACTERS_MAX - 1)}…`;
}
