import type { CompareQuery, LoadTestComparison } from "../operations/compare-load-tests.ts";
import { ALL_ENDPOINTS } from "../operations/endpoint-selection.ts";
import { baseOf } from "./base-of.ts";
import { type ComparisonTexts, comparisonTexts } from "./comparison-texts.ts";
import { EXIT } from "./exit-codes.ts";
import { formatMarkdownTable, markdownCode, markdownSubject } from "./markdown.ts";
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
import type { Shell } from "./shell.ts";
import { formatTable } from "./table.ts";

/** Flags that say which parts are compared. */
export interface ComparedParts extends SelectionOptions, RampOptions {
  readonly baseFrom?: number;
  readonly baseUntil?: number;
}

export interface CompareOptions extends ComparedParts {
  readonly json?: true;
  readonly markdown?: true;
  readonly markdownFile?: string;
  readonly limit?: number;
}

/** Prints what differs between two load tests. */
export async function compareCommand(
  given: string,
  { id, ...options }: CompareOptions & { readonly id: string },
  shell: Shell,
): Promise<number> {
  const base = await baseOf(given, id, options, shell);
  const query = compareQuery(base, id, options);
  await using opened = await openReader(options, shell);
  const comparison = await opened.reader.compare(query);
  const { markdownFile, limit = Infinity } = options;
  const markdown = (): string =>
    markdownOf(markdownSubject(id, base), comparisonTexts(comparison, limit, markdownCode));
  if (markdownFile !== undefined) {
    await writeReportFile("--markdown-file", markdownFile, markdown());
  }
  await shell.writeOut(options.markdown ? markdown() : report(comparison, options));
  return EXIT.done;
}

function report(
  comparison: LoadTestComparison,
  { json, limit = Infinity }: CompareOptions,
): string {
  if (json) return `${JSON.stringify(comparison)}\n`;
  const { counts, rows, notes } = comparisonTexts(comparison, limit, printable);
  return `${formatTable(rows)}${[counts, ...notes].map((line) => `${line}\n`).join("")}`;
}

function markdownOf(subject: string, { counts, rows, notes }: ComparisonTexts): string {
  // A star at the begin of a line would be a list.
  const lines = notes.map((note) => `\n${note.replace("*", String.raw`\*`)}\n`);
  return `${subject}: ${counts}\n\n${formatMarkdownTable(rows)}${lines.join("")}`;
}

/** What the flags ask for. Throws `bad-parameter`. */
export function compareQuery(base: string, id: string, options: ComparedParts): CompareQuery {
  const { baseFrom, baseUntil } = options;
  const both = {
    selection: selectionOf(options) ?? ALL_ENDPOINTS,
    ...rampsOf(options),
  };
  const ofBase = {
    ...(baseFrom === undefined ? {} : { from: baseFrom }),
    ...(baseUntil === undefined ? {} : { until: baseUntil }),
  };
  return {
    base: { ...both, loadTestId: base, range: rangeOf(ofBase) },
    later: { ...both, loadTestId: id, range: rangeOf(options) },
  };
}
