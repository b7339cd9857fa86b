/** Table of percentiles computed by load tools, one row per batch that has any. */

import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../../model/errors.ts";
import {
  NO_PERCENTILES,
  type ReportedPercentiles,
  uniteReported,
} from "../../../model/reported-percentiles.ts";
import { packPercentiles, unpackPercentiles } from "../../block/packed-details.ts";

interface Source {
  readonly number: number;
  readonly id: string;
}

/** Opens the table on one connection; changing methods require a write transaction. */
export function openReportedRows(database: DatabaseSync) {
  const insert = database.prepare("INSERT INTO reported_percentiles VALUES (?, ?, ?)");
  const find = database.prepare(
    "SELECT bytes FROM reported_percentiles WHERE source = ? ORDER BY sequence",
  );
  const remove = database.prepare("DELETE FROM reported_percentiles WHERE source = ?");
  const removeAll = database.prepare(
    `DELETE FROM reported_percentiles
     WHERE source IN (SELECT number FROM sources WHERE load_test = ?)`,
  );
  return {
    /** Stores those of a batch, if any. */
    add(source: Source, sequence: number, reported = NO_PERCENTILES): void {
      if (reported.second.length === 0) return;
      insert.run(source.number, sequence, packPercentiles(reported));
    },
    /** Returns all of a source. Throws `damaged-store`. */
    of: (source: Source): ReportedPercentiles =>
      uniteReported(find.all(source.number).map(({ bytes }) => reportedIn(source, bytes))),
    remove(source: Source): void {
      remove.run(source.number);
    },
    /** Returns those of all sources of a load test. */
    removeAll(loadTest: number): void {
      removeAll.run(loadTest);
    },
  };
}

function reportedIn({ id }: Source, bytes: unknown): ReportedPercentiles {
  const reported = bytes instanceof Uint8Array ? unpackPercentiles(bytes) : undefined;
  if (reported !== undefined) return reported;
  throw new UserError("damaged-store", `the reported percentiles of source "${id}" are damaged`);
}
