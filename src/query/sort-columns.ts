/** Sort columns of tables: statistics of a summary, the impact (see `impactOf`), and the label. */
export const SORT_COLUMNS = [
  "label",
  "count",
  "errCount",
  "errRate",
  "avgLoadTime",
  "minLoadTime",
  "p50",
  "p90",
  "p95",
  "p99",
  "p999",
  "maxLoadTime",
  "receivedBytes",
  "reqPerSec",
  "receivedBytesPerSec",
  "impact",
] as const;

export type SortColumn = (typeof SORT_COLUMNS)[number];
