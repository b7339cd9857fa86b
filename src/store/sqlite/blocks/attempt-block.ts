import { labelOfSeries } from "../../../model/series/facets.ts";
import type { LoadTest } from "../../../model/load-test.ts";
import { UserError } from "../../../model/errors.ts";
import { type BlockRow, type BlockRows, GC_GRACE_MS } from "./block-rows.ts";

const LABELS_LISTED = 3;

/** The bytes of blocks. */
export interface BlockFile {
  readonly reading: { readonly blocks: Pick<BlockRows, "has" | "segment"> };
}

interface ReadBlock {
  readonly file: BlockFile;
  readonly loadTest: LoadTest;
  readonly row: BlockRow;
  /** Returns those of the endpoints that are read; none if they are many. */
  readonly labels?: (() => readonly string[]) | undefined;
}

/** Reads part of a block. Throws `damaged-store`, which names what is affected, and `busy`. */
export function attemptBlock<Result>(
  { file, loadTest, row, labels }: ReadBlock,
  work: () => Result,
): Result {
  try {
    return work();
  } catch (error) {
    if (!file.reading.blocks.has(row.number)) throw tookTooLong(loadTest);
    throw describeDamage(error, loadTest, labels?.() ?? [], row);
  }
}

/** Another process has removed the block meanwhile. */
export function tookTooLong({ id }: LoadTest): UserError {
  const seconds = GC_GRACE_MS / 1000;
  return new UserError("busy", `load test "${id}" was not read for ${seconds} s: restart the read`);
}

/** Returns the error to throw instead of `error`, which occurred while a block was read. */
export function describeDamage(
  error: unknown,
  loadTest: Pick<LoadTest, "id">,
  labels: readonly string[],
  block: Pick<BlockRow, "number" | "kind" | "first_second" | "last_second">,
): unknown {
  // A `RangeError` means that the checksum matches but the bytes cannot be decoded.
  const isDamage = error instanceof UserError || error instanceof RangeError;
  if (!isDamage || (error instanceof UserError && error.code !== "damaged-store")) return error;
  const of = block.kind === "points" ? "" : `${block.kind} of `;
  // A label that facets split has several series.
  const own = [...new Set(labels.map(labelOfSeries))];
  const whose = own.length === 0 ? "" : `${endpointsNamed(own)}, `;
  const affected = `${of}${whose}${minutesOf(block)}`;
  return new UserError(
    "damaged-store",
    `cannot read load test "${loadTest.id}", ${affected}: block ${block.number}: ${error.message}`,
    { cause: error },
  );
}

function endpointsNamed(labels: readonly string[]): string {
  const named = labels.slice(0, LABELS_LISTED).map((label) => JSON.stringify(label));
  const more = labels.length - named.length;
  const list = named.join(", ") + (more > 0 ? ` and ${more} more` : "");
  return labels.length === 1 ? `endpoint ${list}` : `endpoints ${list}`;
}

function minutesOf({
  first_second,
  last_second,
}: Pick<BlockRow, "first_second" | "last_second">): string {
  const [from, until] = [minuteOf(first_second), minuteOf(last_second)];
  return from === until ? `minute ${from}` : `minutes ${from} to ${until}`;
}

function minuteOf(second: number): string {
  return `${new Date(second * 1000).toISOString().slice(0, 16)}Z`;
}

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
