import { UserError } from "../model/errors.ts";
import type { PublishedSource } from "./snapshot.ts";
import type { PointBatch } from "./store.ts";

export function loadTestExists(id: string): UserError {
  return new UserError("load-test-exists", `load test "${id}" already exists`);
}

export function sequenceReused(batch: PointBatch): UserError {
  return new UserError(
    "sequence-reused",
    `cannot store batch ${batch.sequence} of source "${batch.sourceId}": the number was used for ` +
      `other contents`,
  );
}

export function sourceIsClosed(batch: PointBatch): UserError {
  return new UserError(
    "sequence-reused",
    `cannot store batch ${batch.sequence} of source "${batch.sourceId}": the source is published ` +
      `and takes no further batches`,
  );
}

function sourceMovedOn(batch: PointBatch, last: number | undefined): UserError {
  return new UserError(
    "source-moved-on",
    `cannot store batch ${batch.sequence} of source "${batch.sourceId}": expected its last batch to ` +
      `be ${batch.follows}, got ${last ?? "nothing"}; is another process sending the same?`,
  );
}

function sourceIncomplete(source: PublishedSource, batches: number): UserError {
  return new UserError(
    "source-incomplete",
    `cannot publish "${source.name}": its ${batches} batches are not numbered 0 to ` +
      `${batches - 1}; import it again`,
  );
}

/** Requires the batches that were sent: what was staged may have been deleted since. Throws `source-incomplete`. */
export function requireBatches(
  source: PublishedSource,
  { count, complete }: { readonly count: number; readonly complete: boolean },
  sent = count,
): void {
  if (!complete) throw sourceIncomplete(source, count);
  if (count === sent) return;
  throw new UserError(
    "source-incomplete",
    `cannot publish "${source.name}": ${count} of its ${sent} batches are stored; import it again`,
  );
}

/** Only a staged source can be published. Throws `source-incomplete`. */
export function requireStaged({ sourceId, name }: PublishedSource, visibility: string): void {
  if (visibility === "staged") return;
  const message = `cannot publish "${name}": its source "${sourceId}" is live`;
  throw new UserError("source-incomplete", message);
}

/** Its blocks are shown and counted already. Throws `source-incomplete`. */
export function requireUnpublished(source: PublishedSource, published: object | undefined): void {
  if (published === undefined) return;
  const message = `cannot publish "${source.name}": its source "${source.sourceId}" is published with other bytes`;
  throw new UserError("source-incomplete", message);
}

export function sourceReplaced(source: PublishedSource): UserError {
  return new UserError(
    "source-replaced",
    `cannot publish "${source.name}": the earlier state that it replaces no longer exists; ` +
      `import it again`,
  );
}

export function tooManyRequests(loadTestId: string): UserError {
  return new UserError(
    "sum-too-large",
    `the requests of load test "${loadTestId}" would exceed 2^53 - 1`,
  );
}

export function keyNameTaken(name: string): UserError {
  return new UserError("key-name-taken", `a key named "${name}" already exists`);
}

export function unknownKeyName(name: string): UserError {
  return new UserError("unknown-key-name", `there is no key named "${name}"`);
}

/** Refuses a batch that follows another one than the source's last. Throws `source-moved-on`. */
export function requireLast(batch: PointBatch, last: number | undefined): void {
  const isNext = batch.follows === undefined || batch.follows === (last ?? "nothing");
  if (!isNext) throw sourceMovedOn(batch, last);
}

/** Refuses batches of a source that was withdrawn. Throws `source-moved-on`. */
export function requireNotWithdrawn(batch: PointBatch, isWithdrawn: boolean): void {
  if (!isWithdrawn) return;
  throw new UserError(
    "source-moved-on",
    `cannot store batch ${batch.sequence} of source "${batch.sourceId}": the source was withdrawn`,
  );
}

/** Prevents mixing the kinds of source. Throws `sequence-reused`. */
export function requireSameVisibility(batch: PointBatch, visibility: string): void {
  if (batch.visibility !== visibility) {
    throw new UserError(
      "sequence-reused",
      `cannot store batch ${batch.sequence} of source "${batch.sourceId}": the source is ` +
        `${visibility}, not ${batch.visibility}`,
    );
  }
}

/**
 * Of tables and blocks, raised with every change of them until the first release: stores of other development versions are refused.
 * From then on, stores have a version and are upgraded.
 */
export const LAYOUT = 6;
