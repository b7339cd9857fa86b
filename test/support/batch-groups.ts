import { type BatchGroup, sourceNumber } from "../../src/store/clickhouse/catalogue/sources.ts";

/** What a ClickHouse store holds of a source. By default a batch with one request. */
export function batchGroup(
  about: Partial<BatchGroup["about"]>,
  others: Partial<Omit<BatchGroup, "about">> = {},
): BatchGroup {
  const { sourceId = "a", generation = 0, isLive = true, format } = about;
  return {
    number: sourceNumber(sourceId, generation),
    about: { sourceId, generation, isLive, format },
    batches: 1,
    lastSequence: 0,
    sequences: undefined,
    latest: undefined,
    mix: 1n,
    requests: 1,
    failedRequests: 0,
    fromSecond: 5,
    untilSecond: 5,
    storedAtMs: 1,
    hasConflicts: false,
    setAside: [],
    soleWriter: undefined,
    ...others,
  };
}
