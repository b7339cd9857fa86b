/** Endpoints of a load test by label: numbered once, never changed, so that they can be remembered. */

import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../model/errors.ts";
import { compareLabels } from "../../model/label.ts";
import type { Endpoint } from "../../model/load-test.ts";
import { checksum } from "../block/checksum.ts";
import { LabelNumbers } from "./label-numbers.ts";
import { translated } from "./sql-error.ts";

/** Load tests whose labels are remembered for the next batch, and labels of all of them but the last. */
const REMEMBERED_MAX = 32;
const LABELS_REMEMBERED_MAX = 200_000;

/** Numbers are given in a row, from 0 on. */
const COUNT = "SELECT coalesce(max(number) + 1, 0) AS count FROM endpoints WHERE load_test = ?";

function countIn(row: Readonly<Record<string, unknown>> | undefined): number {
  return Number(row?.["count"]);
}

/** What is known of the endpoints of a load test. */
interface Remembered {
  /** By label. */
  readonly numbers: Map<string, number>;
  /** By the tables of labels that batches came with. */
  readonly tables: WeakMap<readonly string[], LabelNumbers>;
}

/** Node 22 reads a text only up to a NUL in it. */
const SELECT = `SELECT load_test, number, crc,
    CASE instr(label, char(0)) WHEN 0 THEN label ELSE CAST(label AS BLOB) END AS label
  FROM endpoints`;

/** Reads the endpoints of load tests. */
export class EndpointNumbers {
  readonly #read;
  readonly #byLoadTest = new Map<number, Remembered>();

  constructor(reader: DatabaseSync) {
    const all = reader.prepare(`${SELECT} WHERE load_test = ?`);
    const page = reader.prepare(
      `${SELECT} WHERE load_test = ? AND number > ? ORDER BY number LIMIT ?`,
    );
    const count = reader.prepare(COUNT);
    this.#read = translated(reader, {
      count: (loadTest: number) => countIn(count.get(loadTest)),
      all: (loadTest: number) => all.all(loadTest),
      page: (loadTest: number, after: number, rows: number) => page.all(loadTest, after, rows),
    });
  }

  /** All endpoints that ever got a number, in no order. Throws `damaged-store`. */
  list(loadTest: number): readonly Endpoint[] {
    return this.#read.all(loadTest).map((row) => checkedEndpoint(row));
  }

  /**
   * The next so many by number, after one of them or from the first on. Throws `damaged-store`.
   */
  page(loadTest: number, after: number | undefined, rows: number): readonly Endpoint[] {
    return this.#read.page(loadTest, after ?? -1, rows).map((row) => checkedEndpoint(row));
  }

  /** Numbers by label, of this load test; those of others written meanwhile may be missing. */
  known(loadTest: number): ReadonlyMap<string, number> {
    return this.#remembered(loadTest).numbers;
  }

  /** The numbers that were remembered for a table of labels, which may have grown since. */
  tableOf(loadTest: number, labels: readonly string[]): LabelNumbers {
    const { tables } = this.#remembered(loadTest);
    const found = tables.get(labels) ?? new LabelNumbers();
    tables.set(labels, found);
    return found;
  }

  /** Remembers numbers that were committed. */
  remember(loadTest: number, numbers: ReadonlyMap<string, number>): void {
    const known = this.#remembered(loadTest).numbers;
    for (const [label, number] of numbers) known.set(label, number);
  }

  /** Remembers also what other processes have committed until now. Throws `damaged-store`. */
  catchUp(loadTest: number): void {
    if (this.#read.count(loadTest) === this.#remembered(loadTest).numbers.size) return;
    this.#byLoadTest.delete(loadTest);
    this.#remembered(loadTest);
  }

  #remembered(loadTest: number): Remembered {
    let known = this.#byLoadTest.get(loadTest);
    known ??= {
      numbers: new Map(this.list(loadTest).map(({ label, number }) => [label, number])),
      tables: new WeakMap(),
    };
    // Last in the order of a Map is the one used last; the first ones are forgotten.
    this.#byLoadTest.delete(loadTest);
    let labels = 0;
    for (const others of this.#byLoadTest.values()) labels += others.numbers.size;
    for (const [oldest, { numbers }] of this.#byLoadTest) {
      if (this.#byLoadTest.size < REMEMBERED_MAX && labels <= LABELS_REMEMBERED_MAX) break;
      this.#byLoadTest.delete(oldest);
      labels -= numbers.size;
    }
    this.#byLoadTest.set(loadTest, known);
    return known;
  }
}

/**
 * Numbers labels, within a write: in the order of labels, so that endpoints that are read one after
 * the other lie in the same blocks. A label that has a number, even one that another process gave
 * it just now, keeps it.
 */
export function openEndpointWriter(database: DatabaseSync) {
  const find = database.prepare("SELECT number FROM endpoints WHERE load_test = ? AND label = ?");
  const count = database.prepare(COUNT);
  const insert = database.prepare("INSERT INTO endpoints VALUES (?, ?, ?, ?)");
  return {
    /** How many labels have a number. */
    count: (loadTest: number): number => countIn(count.get(loadTest)),
    number(loadTest: number, labels: readonly string[]): ReadonlyMap<string, number> {
      const numbers = new Map<string, number>();
      let next = countIn(count.get(loadTest));
      for (const label of labels.toSorted(compareLabels)) {
        const found = find.get(loadTest, label)?.["number"];
        const number = found === undefined ? next++ : Number(found);
        if (found === undefined) {
          insert.run(loadTest, number, label, endpointChecksum(loadTest, { number, label }));
        }
        numbers.set(label, number);
      }
      return numbers;
    },
  };
}

interface EndpointRow {
  readonly load_test: number;
  readonly number: number;
  /** Bytes where it has a NUL. */
  readonly label: string | Uint8Array;
  readonly crc: number;
}

function checkedEndpoint(found: unknown): Endpoint {
  const { load_test, number, label: read, crc } = found as EndpointRow;
  const label =
    typeof read === "string" ? read : new TextDecoder("utf-8", { ignoreBOM: true }).decode(read);
  if (crc === endpointChecksum(load_test, { number, label })) return { number, label };
  throw new UserError("damaged-store", `the label of endpoint ${number} does not fit its checksum`);
}

function endpointChecksum(loadTest: number, { number, label }: Endpoint): number {
  return checksum(JSON.stringify([loadTest, number, label]));
}
