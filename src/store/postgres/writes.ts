/** Changes of one load test, each one transaction of two round trips: read and lock, then write and commit. */

import type { LabelLimit } from "../label-limit.ts";
import { type RoleCounts, addRoleCounts, decodeRoleCounts } from "../sqlite/catalogue/tally.ts";
import type { Database, Outcome, Run } from "./database.ts";
import type { Labels } from "./labels.ts";
import { IS_LOAD_TEST, LOAD_TEST, type LoadTestKey, keyOf, loadTestIn } from "./load-test-table.ts";
import { SOURCE_COLUMNS, bytesIn, sourceOf } from "./source-rows.ts";
import { NeedsAllSources, type ReadRows, WorkingSet, digestKey } from "./working-set.ts";

export interface PostgresParts {
  readonly database: Database;
  readonly storeId: string;
  readonly now: () => number;
  readonly labelLimit: LabelLimit;
  readonly labels: Labels;
  readonly numbers: Numbers;
}

/** What a change has to know before it begins. */
export interface Wanted {
  readonly sourceIds: readonly string[];
  /** Numbers of batches that it may add. */
  readonly sequences?: readonly number[];
  /** New blocks and sources, at most. */
  readonly numbers: number;
  /** Whether all sources, their blocks and role counts are needed. @default only if the rules ask for them */
  readonly all?: boolean;
}

const LOCK = `SELECT ${LOAD_TEST} FROM load_tests WHERE ${IS_LOAD_TEST} FOR UPDATE`;
const OF_LOAD_TEST = `load_test = (SELECT number FROM load_tests WHERE ${IS_LOAD_TEST})`;

/** Runs `work` on the locked rows of a load test; `undefined`: it does not exist. Stores what it has changed. */
export async function changeLoadTest<Result>(
  { database, now, labelLimit, labels, numbers }: PostgresParts,
  loadTest: LoadTestKey,
  wanted: Wanted,
  work: (target: WorkingSet | undefined) => Result,
): Promise<Result> {
  const taken = await numbers.reserve(wanted.numbers);
  let caughtUp = false;
  const attempt = async (run: Run, all: boolean): Promise<Outcome<Result>> => {
    const rows = await readRows(run, loadTest, { ...wanted, all });
    if (rows === undefined) return { result: work(undefined), statements: [] };
    const known = labels.known(rows.row.number);
    const cached = {
      labels: known.labels,
      labelsIn: (set: Uint8Array) => known.labelsIn(set),
      numberOf: (label: string) => known.numberOf(label),
      seriesOf: (label: string) => known.seriesOf(label),
      // They were read before the work is repeated.
      catchUp() {
        if (!caughtUp) throw new NeedsLabels(rows.row.number);
      },
    };
    const target = new WorkingSet(rows, { now, labelLimit, known: cached, numbers: taken });
    try {
      const result = work(target);
      return { result, statements: target.statements() };
    } catch (error) {
      if (error instanceof NeedsAllSources) return attempt(run, true);
      throw error;
    }
  };
  for (;;) {
    try {
      return await database.transaction((run) => attempt(run, wanted.all ?? false), true);
    } catch (error) {
      if (!(error instanceof NeedsLabels)) throw error;
      await labels.catchUp(error.loadTest);
      caughtUp = true;
    }
  }
}

/** The limit of labels is near: all labels have to be known. */
class NeedsLabels extends Error {
  readonly loadTest: number;

  constructor(loadTest: number) {
    super();
    this.loadTest = loadTest;
  }
}

/** Whether the work has to be repeated with more rows, rather than failed. */
export function asksForMore(error: unknown): boolean {
  return error instanceof NeedsAllSources || error instanceof NeedsLabels;
}

async function readRows(
  run: Run,
  loadTest: LoadTestKey,
  { sourceIds, sequences = [], all = false }: Wanted,
): Promise<ReadRows | undefined> {
  // All are sent at once, and each sees what was committed before the lock was given.
  const key = keyOf(loadTest);
  const ids = sourceIds.map((each) => Buffer.from(each));
  const isOfThese = `${OF_LOAD_TEST} AND source IN (
    SELECT number FROM sources WHERE ${OF_LOAD_TEST} AND id = ANY($4::bytea[]))`;
  const [locked, sources, batches, counts, roles] = await Promise.all([
    run(LOCK, key),
    all
      ? run(`SELECT ${SOURCE_COLUMNS} FROM sources WHERE ${OF_LOAD_TEST}`, key)
      : run(
          `SELECT ${SOURCE_COLUMNS} FROM sources WHERE ${OF_LOAD_TEST} AND id = ANY($4::bytea[])`,
          [...key, ids],
        ),
    sequences.length === 0
      ? []
      : run(
          `SELECT source, sequence, digest FROM batches
           WHERE ${isOfThese} AND sequence = ANY($5::bigint[])`,
          [...key, ids, sequences],
        ),
    all && sequences.length === 0
      ? run(
          `SELECT source, count(*) AS blocks FROM blocks
           WHERE ${isOfThese} AND shown_until IS NULL GROUP BY source`,
          [...key, ids],
        )
      : [],
    all && sequences.length === 0
      ? run(
          `SELECT source, role_counts FROM batches WHERE ${isOfThese} AND role_counts IS NOT NULL`,
          [...key, ids],
        )
      : [],
  ]);
  if (locked[0] === undefined) return undefined;
  const { row, latestRevision } = loadTestIn(locked[0]);
  const bySource = Map.groupBy(roles, ({ source }) => Number(source));
  return {
    row,
    latestRevision,
    sources: sources.map(sourceOf),
    hasAll: all,
    digests: new Map(
      batches.map(({ source, sequence, digest }) => [
        digestKey(Number(source), Number(sequence)),
        bytesIn(digest),
      ]),
    ),
    blocks: new Map(counts.map(({ source, blocks }) => [Number(source), Number(blocks)])),
    roleCounts: new Map(
      [...bySource].map(([source, own]): [number, RoleCounts] => [
        source,
        addRoleCounts(own.map((each) => decodeRoleCounts(bytesIn(each["role_counts"])))),
      ]),
    ),
  };
}

/** As many as the sequence adds. */
const NUMBERS_AT_ONCE = 1000;

/** Numbers of load tests, sources and blocks: unique in the database, never used again, in no order between processes. */
export class Numbers {
  readonly #database: Database;
  #next = 0;
  #end = 0;
  #losses = 0;
  #more: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns this many, taken for good. */
  async reserve(count: number): Promise<readonly number[]> {
    // A standby without the last transactions would give the same ones again.
    if (this.#losses !== this.#database.losses) this.#end = this.#next;
    this.#losses = this.#database.losses;
    const numbers: number[] = [];
    while (numbers.length < count) {
      if (this.#next === this.#end) await (this.#more ??= this.#fetch());
      else numbers.push(this.#next++);
    }
    return numbers;
  }

  async #fetch(): Promise<void> {
    try {
      const [row] = await this.#database.write({
        sql: "SELECT nextval('numbers') AS first",
        values: [],
      });
      this.#next = Number(row?.["first"]);
      this.#end = this.#next + NUMBERS_AT_ONCE;
    } finally {
      this.#more = undefined;
    }
  }
}
