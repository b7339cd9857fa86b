import type { CompareQuery } from "../operations/compare-load-tests.ts";
import { ALL_ENDPOINTS } from "../operations/endpoint-selection.ts";
import { comparisonTable, STAR_NOTE, verdictCounts } from "./comparison-table.ts";
import { EXIT } from "./exit-codes.ts";
import { formatMarkdownTable, markdownCode } from "./markdown.ts";
import { openReader } from "./opened-reader.ts";
import { printable } from "./printable.ts";
import { rangeOf, type SelectionOptions, selectionOf } from "./selection.ts";
import type { Shell } from "./shell.ts";
import { formatTable } from "./table.ts";

/** Flags that say which parts are compared. */
export interface ComparedParts extends SelectionOptions {
  readonly baseFrom?: number;
  readonly baseUntil?: number;
  readonly skipStart?: number;
}

export interface CompareOptions extends ComparedParts {
  readonly json?: true;
  readonly markdown?: true;
}

/** Prints what differs between two load tests. */
export async function compareCommand(
  base: string,
  { id, ...options }: CompareOptions & { readonly id: string },
  shell: Shell,
): Promise<number> {
  const query = compareQuery(base, id, options);
  await using opened = await openReader(options, shell);
  const comparison = await opened.reader.compare(query);
  if (options.json) {
    await shell.writeOut(`${JSON.stringify(comparison)}\n`);
    return EXIT.done;
  }
  const notes = `${verdictCounts(comparison)}\n`;
  const text = options.markdown
    ? `${notes}\n${formatMarkdownTable(comparisonTable(comparison, markdownCode))}\n\\${STAR_NOTE}\n`
    : `${formatTable(comparisonTable(comparison, printable))}${notes}${STAR_NOTE}\n`;
  await shell.writeOut(text);
  return EXIT.done;
}

/** What the flags ask for. Throws `bad-parameter`. */
export function compareQuery(base: string, id: string, options: ComparedParts): CompareQuery {
  const { baseFrom, baseUntil, skipStart } = options;
  const both = {
    selection: selectionOf(options) ?? ALL_ENDPOINTS,
    skipStartSeconds: skipStart ?? 0,
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
