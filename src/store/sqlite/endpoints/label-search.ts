/** Searches the labels of very many endpoints in the file, without loading all of them. */

import { hash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { FACETS_BEGIN, labelOfSeries } from "../../../model/series/facets.ts";
import type { Endpoint } from "../../../model/load-test.ts";
import { NumberSet } from "../../../model/row-groups.ts";
import { HashSlots } from "../../../concurrency/hash-slots.ts";
import { LruCache } from "../../../concurrency/lru-cache.ts";
import type { EndpointNumbers } from "./endpoint-numbers.ts";
import { translated } from "../file/sql-error.ts";
import { Yielder } from "../../../concurrency/yielder.ts";
import type { LabelOrder } from "../../snapshot.ts";
import { mergeRuns, twice } from "./endpoint-lists.ts";

const MARK = FACETS_BEGIN.charCodeAt(0);
const CACHED_BYTES_MAX = 32 * 1024 * 1024;
/** Labels checked per step: some milliseconds. */
const LABELS_AT_ONCE = 2048;
/** Endpoints read at a time: one or two milliseconds. */
const NAMED_AT_ONCE = 256;

/** What a hash takes with its slots, which are half empty. */
const HASH_BYTES = 16;

/** Heads of the hashes of all labels with a number below `end`. */
interface Hashes {
  readonly end: number;
  readonly slots: HashSlots;
}

interface NumberRow {
  readonly number: number;
}

interface LabelRow extends NumberRow {
  readonly bytes: Uint8Array;
}

export class LabelSearch {
  readonly #numbers: Pick<EndpointNumbers, "page">;
  readonly #read;
  readonly #hashes = new LruCache<number, Hashes>(CACHED_BYTES_MAX);
  readonly #orders = new LruCache<number, { readonly end: number; readonly numbers: Uint32Array }>(
    CACHED_BYTES_MAX,
  );

  constructor(reader: DatabaseSync, numbers: Pick<EndpointNumbers, "page">) {
    this.#numbers = numbers;
    const containing = reader.prepare(
      `SELECT number FROM endpoints
       WHERE load_test = ? AND number >= ? AND number < ? AND instr(label, ?) > 0 ORDER BY number`,
    );
    const labels = reader.prepare(
      `SELECT number, CAST(label AS BLOB) AS bytes FROM endpoints
       WHERE load_test = ? AND number >= ? AND number < ?`,
    );
    const beside = (comparison: string) =>
      reader.prepare(
        `SELECT number, CAST(label AS BLOB) AS bytes FROM endpoints
         WHERE load_test = ? AND number >= ? AND number < ? AND label ${comparison} CAST(? AS TEXT)`,
      );
    const before = { ascending: beside("<"), descending: beside(">") };
    this.#read = translated(reader, {
      containing: (loadTest: number, from: number, text: string) =>
        containing.all(loadTest, from, from + LABELS_AT_ONCE, text) as unknown as NumberRow[],
      before: (loadTest: number, from: number, last: LabelRow | undefined, order: LabelOrder) =>
        (last === undefined
          ? labels.all(loadTest, from, from + LABELS_AT_ONCE)
          : before[order].all(
              loadTest,
              from,
              from + LABELS_AT_ONCE,
              last.bytes,
            )) as unknown as LabelRow[],
      labels: (loadTest: number, from: number, until: number) =>
        labels.all(loadTest, from, until) as unknown as LabelRow[],
    });
  }

  /** Returns the numbers below `end` of labels that contain the text, ascending. */
  async containing(loadTest: number, end: number, text: string): Promise<Uint32Array> {
    const yielder = new Yielder();
    const found: number[] = [];
    for (let from = 0; from < end; from += LABELS_AT_ONCE) {
      for (const { number } of this.#read.containing(loadTest, from, text)) {
        if (number < end) found.push(number);
      }
      await yielder.pass();
    }
    return Uint32Array.from(found);
  }

  /** Returns the numbers below `end` of labels with one of these SHA-1 hashes, ascending. */
  async hashed(loadTest: number, end: number, hashes: readonly string[]): Promise<Uint32Array> {
    const table = await this.#hashTable(loadTest, end);
    const found = new Set<number>();
    const yielder = new Yielder();
    for (const wanted of hashes) {
      const { slots } = table;
      for (let number = slots.first(headOf(wanted)); number >= 0; number = slots.next()) {
        const [endpoint] = this.#numbers.page(loadTest, number - 1, 1);
        const isFound = endpoint !== undefined && hashOfName(endpoint.label) === wanted;
        if (isFound && number < end) found.add(number);
      }
      await yielder.pass();
    }
    return Uint32Array.from(found).toSorted();
  }

  /** Returns the endpoints with these numbers, in this order, without unknown ones. Throws `damaged-store`. */
  async named(loadTest: number, numbers: ArrayLike<number>): Promise<readonly Endpoint[]> {
    const yielder = new Yielder();
    const found: Endpoint[] = [];
    for (let from = 0; from < numbers.length;) {
      const first = numbers[from] as number;
      const rows = runLength(numbers, from);
      for (const endpoint of this.#numbers.page(loadTest, first - 1, rows)) {
        if (endpoint.number < first + rows) found.push(endpoint);
      }
      from += rows;
      await yielder.pass();
    }
    return found;
  }

  /** Returns the first `limit` of these numbers (ascending) by label. Throws `damaged-store`. */
  async first(
    loadTest: number,
    numbers: Uint32Array,
    { limit, order }: { readonly limit: number; readonly order: LabelOrder },
  ): Promise<readonly Endpoint[]> {
    const yielder = new Yielder();
    const first = new FirstLabels(limit, order);
    const wanted = new NumberSet(numbers);
    const end = (numbers.at(-1) ?? -1) + 1;
    for (let from = numbers[0] ?? 0; from < end; from += LABELS_AT_ONCE) {
      // SQLite excludes most of them itself, in a tenth of the time.
      for (const row of this.#read.before(loadTest, from, first.last, order)) {
        if (row.number < end && wanted.has(row.number)) first.add(row);
      }
      await yielder.pass();
    }
    return this.named(loadTest, first.compact());
  }

  /** Returns all numbers below `end`, ordered by label. Throws `damaged-store`. */
  async inOrder(loadTest: number, end: number): Promise<Uint32Array> {
    const cached = this.#orders.get(loadTest);
    if (cached !== undefined && cached.end >= end) return cached.numbers;
    const labels = new PackedLabels(end);
    const yielder = new Yielder();
    for (let from = 0; from < end; from += PAGE_NUMBERS) {
      const rows = this.#read.labels(loadTest, from, Math.min(from + PAGE_NUMBERS, end));
      labels.addPage(rows);
      await yielder.pass();
    }
    const numbers = await labels.sorted();
    this.#orders.set(loadTest, { end, numbers }, numbers.byteLength);
    return numbers;
  }

  /** Numbers are assigned once, so a table stays complete below its end. */
  async #hashTable(loadTest: number, end: number): Promise<Hashes> {
    const cached = this.#hashes.get(loadTest);
    if (cached !== undefined && cached.end >= end) return cached;
    const slots = new HashSlots();
    const yielder = new Yielder();
    for (let from = 0; from < end; from += LABELS_AT_ONCE) {
      for (const { number, bytes } of this.#read.labels(loadTest, from, from + LABELS_AT_ONCE)) {
        if (number < end) slots.add(headOf(hashOfName(bytes)));
      }
      await yielder.pass();
    }
    const table = { end, slots };
    this.#hashes.set(loadTest, table, HASH_BYTES * end);
    return table;
  }
}

/** Keeps the first labels, in label order, of all that are added. */
class FirstLabels {
  readonly #limit: number;
  readonly #direction: number;
  #first: LabelRow[] = [];
  /** Later ones are not needed. */
  last: LabelRow | undefined;

  constructor(limit: number, order: LabelOrder) {
    this.#limit = limit;
    this.#direction = order === "ascending" ? 1 : -1;
  }

  add(row: LabelRow): void {
    if (this.last !== undefined && this.#compare(this.last, row) <= 0) return;
    this.#first.push(row);
    if (this.#first.length >= 2 * this.#limit) this.#trim();
  }

  /** Their numbers, in order. */
  compact(): readonly number[] {
    this.#trim();
    return this.#first.map(({ number }) => number);
  }

  #trim(): void {
    this.#first = this.#first
      .toSorted((one, other) => this.#compare(one, other))
      .slice(0, this.#limit);
    if (this.#first.length === this.#limit) this.last = this.#first.at(-1);
  }

  #compare(one: LabelRow, other: LabelRow): number {
    return this.#direction * Buffer.compare(one.bytes, other.bytes);
  }
}

/** Returns the length of the range of consecutive numbers that one statement reads. */
function runLength(numbers: ArrayLike<number>, from: number): number {
  let rows = 1;
  while (rows < NAMED_AT_ONCE && numbers[from + rows] === (numbers[from] as number) + rows) rows++;
  return rows;
}

/** SHA-1 of the label of a series. */
function hashOfName(name: string | Uint8Array): string {
  const hasFacets = typeof name === "string" || name.includes(MARK);
  return hash("sha1", hasFacets ? labelOfSeries(Buffer.from(name).toString()) : name);
}

/** The first 32 bits of a hash of 40 hex digits. */
function headOf(text: string): number {
  return Number.parseInt(text.slice(0, 8), 16) | 0;
}

/** Labels per page: they share a buffer and are sorted in a few milliseconds. */
export const PAGE_NUMBERS = 2048;

interface LabelBytes {
  readonly number: number;
  readonly bytes: Uint8Array;
}

export class PackedLabels {
  readonly #pages: Buffer[] = [];
  readonly #runs: (readonly number[])[] = [];
  /** Position of each label within its page, by number. */
  readonly #from: Uint32Array;
  readonly #until: Uint32Array;

  /** All numbers are below `end`. */
  constructor(end: number) {
    this.#from = new Uint32Array(end);
    this.#until = new Uint32Array(end);
  }

  /** Copies the labels of the next page: those whose number divided by `PAGE_NUMBERS` is its index. Throws `damaged-store`. */
  addPage(rows: readonly LabelBytes[]): void {
    const page = Buffer.from(new ArrayBuffer(rows.reduce((sum, row) => sum + row.bytes.length, 0)));
    let at = 0;
    for (const { number, bytes } of rows) {
      page.set(bytes, at);
      this.#from[number] = at;
      at += bytes.length;
      this.#until[number] = at;
    }
    this.#pages.push(page);
    this.#runs.push(rows.map(({ number }) => number).toSorted(this.#compare));
  }

  /** Returns all numbers in the order of their labels. Call once. Throws `damaged-store`. */
  async sorted(): Promise<Uint32Array> {
    return Uint32Array.from(await mergeRuns(this.#runs.splice(0), this.#compare, new Yielder()));
  }

  readonly #compare = (one: number, other: number): number => {
    const [from, until] = this.#place(one);
    const page = this.#pageOf(one);
    const difference = page.compare(this.#pageOf(other), ...this.#place(other), from, until);
    const isTwice = difference === 0 && one !== other;
    return isTwice ? twice(page.toString("utf8", from, until), [one, other]) : difference;
  };

  #pageOf(number: number): Buffer {
    return this.#pages[Math.floor(number / PAGE_NUMBERS)] as Buffer;
  }

  #place(number: number): readonly [from: number, until: number] {
    return [this.#from[number] as number, this.#until[number] as number];
  }
}
