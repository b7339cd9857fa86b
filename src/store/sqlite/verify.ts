/** Reads everything back, to find damage before a response needs it. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { UserError } from "../../model/errors.ts";
import { labelsOfMeasures } from "../../model/measures/measure-table.ts";
import type { DataPoints } from "../../model/data-points.ts";
import { decodeBlock } from "../block/block.ts";
import { decodeFailures, decodeUsers } from "../block/detail-segments.ts";
import { decodeMeasures } from "../block/measures-segment.ts";
import type { Damage, Files, StoreScope } from "../store.ts";
import { type BlockRow, type CheckedRow, isIntact, type Segments } from "./blocks/block-rows.ts";
import { describeDamage } from "./blocks/attempt-block.ts";
import { encodeEndpointSet, numbersIn } from "../block/endpoint-set.ts";
import type { SqliteFile } from "./file.ts";
import { readSegments } from "./blocks/segment-cache.ts";
import type { SnapshotKeeper } from "./snapshot-keeper.ts";
import { atOneInstant, storeError } from "./file/sql-error.ts";
import { openSqliteFiles } from "./files.ts";
import { type ScopeRow, scopeOf } from "./catalogue/load-test-rows.ts";
import { ENVIRONMENT_OF_HOUR } from "./schema.ts";
import { addTallies, EMPTY_TALLY, type Tally, uncountedRows } from "./catalogue/tally.ts";

const STRUCTURE_PROBLEMS_LISTED = 20;

const NAMES = `SELECT number, project, ${ENVIRONMENT_OF_HOUR} AS environment, id FROM load_tests`;

export interface NamedRow extends ScopeRow {
  readonly number: number;
  readonly id: string;
}

/** `found`: the load test; `undefined` if it was deleted. */
export function damageIn(found: NamedRow | undefined, message: string): Damage {
  return { scope: found && scopeOf(found), loadTestId: found?.id, message };
}

interface StoredCounts {
  readonly requests: number;
  readonly uncounted_requests: number;
}

/** Yields a line per damage, in bounded memory. Skips damaged parts, and the rest of one that cannot be read on. */
export async function* verifyFile(
  file: SqliteFile,
  snapshots: SnapshotKeeper,
): AsyncGenerator<Damage> {
  yield* asFarAsReadable(verifyStructure(file));
  yield* asFarAsReadable(verifyLoadTests(file, snapshots));
  yield* asFarAsReadable(verifyBlocks(file));
  yield* asFarAsReadable(verifyStoredFiles(file));
}

async function* verifyStoredFiles(file: SqliteFile): AsyncGenerator<Damage> {
  const all = file.reader.prepare(`${NAMES} ORDER BY number`).all() as unknown as NamedRow[];
  yield* verifyKeptFiles(all, (scope) => openSqliteFiles(file, scope));
}

async function* asFarAsReadable(
  part: Iterable<Damage> | AsyncIterable<Damage>,
): AsyncGenerator<Damage> {
  try {
    yield* part;
  } catch (error) {
    const known = storeError(error, "read on");
    if (!(known instanceof UserError && known.code === "damaged-store")) throw known;
    yield { loadTestId: undefined, message: `the file: ${known.message}` };
  }
}

/** Reads all files of load tests, equal ones once, and compares their digests. */
export async function* verifyKeptFiles(
  all: readonly NamedRow[],
  filesOf: (scope: StoreScope) => Files,
): AsyncGenerator<Damage> {
  const read = new Map<string, string | undefined>();
  for (const found of all) {
    const files = filesOf(scopeOf(found));
    for (const { id, sha256 } of await files.list(found.id)) {
      if (!read.has(sha256)) read.set(sha256, await damageOf(() => readAll(files, found.id, id)));
      const message = read.get(sha256);
      if (message !== undefined) yield damageIn(found, message);
    }
  }
}

async function readAll(files: Files, loadTestId: string, id: string): Promise<void> {
  const file = await files.find(loadTestId, id);
  if (file !== undefined) for await (const _ of file.read()) continue;
}

function* verifyStructure({ reader }: SqliteFile): Generator<Damage> {
  const problems = reader.prepare(`PRAGMA integrity_check(${STRUCTURE_PROBLEMS_LISTED})`).all();
  for (const found of problems) {
    const problem = String(Object.values(found)[0]);
    if (problem !== "ok") yield { loadTestId: undefined, message: `the file: ${problem}` };
  }
}

/** Checks what snapshots check, rows of sources, reported percentiles, samples, and counts of load tests against those of their sources. */
async function* verifyLoadTests(
  { reader, reading }: SqliteFile,
  snapshots: SnapshotKeeper,
): AsyncGenerator<Damage> {
  const all = reader.prepare(`${NAMES} ORDER BY number`).all();
  for (const found of all as unknown as NamedRow[]) {
    const { number, id } = found;
    const message = await damageOf(async () => {
      const snapshot = snapshots.open(scopeOf(found), id);
      await snapshot?.index().finally(() => snapshot.release());
      // A server may write between two statements.
      const { row, sources } = atOneInstant(reader, () => ({
        row: reading.loadTests.get(number),
        sources: reading.sources.visible(number),
      }));
      for (const source of sources) {
        reading.reported.of(source);
        reading.samples.of(source, Infinity);
      }
      const tally = addTallies([EMPTY_TALLY, ...sources.map((source) => source.tally)]);
      if (row !== undefined) requireCounted(id, row, tally);
    });
    if (message !== undefined) yield damageIn(found, message);
  }
}

async function* verifyBlocks(file: SqliteFile): AsyncGenerator<Damage> {
  let row: CheckedRow | undefined;
  for (;;) {
    const message = await damageOf(() => void (row = file.reading.blocks.after(row?.number ?? 0)));
    if (message !== undefined) yield { loadTestId: undefined, message };
    if (message !== undefined || row === undefined) return;
    yield* verifyBlock(file, row);
    await nextTurn();
  }
}

async function* verifyBlock(file: SqliteFile, row: CheckedRow): AsyncGenerator<Damage> {
  const found = file.reader.prepare(`${NAMES} WHERE number = ?`).get(row.load_test);
  const loadTest = found as NamedRow | undefined;
  const message = await damageOf(() => {
    try {
      if (!isIntact(row)) throw wrong("its row does not match its checksum");
      requireDescribed(row, readSegments(file.reading.blocks, row));
    } catch (error) {
      throw describeDamage(error, { id: loadTest?.id ?? "(deleted)" }, labelsOf(file, row), row);
    }
  });
  if (message !== undefined) yield damageIn(loadTest, message);
}

/** Decodes a block completely. Returns the endpoint and second of every row. */
function keysIn(
  { kind }: BlockRow,
  { plain, distribution }: Segments,
): Pick<DataPoints, "endpoint" | "second"> {
  if (distribution !== undefined) return decodeBlock({ plain, distribution });
  if (kind === "failures") return decodeFailures(plain).counts;
  if (kind === "measures") {
    const measures = decodeMeasures(plain);
    return { endpoint: labelsOfMeasures(measures), second: measures.sums.second };
  }
  const seconds = decodeUsers(plain).flatMap(({ users }) => [...users.counts.second]);
  return { endpoint: new Uint32Array(0), second: Uint32Array.from(seconds) };
}

/** Throws `damaged-store` unless a load test counts the requests of its sources. */
export function requireCounted(id: string, row: StoredCounts, tally: Tally): void {
  const repeated = uncountedRows(tally).requests;
  if (tally.requests === row.requests && repeated === row.uncounted_requests) return;
  throw wrong(`cannot read load test "${id}": its counts are not those of its sources`);
}

/** Throws `damaged-store` unless the rows of a block are those that its metadata counts. */
export function requireDescribed(row: BlockRow, segments: Segments): void {
  const { endpoint, second } = keysIn(row, segments);
  const endpoints = encodeEndpointSet(endpoint);
  if (second.length === row.points && Buffer.compare(endpoints, row.endpoints) === 0) return;
  throw wrong("its rows are not those that are counted");
}

export function wrong(why: string): UserError {
  return new UserError("damaged-store", why);
}

/** The message of `damaged-store`, if that is what reading throws. */
export async function damageOf(read: () => void | Promise<void>): Promise<string | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    if (error instanceof UserError && error.code === "damaged-store") return error.message;
    throw error;
  }
}

/** Returns the labels of a block as far as possible: its list of them may be damaged. */
function labelsOf({ reader }: SqliteFile, row: BlockRow): readonly string[] {
  const label = reader.prepare("SELECT label FROM endpoints WHERE load_test = ? AND number = ?");
  try {
    return Array.from(numbersIn(row.endpoints), (number) =>
      String(label.get(row.load_test, number)?.["label"] ?? `number ${number}`),
    );
  } catch {
    return [];
  }
}
