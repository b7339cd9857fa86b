import { UserError } from "../../../model/errors.ts";

/**
 * Returns rows that a table lists by number, after the number `behind`. Throws `damaged-store` if they are not in this order: where
 * pages of the file were swapped, the row after one of them can be an earlier one, and reading on would never end.
 */
export function requireAscending<Row extends { readonly number: number }>(
  table: string,
  behind: number,
  rows: readonly Row[],
): readonly Row[] {
  let before = behind;
  for (const { number } of rows) {
    if (number <= before) {
      const why = `${table} lists number ${number} after ${before}: its pages are not in order`;
      throw new UserError("damaged-store", why);
    }
    before = number;
  }
  return rows;
}

/** Throws `damaged-store` if a row that was just listed cannot be found to be deleted: it would be listed again and again. */
export function requireDeleted(table: string, { changes }: { readonly changes: number | bigint }) {
  if (Number(changes) > 0) return;
  throw new UserError("damaged-store", `a row that ${table} lists cannot be found by its number`);
}
