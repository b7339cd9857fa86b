import type { JmeterColumns } from "./jmeter-csv-columns.ts";

/** What is read of a plain row. */
export const FIELD = {
  timeStamp: 0,
  elapsed: 1,
  label: 2,
  success: 3,
  bytes: 4,
  sampleCount: 5,
  allThreads: 6,
  hostname: 7,
} as const;

/** In which order the fields of a plain row are read. */
export interface PlainPlan {
  /** The fields that are read, from left to right. */
  readonly fields: Uint8Array;
  /** How many others stand in front of each of them, and behind the last one. */
  readonly others: Int32Array;
}

/** Whether rows with these columns can be plain: whether one failed must not take two fields. */
export function canBePlain({ success, errorCount }: JmeterColumns): boolean {
  return success !== undefined || errorCount === undefined;
}

export function planOf(columns: JmeterColumns): PlainPlan {
  const wanted = wantedFields(columns);
  const bounds = [-1, ...wanted.map(({ column }) => column), columns.fields];
  const gaps = bounds.slice(1).map((bound, index) => bound - (bounds[index] as number) - 1);
  return {
    fields: Uint8Array.from(wanted, ({ field }) => field),
    others: Int32Array.from(gaps),
  };
}

function wantedFields(columns: JmeterColumns): { field: number; column: number }[] {
  const { timeStamp, elapsed, label, success, bytes, sampleCount, allThreads, hostname } = columns;
  return [
    { field: FIELD.timeStamp, column: timeStamp },
    { field: FIELD.elapsed, column: elapsed },
    { field: FIELD.label, column: label },
    { field: FIELD.success, column: success },
    { field: FIELD.bytes, column: bytes },
    { field: FIELD.sampleCount, column: sampleCount },
    { field: FIELD.allThreads, column: allThreads },
    { field: FIELD.hostname, column: allThreads === undefined ? undefined : hostname },
  ]
    .flatMap(({ field, column }) => (column === undefined ? [] : [{ field, column }]))
    .toSorted((left, right) => left.column - right.column);
}
