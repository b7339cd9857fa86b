/** Table of requests kept whole, one row per batch that has any. */

import type { DatabaseSync } from "node:sqlite";
import type { LabelledSample } from "../../../model/samples/request-sample.ts";
import { packSamples, unpackSamples } from "../../block/packed-details.ts";

interface Source {
  readonly number: number;
  readonly id: string;
}

/** Opens the table on one connection; changing methods require a write transaction. */
export function openSampleRows(database: DatabaseSync) {
  const insert = database.prepare("INSERT INTO samples VALUES (?, ?, ?, ?)");
  const find = database.prepare(
    "SELECT bytes FROM samples WHERE source = ? AND shown_from <= ? ORDER BY sequence",
  );
  const remove = database.prepare("DELETE FROM samples WHERE source = ?");
  const removeAll = database.prepare(
    "DELETE FROM samples WHERE source IN (SELECT number FROM sources WHERE load_test = ?)",
  );
  return {
    /** Stores those of a batch, if any. `revision`: of a live batch; a staged one is seen with its source. */
    add(
      source: Source,
      sequence: number,
      {
        samples = [],
        revision = 0,
      }: { samples?: readonly LabelledSample[] | undefined; revision?: number | undefined },
    ): void {
      if (samples.length > 0) insert.run(source.number, sequence, revision, packSamples(samples));
    },
    /** Returns all of a source at a revision, as its batches have them. Throws `damaged-store`. */
    of: (source: Source, revision: number): readonly LabelledSample[] =>
      find
        .all(source.number, revision)
        .flatMap(({ bytes }) => unpackSamples(bytes as Uint8Array, source.id)),
    remove(source: Source): void {
      remove.run(source.number);
    },
    /** Removes those of all sources of a load test. */
    removeAll(loadTest: number): void {
      removeAll.run(loadTest);
    },
  };
}
