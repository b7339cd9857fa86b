/** Table of percentiles computed by load tools, one row per batch that has any. */

import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../../model/errors.ts";
import {
  NO_PERCENTILES,
  type ReportedPercentiles,
  uniteReported,
} from "../../../model/reported-percentiles.ts";
import {
  packPercentiles,
  unpackPercentiles,
  packSamples,
  unpackSamples,
} from "../../block/packed-details.ts";
import type { SampleEntry } from "../../../model/samples/child-spans.ts";
import { LruCache } from "../../../concurrency/lru-cache.ts";

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
  return {
    add(source: Source, sequence: number, reported = NO_PERCENTILES): void {
      if (reported.second.length === 0) return;
      insert.run(source.number, sequence, packPercentiles(reported));
    },
    /** Returns all of a source. Throws `damaged-store`. */
    of: (source: Source): ReportedPercentiles =>
      uniteReported(find.all(source.number).map(({ bytes }) => reportedIn(source, bytes))),
    ...removing(database, "reported_percentiles"),
  };
}

function reportedIn({ id }: Source, bytes: unknown): ReportedPercentiles {
  const reported = bytes instanceof Uint8Array ? unpackPercentiles(bytes) : undefined;
  if (reported !== undefined) return reported;
  throw new UserError("damaged-store", `the reported percentiles of source "${id}" are damaged`);
}

/** Opens the table on one connection; changing methods require a write transaction. */
export function openSampleRows(database: DatabaseSync) {
  const insert = database.prepare("INSERT INTO samples VALUES (?, ?, ?, ?)");
  const find = database.prepare(
    "SELECT bytes FROM samples WHERE source = ? AND shown_from <= ? ORDER BY sequence",
  );
  return {
    /** Stores those of a batch, if any. `revision`: of a live batch; a staged one is seen with its source. */
    add(
      source: Source,
      sequence: number,
      {
        samples = [],
        revision = 0,
      }: { samples?: readonly SampleEntry[] | undefined; revision?: number | undefined },
    ): void {
      if (samples.length > 0) insert.run(source.number, sequence, revision, packSamples(samples));
    },
    /** Returns all of a source at a revision, as its batches have them. Throws `damaged-store`. */
    of: (source: Source, revision: number): readonly SampleEntry[] =>
      find
        .all(source.number, revision)
        .flatMap(({ bytes }) => unpackSamples(bytes as Uint8Array, source.id)),
    ...removing(database, "samples"),
  };
}

function removing(database: DatabaseSync, table: "reported_percentiles" | "samples") {
  const remove = database.prepare(`DELETE FROM ${table} WHERE source = ?`);
  const removeAll = database.prepare(
    `DELETE FROM ${table} WHERE source IN (SELECT number FROM sources WHERE load_test = ?)`,
  );
  return {
    remove(source: Source): void {
      remove.run(source.number);
    },
    /** Removes those of all sources of a load test. */
    removeAll(loadTest: number): void {
      removeAll.run(loadTest);
    },
  };
}

const LOAD_TESTS_REMEMBERED = 16;

/** Opens the table on one connection; changing methods require a write transaction. Keys are those of `keyOfSeries`. */
export function openMeasureSeries(database: DatabaseSync) {
  const insert = database.prepare("INSERT OR IGNORE INTO measure_series VALUES (?, ?)");
  const find = database.prepare("SELECT key FROM measure_series WHERE load_test = ?");
  const removeAll = database.prepare("DELETE FROM measure_series WHERE load_test = ?");
  const remembered = new LruCache<number, Set<string>>(LOAD_TESTS_REMEMBERED);
  const read = (loadTest: number) => new Set(find.all(loadTest).map((row) => String(row["key"])));
  return {
    keys: read,
    /** Whether it has all of them; may not see those that were added since the last call. */
    knowsAll(loadTest: number, keys: readonly string[]): boolean {
      if (keys.length === 0) return true;
      const known = remembered.get(loadTest) ?? read(loadTest);
      remembered.set(loadTest, known);
      return keys.every((key) => known.has(key));
    },
    learn(loadTest: number, keys: readonly string[]): void {
      for (const key of keys) remembered.get(loadTest)?.add(key);
    },
    add(loadTest: number, keys: readonly string[]): void {
      for (const key of keys) insert.run(loadTest, key);
    },
    removeAll(loadTest: number): void {
      removeAll.run(loadTest);
    },
  };
}
