/** Settings that are sent with a request, so that no profile of a server changes what it means. */
export type RequestSettings = Readonly<Record<string, string | number>>;

/** Limits of a profile must refuse a query, never shorten its answer in silence. */
const OVERFLOWS = Object.fromEntries(
  ["read", "group_by", "sort", "result", "timeout", "set", "join", "distinct"].map((limit) => [
    `${limit}_overflow_mode`,
    "throw",
  ]),
);

export const READ_SETTINGS: RequestSettings = {
  ...OVERFLOWS,
  // A batch is in one partition, so that the same row never is in two.
  do_not_merge_across_partitions_select_final: 1,
  cancel_http_readonly_queries_on_client_close: 1,
  aggregate_functions_null_for_empty: 0,
  output_format_native_encode_types_in_binary_format: 0,
  final: 0,
  limit: 0,
  offset: 0,
};

/** Servers of today gather inserts of their own accord; what was acknowledged must be stored, as one block. */
export const INSERT_SETTINGS: RequestSettings = {
  async_insert: 0,
  wait_for_async_insert: 1,
  use_strict_insert_block_limits: 0,
  input_format_native_decode_types_in_binary_format: 0,
};

/**
 * What is remembered of blocks must never swallow a batch that is sent again: its rows are idempotent
 * by their key. In newer servers the second setting overrules the first.
 */
export const NO_DEDUPLICATION: RequestSettings = {
  insert_deduplicate: 0,
  deduplicate_insert: "disable",
};

/** Reads what was acknowledged by a quorum, or by another server of the cloud. */
export const CONSISTENT_READS: RequestSettings = { select_sequential_consistency: 1 };

/** What needs no look at whether a server knows it: older than any that is used. */
const ALWAYS_KNOWN: ReadonlySet<string> = new Set(["max_query_size"]);

/** Those of `settings` that a server knows; the others have no such effect there to guard against. */
export function knownOf(settings: RequestSettings, known: ReadonlySet<string>): RequestSettings {
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => ALWAYS_KNOWN.has(name) || known.has(name)),
  );
}
