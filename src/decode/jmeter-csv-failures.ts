import type { JmeterColumns } from "./jmeter-csv-columns.ts";
import type { JmeterExtras, JmeterFailure } from "./jmeter-extras.ts";
import { fieldEnd, withoutReturn } from "./plain-fields.ts";

/** Says why plain rows have failed. They are walked over once more for that: most have not. */
export class JmeterPlainFailures {
  readonly #delimiter: number;
  readonly #extras: JmeterExtras;
  /** The columns that say why, from left to right, each with the fields in front of it to skip. */
  readonly #reasons: readonly { readonly name: keyof JmeterFailure; readonly skipped: number }[];

  constructor(columns: JmeterColumns, extras: JmeterExtras) {
    this.#delimiter = columns.delimiter;
    this.#extras = extras;
    this.#reasons = reasonsOf(columns);
  }

  /** Takes the whole row that begins at `row`, in which nothing is quoted. */
  tell(bytes: Uint8Array, row: number, label: number, second: number): void {
    const failure = { responseCode: "", responseMessage: "", failureMessage: "" };
    let from = row;
    for (const { name, skipped } of this.#reasons) {
      for (let left = skipped; left > 0; left--) from = this.#end(bytes, from) + 1;
      const end = this.#end(bytes, from);
      failure[name] = this.#extras.textAt(bytes, from, withoutReturn(bytes, from, end));
      from = end + 1;
    }
    this.#extras.tellFailure({ label, second, requests: 1 }, failure);
  }

  #end(bytes: Uint8Array, from: number): number {
    return fieldEnd(bytes, from, this.#delimiter);
  }
}

function reasonsOf(columns: JmeterColumns): { name: keyof JmeterFailure; skipped: number }[] {
  const { responseCode, responseMessage, failureMessage } = columns;
  const found = Object.entries({ responseCode, responseMessage, failureMessage })
    .flatMap(([name, column]) =>
      column === undefined ? [] : [{ name: name as keyof JmeterFailure, column }],
    )
    .toSorted((left, right) => left.column - right.column);
  return found.map(({ name, column }, index) => {
    const before = index === 0 ? -1 : (found[index - 1] as { column: number }).column;
    return { name, skipped: column - before - 1 };
  });
}
