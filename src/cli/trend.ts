import { ALL_ENDPOINTS } from "../operations/endpoint-selection.ts";
import { LOAD_TESTS_DEFAULT } from "../operations/trend/trend-series.ts";
import { EXIT } from "./exit-codes.ts";
import { formatMarkdownTable, markdownCode } from "./markdown.ts";
import { openReader, type PlaceOptions } from "./opened-reader.ts";
import { printable } from "./printable.ts";
import { type RampOptions, rampsOf, selectionOf } from "./selection.ts";
import type { Shell } from "./shell.ts";
import { formatTable } from "./table.ts";
import { trendTexts } from "./trend-texts.ts";

export interface TrendOptions extends PlaceOptions, RampOptions {
  readonly tag?: string;
  readonly last?: number;
  readonly since?: string;
  readonly ignoreBaseline?: true;
  readonly upTo?: string;
  readonly filter?: string;
  readonly hash?: string;
  readonly json?: true;
  readonly markdown?: true;
}

/** Prints a series of load tests, and what changed in it. */
export async function trendCommand(
  name: string | undefined,
  options: TrendOptions,
  shell: Shell,
): Promise<number> {
  const { tag, last = LOAD_TESTS_DEFAULT, since, ignoreBaseline, upTo } = options;
  const selection = selectionOf(options) ?? ALL_ENDPOINTS;
  await using opened = await openReader(options, shell);
  const series = { name, tag, last, since, ignoreBaseline, upTo };
  const trend = await opened.reader.trend({ ...series, selection, ...rampsOf(options) });
  if (options.json) {
    await shell.writeOut(`${JSON.stringify(trend)}\n`);
    return EXIT.done;
  }
  const show = options.markdown ? markdownCode : printable;
  const table = options.markdown ? formatMarkdownTable : formatTable;
  const { head, changes, loadTests, notes } = trendTexts(trend, show);
  const subject = [name, tag].flatMap((each) => (each === undefined ? [] : [show(each)]));
  const parts = [
    `${subject.join(", ")}: ${head}\n`,
    ...(changes.length === 1 ? [] : [table(changes)]),
    table(loadTests),
    ...notes.map((note) => `${options.markdown ? note.replace("*", String.raw`\*`) : note}\n`),
  ];
  await shell.writeOut(parts.join("\n"));
  return EXIT.done;
}
