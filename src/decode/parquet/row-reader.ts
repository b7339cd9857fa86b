import { UserError } from "../../model/errors.ts";
import { FAILURE_TEXT_CHARACTERS_MAX } from "../../model/failures.ts";
import { jsonText } from "../../model/json-text.ts";
import type { Facets } from "../../model/series/facets.ts";
import { type ColumnName, isFacetColumn } from "./parquet-columns.ts";

/** Columns of the same length. */
export type Columns = Readonly<Record<ColumnName, ArrayLike<unknown>>>;

/** Reads validated cells of one row. Every method throws `unreadable-source` with row, column and value. */
export class RowReader {
  readonly #columns: Columns;
  readonly #firstRow: number;
  readonly #facets: readonly string[];
  #row = 0;

  /** `firstRow`: number of the first row in the file, from 0. */
  constructor(columns: Columns, firstRow: number) {
    this.#columns = columns;
    this.#firstRow = firstRow;
    this.#facets = Object.keys(columns)
      .filter(isFacetColumn)
      .map((name) => name.slice("facet.".length));
  }

  get rows(): number {
    return this.#columns.second.length;
  }

  goTo(row: number): void {
    this.#row = row;
  }

  /** 0 for null. */
  integer(name: ColumnName, least = 0, most = Number.MAX_SAFE_INTEGER): number {
    return this.#checked(name, this.#cell(name) ?? 0, least, most);
  }

  /** A finite one; `undefined` for null. */
  number(name: ColumnName): number | undefined {
    const value = this.#cell(name);
    if (value === undefined || Number.isFinite(value)) return value as number | undefined;
    throw this.fault(name, "a finite number", value);
  }

  isNull(name: ColumnName): boolean {
    return this.#cell(name) === undefined;
  }

  text(name: ColumnName): string | undefined {
    const value = this.#cell(name);
    if (value === undefined || typeof value === "string") return value;
    throw this.fault(name, "a text", value);
  }

  /** Those that are not null. Nothing but their kind is checked. */
  facets(): Facets {
    return this.#facets.flatMap((name) => {
      const value = this.text(`facet.${name}`);
      return value === undefined ? [] : [[name, value] as const];
    });
  }

  /** Empty for null. */
  integers(name: ColumnName, least: number): readonly number[] {
    return this.#list(name).map((value) =>
      this.#checked(name, value, least, Number.MAX_SAFE_INTEGER),
    );
  }

  numbers(name: ColumnName): readonly number[] {
    return this.#list(name).map((value) => {
      if (Number.isFinite(value)) return value as number;
      throw this.fault(name, "finite numbers", value);
    });
  }

  /** Codes or messages of failures. Empty for null. */
  texts(name: ColumnName): readonly string[] {
    return this.#list(name).map((value) => {
      if (typeof value === "string" && value.length <= FAILURE_TEXT_CHARACTERS_MAX) return value;
      throw this.fault(name, `texts of at most ${FAILURE_TEXT_CHARACTERS_MAX} characters`, value);
    });
  }

  fault(name: ColumnName, wanted: string, got: unknown): UserError {
    const shown = typeof got === "bigint" ? String(got) : jsonText(got).slice(0, 100);
    return unreadableParquet(
      `row ${this.#firstRow + this.#row + 1}: ${name}: expected ${wanted}, got ${shown}`,
    );
  }

  /** `undefined` for null. */
  #cell(name: ColumnName): unknown {
    return this.#columns[name]?.[this.#row] ?? undefined;
  }

  #list(name: ColumnName): readonly unknown[] {
    const value = this.#cell(name) ?? [];
    if (Array.isArray(value)) return value;
    throw this.fault(name, "a list", value);
  }

  #checked(name: ColumnName, value: unknown, least: number, most: number): number {
    const number = typeof value === "bigint" ? Number(value) : value;
    if (Number.isSafeInteger(number) && (number as number) >= least && (number as number) <= most) {
      return number as number;
    }
    const range = most === Number.MAX_SAFE_INTEGER ? "2^53 - 1" : String(most);
    throw this.fault(name, `a whole number from ${least} to ${range}`, value);
  }
}

export function unreadableParquet(why: string): UserError {
  return new UserError("unreadable-source", `cannot read the Parquet file: ${why}`);
}
