/** Settings sent with each request, so that server profiles cannot change its meaning. */
export type RequestSettings = Readonly<Record<string, string | number>>;

/** Limits of a profile must fail a query, never truncate its result silently. */
const OVERFLOWS = Object.fromEntries(
  ["read", "group_by", "sort", "result", "timeout", "set", "join", "distinct"].map((limit) => [
    `${limit}_overflow_mode`,
    "throw",
  ]),
);

export const READ_SETTINGS: RequestSettings = {
  ...OVERFLOWS,
  // A batch is in one partition, so duplicate rows always share a partition.
  do_not_merge_across_partitions_select_final: 1,
  cancel_http_readonly_queries_on_client_close: 1,
  aggregate_functions_null_for_empty: 0,
  output_format_native_encode_types_in_binary_format: 0,
  final: 0,
  limit: 0,
  offset: 0,
};

/** Current servers buffer inserts by default; acknowledged rows must be stored, as one block. */
export const INSERT_SETTINGS: RequestSettings = {
  async_insert: 0,
  wait_for_async_insert: 1,
  use_strict_insert_block_limits: 0,
  input_format_native_decode_types_in_binary_format: 0,
};

/** Block deduplication must never drop a retried batch: rows are idempotent by key. In newer servers the second setting wins. */
export const NO_DEDUPLICATION: RequestSettings = {
  insert_deduplicate: 0,
  deduplicate_insert: "disable",
};

/** Reads what a quorum, or another server of the cloud, has acknowledged. */
export const CONSISTENT_READS: RequestSettings = { select_sequential_consistency: 1 };

/** Supported by all servers in use. */
const ALWAYS_KNOWN: ReadonlySet<string> = new Set(["max_query_size"]);

/** Returns the settings that a server knows; the others guard against nothing there. */
export function knownOf(settings: RequestSettings, known: ReadonlySet<string>): RequestSettings {
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => ALWAYS_KNOWN.has(name) || known.has(name)),
  );
}
