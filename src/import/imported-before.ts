/** Finds earlier imports of the content in this or another load test. */

import { UserError } from "../model/errors.ts";
import type { OtherRequests } from "../model/import-report.ts";
import { isBeginning } from "../model/marks.ts";
import type { SourceEnd } from "../source/open-source.ts";
import type { StoredState } from "./stored-states.ts";
import type { ImportTarget } from "./ensure-load-test.ts";
import { overflowNote } from "./overflow-labels.ts";
import type { PublishedSource } from "../store/snapshot.ts";

/**
 * Whether an imported source is a later state of a file with this many requests. Marks stand at line ends, so
 * a file whose only request is in its unfinished last line cannot be compared.
 */
export function isLaterState(
  { published }: StoredState,
  end: SourceEnd,
  recorded: number,
): boolean {
  if (published?.marks === undefined) return false;
  if (end.lastMarkAt < end.sizeBytes && recorded < 2) return false;
  return isBeginning(end, { sizeBytes: published.sizeBytes, marks: published.marks });
}

/** The content in another load test; `undefined` if none has it, this one has it, too, or nobody asks. */
export async function findElsewhere(
  { points }: ImportTarget,
  { id, isOnlyNew = false }: { readonly id: string; readonly isOnlyNew: boolean | undefined },
  { sizeBytes, digest }: SourceEnd,
): Promise<PublishedSource | undefined> {
  if (!isOnlyNew) return undefined;
  const found = await points.findContent({ sizeBytes, digest });
  return found.some(({ loadTestId }) => loadTestId === id) ? undefined : found[0];
}

/**
 * Allows an export, which is a complete run, only into a run without other data: requests would count twice.
 * `same` is what the run has of this file. Throws `load-test-exists`.
 */
export async function requireNoOther(
  { points }: ImportTarget,
  id: string,
  same: readonly StoredState[],
): Promise<void> {
  const held = [...(await points.liveSources(id)), ...(await points.sources(id))];
  const own = new Set(same.map(({ sourceId }) => sourceId));
  if (held.every(({ sourceId }) => own.has(sourceId))) return;
  throw new UserError(
    "load-test-exists",
    `cannot import an exported run into another one: "${id}" has data already; give another --id`,
  );
}

interface Remarkable {
  readonly later: StoredState | undefined;
  readonly elsewhere: PublishedSource | undefined;
  readonly overflow: OtherRequests | undefined;
}

/** Returns the notes of the report about them. */
export function notesOn({ later, elsewhere, overflow }: Remarkable): readonly string[] {
  const notes: string[] = [];
  if (later !== undefined) {
    const name = later.published?.name;
    notes.push(`an earlier state of "${name}", which is in the load test already`);
  }
  if (elsewhere !== undefined) {
    const { loadTestId, name } = elsewhere;
    notes.push(
      `the content is in load test "${loadTestId}" already, as "${name}": to import it again, give --again, or again=true over HTTP`,
    );
  }
  if (overflow !== undefined) notes.push(overflowNote(overflow));
  return notes;
}
