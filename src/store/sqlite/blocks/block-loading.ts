import type { BlockRow } from "./block-rows.ts";

/** Fetches the bytes of blocks before they are read, from a store that cannot return them at once. */
export interface BlockLoading {
  /** Fetches those that are not here, as far as there is room. */
  ahead(rows: readonly BlockRow[]): Promise<void>;
  /** Runs `work` with these blocks at hand. Throws `busy` if one is gone. */
  with<Result>(rows: readonly BlockRow[], work: () => Result): Promise<Result>;
}

/** Blocks fetched together, unless the first alone have more points. */
export const ROWS_AHEAD = 64;

/** Runs `work`, which reads these blocks, once they are at hand: at once without `loading`. */
export function withBlocks<Result>(
  loading: BlockLoading | undefined,
  rows: readonly BlockRow[],
  work: () => Result,
): Result | Promise<Result> {
  return loading === undefined ? work() : loading.with(rows, work);
}
