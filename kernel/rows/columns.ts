import { COLUMNS } from "./layout";

/** Indexes into `COLUMNS`, of four bytes each: the delimiter, the number of fields, */
export const DELIMITER: u32 = 0;
export const FIELDS: u32 = 1;
/** and the column of each field; -1 if the source does not have it. */
export const TIME_STAMP: u32 = 2;
export const ELAPSED: u32 = 3;
export const LABEL_TEXT: u32 = 4;
export const SUCCESS: u32 = 5;
export const BYTES: u32 = 6;
export const SAMPLE_COUNT: u32 = 7;
export const ALL_THREADS: u32 = 8;
export const HOST_NAME: u32 = 9;
export const RESPONSE_MESSAGE: u32 = 10;
export const DATA_TYPE: u32 = 11;
export const RESPONSE_CODE: u32 = 12;
export const FAILURE_MESSAGE: u32 = 13;
/** Measures, in the order of `MEASURED`. */
export const FIRST_MEASURE: u32 = 14;
/** Facets: the thread name, the number of further columns, and those. */
export const THREAD_NAME: u32 = 18;
export const FURTHER_FACETS: u32 = 19;
export const FIRST_FACET: u32 = 20;

export function columnOf(place: u32): i32 {
  return load<i32>(COLUMNS + (place << 2));
}
