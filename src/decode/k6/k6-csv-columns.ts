import { ERROR, ERROR_CODE, EXPECTED, NAME, STATUS, TIME, URL, VALUE } from "./k6-parts.ts";

/** Where the columns of a k6 CSV stand: they depend on k6's version and its `systemTags`. */
export interface K6CsvColumns {
  readonly count: number;
  /** The column with the name of the metric. */
  readonly metric: number;
  /** Whether metric, time and value are the first columns, in this order, as k6 writes them. */
  readonly isUsual: boolean;
  /** Column to part of a sample. */
  readonly parts: readonly (number | undefined)[];
  /** The columns with tags, to what their index in the file is: what a label may be made of. */
  readonly tags: ReadonlyMap<string, number>;
}

/** Begins the header, and again every header that stands in the middle of a file. */
export const METRIC_COLUMN = "metric_name";

const PART_OF_COLUMN: ReadonlyMap<string, number> = new Map([
  ["timestamp", TIME],
  ["metric_value", VALUE],
  ["name", NAME],
  ["url", URL],
  ["expected_response", EXPECTED],
  ["error", ERROR],
  ["error_code", ERROR_CODE],
  ["status", STATUS],
]);

/** Columns that differ between the samples of one request. */
const NO_TAGS: readonly string[] = [METRIC_COLUMN, "timestamp", "metric_value"];

/** The columns that a header names; `undefined` where `names` is no header of k6. */
export function columnsOf(names: readonly string[]): K6CsvColumns | undefined {
  const metric = names.indexOf(METRIC_COLUMN);
  if (metric < 0 || !names.includes("timestamp") || !names.includes("metric_value")) {
    return undefined;
  }
  const isFirst = (name: string, column: number): boolean => names.indexOf(name) === column;
  return {
    count: names.length,
    metric,
    isUsual: [METRIC_COLUMN, "timestamp", "metric_value"].every(
      (name, column) => names[column] === name,
    ),
    parts: names.map((name, column) =>
      isFirst(name, column) ? PART_OF_COLUMN.get(name) : undefined,
    ),
    tags: new Map(
      names
        .map((name, column) => [name, column] as const)
        .filter(([name, column]) => isFirst(name, column) && !NO_TAGS.includes(name)),
    ),
  };
}

/** k6 mixes its rows with console text when it writes to `-`, so any line of the head will do. */
export function isK6Csv(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head);
  if (!text.includes(METRIC_COLUMN)) return false;
  return text
    .split("\n")
    .some((line) => columnsOf(line.trimEnd().replaceAll('"', "").split(",")) !== undefined);
}
