/** Numbers the endpoints of a load test by label, once and for all, so that they can be cached. */

import type { DatabaseSync } from "node:sqlite";
import { requireAscending } from "../file/listed-rows.ts";
import { UserError } from "../../../model/errors.ts";
import type { Endpoint } from "../../../model/load-test.ts";
import { checksum } from "../../block/envelope.ts";
import { KnownEndpoints } from "./known-endpoints.ts";
import { translated } from "../file/sql-error.ts";

/** Limits of the cache: load tests, and labels of all of them but the last. */
const REMEMBERED_MAX = 32;
const LABELS_REMEMBERED_MAX = 200_000;

/** Numbers are consecutive from 0. */
const COUNT = "SELECT coalesce(max(number) + 1, 0) AS count FROM endpoints WHERE load_test = ?";

/** Node 22 reads a text only up to a NUL. */
const SELECT_BEHIND = `SELECT load_test, number, crc,
    CASE instr(label, char(0)) WHEN 0 THEN label ELSE CAST(label AS BLOB) END AS label
  FROM endpoints WHERE load_test = ? AND number > ? ORDER BY number LIMIT ?`;
const ALL = -1;

/** Rows per INSERT: halves the time of one statement per row. */
const ROWS_AT_ONCE = 64;

export class EndpointNumbers {
  /** Returns the next endpoints by number, after one of them or from the first. Throws `damaged-store`. */
  readonly page;
  readonly #byLoadTest = new Map<number, KnownEndpoints>();

  constructor(reader: DatabaseSync) {
    this.page = translated(reader, openPages(reader)).page;
  }

  /** Returns the cache of this load test, which may lack recent endpoints. */
  known(loadTest: number): KnownEndpoints {
    const known =
      this.#byLoadTest.get(loadTest) ??
      new KnownEndpoints((after, rows) => this.page(loadTest, after, rows));
    // A Map keeps insertion order: the last one was used last, the first ones are evicted.
    this.#byLoadTest.delete(loadTest);
    let labels = 0;
    for (const others of this.#byLoadTest.values()) labels += others.labels.length;
    for (const [oldest, old] of this.#byLoadTest) {
      if (this.#byLoadTest.size < REMEMBERED_MAX && labels <= LABELS_REMEMBERED_MAX) break;
      this.#byLoadTest.delete(oldest);
      labels -= old.labels.length;
    }
    this.#byLoadTest.set(loadTest, known);
    return known;
  }
}

export function openEndpointWriter(database: DatabaseSync) {
  const { page } = openPages(database);
  const count = database.prepare(COUNT);
  const insert = database.prepare(insertOf(1));
  const insertMany = database.prepare(insertOf(ROWS_AT_ONCE));
  const countIn = (loadTest: number) => Number(count.get(loadTest)?.["count"]);
  const forget = database.prepare(
    `DELETE FROM endpoints WHERE load_test = :loadTest
       AND NOT EXISTS (SELECT 1 FROM load_tests WHERE number = :loadTest)
       AND NOT EXISTS (SELECT 1 FROM blocks WHERE load_test = :loadTest)`,
  );
  return {
    /** Deletes the labels of a load test that is deleted and has no block any more. */
    forget(loadTest: number): void {
      forget.run({ loadTest });
    },
    /**
     * Assigns the next numbers to labels, in order; the labels are distinct, and none is among the first
     * `known` endpoints. A label that already has a number, even from another process, keeps it. Returns all
     * endpoints after the first `known`. Throws `damaged-store`.
     */
    number(loadTest: number, labels: readonly string[], known: number): readonly Endpoint[] {
      const others = page(loadTest, known === 0 ? undefined : known - 1, ALL);
      const theirs = new Set(others.map(({ label }) => label));
      const first = countIn(loadTest);
      const unnumbered = theirs.size === 0 ? labels : labels.filter((label) => !theirs.has(label));
      const added = unnumbered.map((label, at) => ({ number: first + at, label }));
      const alone = added.length % ROWS_AT_ONCE;
      for (let at = 0; at < added.length;) {
        const rows = at < alone ? 1 : ROWS_AT_ONCE;
        const values: (number | string)[] = [loadTest];
        for (const end = at + rows; at < end; at++) {
          const endpoint = added[at] as Endpoint;
          values.push(endpoint.number, endpoint.label, endpointChecksum(loadTest, endpoint));
        }
        (rows === 1 ? insert : insertMany).run(...values);
      }
      return others.length === 0 ? added : [...others, ...added];
    },
  };
}

function insertOf(rows: number): string {
  return `INSERT INTO endpoints VALUES ${Array.from({ length: rows }, () => "(?1, ?, ?, ?)").join()}`;
}

function openPages(database: DatabaseSync) {
  const behind = database.prepare(SELECT_BEHIND);
  return {
    page: (loadTest: number, after: number | undefined, rows: number): readonly Endpoint[] => {
      const found = behind.all(loadTest, after ?? -1, rows).map((row) => checkedEndpoint(row));
      return requireAscending("the index of labels", after ?? -1, found);
    },
  };
}

interface EndpointRow {
  readonly load_test: number;
  readonly number: number;
  /** Bound as bytes if it contains a NUL. */
  readonly label: string | Uint8Array;
  readonly crc: number;
}

function checkedEndpoint(found: unknown): Endpoint {
  const { load_test, number, label: read, crc } = found as EndpointRow;
  const label =
    typeof read === "string" ? read : new TextDecoder("utf-8", { ignoreBOM: true }).decode(read);
  if (crc === endpointChecksum(load_test, { number, label })) return { number, label };
  throw new UserError(
    "damaged-store",
    `the label of endpoint ${number} does not match its checksum`,
  );
}

function endpointChecksum(loadTest: number, { number, label }: Endpoint): number {
  return checksum(JSON.stringify([loadTest, number, label]));
}
