/** Saying what damaged bytes affect: the load test, its endpoints and the minutes. */

import { UserError } from "../../model/errors.ts";
import type { LoadTest } from "../../model/load-test.ts";
import type { BlockRow } from "./block-rows.ts";

const LABELS_LISTED = 3;

/** The error to throw in place of `error`, met while a block was read. */
export function describeDamage(
  error: unknown,
  loadTest: Pick<LoadTest, "id">,
  labels: readonly string[],
  block: Pick<BlockRow, "number" | "kind" | "first_second" | "last_second">,
): unknown {
  // The checksum was right where a `RangeError` comes from: bytes that lead nowhere.
  const isDamage = error instanceof UserError || error instanceof RangeError;
  if (!isDamage || (error instanceof UserError && error.code !== "damaged-store")) return error;
  const of = block.kind === "points" ? "" : `${block.kind} of `;
  const whose = labels.length === 0 ? "" : `${endpointsNamed(labels)}, `;
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
