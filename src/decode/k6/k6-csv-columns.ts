import { PART_OF_TAG, TIME, VALUE } from "./k6-parts.ts";

/** Columns depend on k6's version and `systemTags`. */
export interface K6CsvColumns {
  readonly count: number;
  readonly metric: number;
  /** Whether metric, time and value are the first columns, in this order. */
  readonly isUsual: boolean;
  /** Columns that are parts of the sample. */
  readonly parts: readonly { readonly column: number; readonly part: number }[];
  /** Tag name to column index: the fields of label templates. */
  readonly tags: ReadonlyMap<string, number>;
}

/** First column of every header. */
export const METRIC_COLUMN = "metric_name";

const PART_OF_COLUMN: ReadonlyMap<string, number> = new Map([
  ["timestamp", TIME],
  ["metric_value", VALUE],
  ...PART_OF_TAG,
]);

/** Columns that every header has, in their usual order; they differ between the samples of one request. */
const NO_TAGS: readonly string[] = [METRIC_COLUMN, "timestamp", "metric_value"];

/** `undefined` if `names` is no k6 header. */
export function columnsOf(names: readonly string[]): K6CsvColumns | undefined {
  if (!NO_TAGS.every((name) => names.includes(name))) return undefined;
  const isFirst = (name: string, column: number): boolean => names.indexOf(name) === column;
  return {
    count: names.length,
    metric: names.indexOf(METRIC_COLUMN),
    isUsual: NO_TAGS.every((name, column) => names[column] === name),
    parts: names.flatMap((name, column) => {
      const part = isFirst(name, column) ? PART_OF_COLUMN.get(name) : undefined;
      return part === undefined ? [] : [{ column, part }];
    }),
    tags: new Map(
      names
        .map((name, column) => [name, column] as const)
        .filter(([name, column]) => isFirst(name, column) && !NO_TAGS.includes(name)),
    ),
  };
}

/** k6 mixes rows with console text on `-`: any line may match. */
export function isK6Csv(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head);
  if (!text.includes(METRIC_COLUMN)) return false;
  return text
    .split("\n")
    .some((line) => columnsOf(line.trimEnd().replaceAll('"', "").split(",")) !== undefined);
}
