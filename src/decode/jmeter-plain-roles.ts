import type { SampleBatch } from "../model/sample-batch.ts";
import type { JmeterColumns } from "./jmeter-csv-columns.ts";
import type { JmeterCsvRoles, JmeterCsvTargets } from "./jmeter-csv-roles.ts";
import { type FieldAt, rowKind } from "./jmeter-row-kind.ts";
import { fieldEnd, withoutReturn } from "./plain-fields.ts";

/**
 * Says what plain rows are. They are walked over once more for that, until their label is known: that
 * of nearly all rows is.
 */
export class JmeterPlainRoles {
  readonly #columns: JmeterColumns;
  readonly #roles: JmeterCsvRoles;
  readonly #labels: readonly string[];
  readonly #batch: SampleBatch;
  /** The last request, as long as nothing was asked of it: most are followed by no sub-result. */
  #openRow = -1;
  #openAt = 0;
  #openMillis = 0;

  constructor(columns: JmeterColumns, { roles, labels, rows }: JmeterCsvTargets) {
    this.#columns = columns;
    this.#roles = roles;
    this.#labels = labels.texts;
    this.#batch = rows.batch;
  }

  /** Takes the whole row that begins at `row` and is open in the batch; `millis` are of its start. */
  tell(bytes: Uint8Array, row: number, millis: number): void {
    const batch = this.#batch;
    const at = batch.rows;
    const label = batch.label[at] as number;
    if (this.#roles.isRequest(label)) {
      this.#openRow = row;
      this.#openAt = at;
      this.#openMillis = millis;
    } else if (!this.#roles.isSubresult(label)) {
      this.#judge(bytes, row, millis);
    }
  }

  /**
   * Keeps what later rows may ask of the last request. To be called before a row is taken otherwise,
   * before the bytes move, and before a batch is handed over that is not full.
   */
  settle(bytes: Uint8Array): void {
    if (this.#openRow < 0) return;
    const { label, second, elapsedMicros } = this.#batch;
    const at = this.#openAt;
    this.#roles.takeRequest(
      label[at] as number,
      second[at] as number,
      this.#openMillis,
      elapsedMicros[at] as number,
    );
    this.#roles.takeThread(this.#field(bytes, this.#openRow, this.#columns.threadName));
    this.#openRow = -1;
  }

  #judge(bytes: Uint8Array, row: number, millis: number): void {
    this.settle(bytes);
    const { label: labels, second, elapsedMicros, rows } = this.#batch;
    const label = labels[rows] as number;
    const { responseMessage, dataType, threadName } = this.#columns;
    const kind = rowKind(
      this.#field(bytes, row, responseMessage),
      this.#field(bytes, row, dataType),
    );
    if (kind === "transaction") this.#roles.takeTransaction(label);
    else if (kind === "bare") this.#roles.takeBare(label);
    else {
      const times = {
        label,
        second: second[rows] as number,
        millis,
        elapsedMicros: elapsedMicros[rows] as number,
      };
      const thread = this.#field(bytes, row, threadName);
      this.#roles.takeOther(times, this.#labels[label] as string, thread);
    }
  }

  /** The field of a column of the row at `row`. */
  #field(bytes: Uint8Array, row: number, column: number | undefined): FieldAt | undefined {
    if (column === undefined) return undefined;
    const { delimiter } = this.#columns;
    let from = row;
    for (let left = column; left > 0; left--) from = fieldEnd(bytes, from, delimiter) + 1;
    return { bytes, from, to: withoutReturn(bytes, from, fieldEnd(bytes, from, delimiter)) };
  }
}
