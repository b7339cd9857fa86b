import type { CsvRecord } from "./csv-record.ts";

/** What is wrong with a record that has not as many fields as are wanted. */
export function fieldCounts({ fields, lineFeeds }: CsvRecord, wanted: number): string {
  const where = lineFeeds > 1 ? ` in ${lineFeeds} lines` : "";
  return `got ${fields} ${fields === 1 ? "field" : "fields"}${where}, want ${wanted}`;
}
