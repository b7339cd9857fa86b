import { KernelPool, openKernel } from "../../kernel/kernel-pool.ts";
import { type JmeterSumExports, JmeterSums } from "./jmeter-sums.ts";
import { rowsModule } from "../../kernel/rows-module.ts";
import type { SampleBatch } from "../../model/sample-batch.ts";
import type { JmeterColumns } from "./jmeter-csv-columns.ts";

/** Exports of kernel/rows: offsets and sizes, results of the last read, and functions. */
type Exports = Readonly<Record<Place | Result, WebAssembly.Global>> & {
  readonly memory: WebAssembly.Memory;
  read(from: number, to: number, firstRow: number): number;
  learn(table: number, from: number, length: number, value: number): void;
  useMinute(length: number, start: number): void;
  clearRequest(): void;
  forget(): void;
} & JmeterSumExports;

type Place =
  | "BATCH_ROWS"
  | "LABEL"
  | "SECOND"
  | "ELAPSED_MICROS"
  | "RECEIVED_BYTES"
  | "REQUESTS"
  | "FAILED_REQUESTS"
  | "FAILED_ROW"
  | "FAILED_AT"
  | "FAILED_KIND"
  | "CODE_ROW"
  | "CODE_AT"
  | "CODE_KIND"
  | "MEASURED"
  | "USERS"
  | "COLUMNS"
  | "MINUTE"
  | "WINDOW"
  | "WINDOW_BYTES"
  | "LABELS"
  | "HOSTS"
  | "KINDS"
  | "KIND_KEY"
  | "KIND_BYTES_MAX";

type Result =
  | "rows"
  | "failures"
  | "codes"
  | "lines"
  | "users"
  | "requestAt"
  | "requestLabel"
  | "requestSecond"
  | "requestMillis"
  | "requestElapsedMicros";

/** A kind that was not taught. */
const UNKNOWN = 0xffffffff;
/** The label of a kind, then the bytes of its texts. */
const KIND_HEAD_WORDS = 4;
/** Instead of lengths, in keys of codes. */
const NO_TEXT = 0xffffffff;
const MEASURES = 4;
/** Values of `requestAt` that are no row. */
const UNCHANGED = 0;
const FORGOTTEN = 1;
const MINUTE_BYTES_MAX = 16;
/** Later seconds cannot be stored. */
const SECOND_LIMIT = 2 ** 32;
const RESERVE_SECONDS = 2 ** 18;

/** Rows for which something can be taught by their texts: places in the batch and in memory, what was taught. */
interface TaughtRows {
  readonly row: Uint32Array;
  readonly at: Uint32Array;
  readonly kind: Uint32Array;
}

/** `at` is a position in the window; `kind` what was taught. */
type TakeRow = (row: number, at: number, kind: number | undefined) => void;

/** The last request read and not yet taken. */
export interface OpenRequest {
  /** Start of its row. */
  readonly at: number;
  readonly label: number;
  readonly second: number;
  readonly millis: number;
  readonly elapsedMicros: number;
}

/** Fast-path reader in WebAssembly, with its own window and batch. Knows the labels and hosts it was taught. */
export class JmeterKernel {
  static readonly #pool = new KernelPool(() => new JmeterKernel());
  readonly window: Buffer;
  readonly batch: SampleBatch;
  readonly #exports = openKernel(rowsModule) as unknown as Exports;
  readonly #failed: TaughtRows;
  readonly #codes: TaughtRows;
  readonly #measured: readonly Int32Array[];
  readonly sums: JmeterSums;
  /** Columns of measures beside the batch; `undefined`: the source has none. */
  measured: readonly (Int32Array | undefined)[] = [];
  readonly #users: Uint32Array;
  readonly #windowAt = this.#at("WINDOW");

  private constructor() {
    const { buffer } = this.#exports.memory;
    const rows = this.#at("BATCH_ROWS");
    this.window = Buffer.from(buffer, this.#windowAt, this.#at("WINDOW_BYTES"));
    this.batch = {
      rows: 0,
      label: new Int32Array(buffer, this.#at("LABEL"), rows),
      second: new Uint32Array(buffer, this.#at("SECOND"), rows),
      elapsedMicros: new Float64Array(buffer, this.#at("ELAPSED_MICROS"), rows),
      receivedBytes: new Float64Array(buffer, this.#at("RECEIVED_BYTES"), rows),
      requests: new Uint32Array(buffer, this.#at("REQUESTS"), rows),
      failedRequests: new Uint32Array(buffer, this.#at("FAILED_REQUESTS"), rows),
    };
    const words = (place: Place) => new Uint32Array(buffer, this.#at(place), rows);
    this.#failed = {
      row: words("FAILED_ROW"),
      at: words("FAILED_AT"),
      kind: words("FAILED_KIND"),
    };
    this.#codes = { row: words("CODE_ROW"), at: words("CODE_AT"), kind: words("CODE_KIND") };
    this.#measured = Array.from({ length: MEASURES }, (_, each) => {
      return new Int32Array(buffer, this.#at("MEASURED") + each * rows * 4, rows);
    });
    this.sums = new JmeterSums(this.#exports, this.#measured);
    this.#users = new Uint32Array(buffer, this.#at("USERS"), rows * 3);
  }

  /** Returns a reset kernel; `giveBack` returns it. */
  static take(): JmeterKernel {
    return JmeterKernel.#pool.take();
  }

  useColumns(columns: JmeterColumns): void {
    // In the order of kernel/rows/columns.ts.
    const places = [
      columns.delimiter,
      columns.fields,
      columns.timeStamp,
      columns.elapsed,
      columns.label,
      columns.success,
      columns.bytes,
      columns.sampleCount,
      columns.allThreads,
      columns.hostname,
      columns.responseMessage,
      columns.dataType,
      columns.responseCode,
      columns.failureMessage,
      ...this.#measured.map((_, each) => columns.measures[each]),
    ];
    const view = new Int32Array(this.#exports.memory.buffer, this.#at("COLUMNS"), places.length);
    view.set(places.map((place) => place ?? -1));
    const measured = columns.measures.map((column, each) => {
      return column === undefined ? undefined : this.#measured[each];
    });
    this.measured = measured.every((values) => values === undefined) ? [] : measured;
  }

  /**
   * Appends rows to the batch from position `from`, until it is full, or up to the first row of the slow path.
   * Returns where that begins.
   */
  read(from: number, to: number): number {
    const base = this.#windowAt;
    const next = this.#exports.read(base + from, base + to, this.batch.rows);
    this.batch.rows = this.#at("rows");
    return (next >>> 0) - base;
  }

  /** Lines of the last read that are within the quotes of a row. */
  get innerLines(): number {
    return this.#at("lines");
  }

  /** Failed rows of the last read: index in the batch, position in the window, the kind that was taught for such rows. */
  eachFailure(take: TakeRow): void {
    this.#each(this.#failed, this.#at("failures"), take);
  }

  /** Passed rows of the last read with a code other than 200; what was taught for their label and code. */
  eachCode(take: TakeRow): void {
    this.#each(this.#codes, this.#at("codes"), take);
  }

  /** User counts of the last read. */
  eachUsers(take: (generator: number, second: number, active: number) => void): void {
    const users = this.#users;
    const end = this.#at("users") * 3;
    for (let at = 0; at < end; at += 3) {
      take(users[at] as number, users[at + 1] as number, users[at + 2] as number);
    }
  }

  /** Last request since the previous call: `undefined` if none, `forgotten` if a row followed that repeats others. */
  takeRequest(): OpenRequest | "forgotten" | undefined {
    const at = this.#at("requestAt");
    this.#exports.clearRequest();
    if (at === UNCHANGED) return undefined;
    if (at === FORGOTTEN) return "forgotten";
    return {
      at: at - this.#windowAt,
      label: this.#at("requestLabel"),
      second: this.#at("requestSecond") >>> 0,
      millis: this.#at("requestMillis"),
      elapsedMicros: this.#at("requestElapsedMicros"),
    };
  }

  /** Teaches the label at `[from, to)`; its role is an index into `ROLES`. */
  learnLabel(from: number, to: number, { label, role }: { label: number; role: number }): void {
    const value = (label << 2) | role;
    this.#exports.learn(this.#at("LABELS"), this.#windowAt + from, to - from, value);
  }

  /** Teaches the generator of the host at `[from, to)`. */
  learnHost(from: number, to: number, generator: number): void {
    this.#exports.learn(this.#at("HOSTS"), this.#windowAt + from, to - from, generator);
  }

  /** Teaches the kind of failed rows with this label and these texts: code, message and failure message as written. */
  learnKind(label: number, texts: readonly Uint8Array[], kind: number): void {
    const head = [label, ...texts.map(({ length }) => length)];
    this.#learnByTexts(head, texts, kind);
  }

  /** Teaches a number for passed rows with this label and this code as written. */
  learnCode(label: number, code: Uint8Array, number: number): void {
    this.#learnByTexts([label, code.length, NO_TEXT, NO_TEXT], [code], number);
  }

  #learnByTexts(words: readonly number[], texts: readonly Uint8Array[], kind: number): void {
    const head = new Uint32Array(words);
    const key = Buffer.concat([new Uint8Array(head.buffer), ...texts]);
    if (head.length !== KIND_HEAD_WORDS || key.length > this.#at("KIND_BYTES_MAX")) return;
    new Uint8Array(this.#exports.memory.buffer, this.#at("KIND_KEY"), key.length).set(key);
    this.#exports.learn(this.#at("KINDS"), this.#at("KIND_KEY"), key.length, kind);
  }

  /** Teaches the text of a minute and its UNIX second. */
  learnMinute({ text, start }: { readonly text: Uint8Array; readonly start: number }): void {
    // A minute may begin before 1970 in a zone with seconds.
    const isStorable = start >= 0 && start <= SECOND_LIMIT - RESERVE_SECONDS;
    if (text.length > MINUTE_BYTES_MAX || !isStorable) return;
    new Uint8Array(this.#exports.memory.buffer, this.#at("MINUTE"), MINUTE_BYTES_MAX).set(text);
    this.#exports.useMinute(text.length, start);
  }

  /** Must be called at the end of the source. */
  giveBack(): void {
    this.#exports.forget();
    this.sums.forget();
    this.batch.rows = 0;
    JmeterKernel.#pool.giveBack(this);
  }

  #each({ row, at, kind }: TaughtRows, rows: number, take: TakeRow): void {
    for (let each = 0; each < rows; each++) {
      const taught = kind[each] as number;
      const start = (at[each] as number) - this.#windowAt;
      take(row[each] as number, start, taught === UNKNOWN ? undefined : taught);
    }
  }

  #at(name: Place | Result): number {
    return this.#exports[name].value as number;
  }
}
