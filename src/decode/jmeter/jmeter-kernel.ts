import { NO_FACETS } from "../labels/faceted-labels.ts";
import { Kernel, KernelPool } from "../../kernel/kernel-pool.ts";
import { type JmeterSumFunctions, JmeterSums } from "./jmeter-sums.ts";
import { rowsModule } from "../../kernel/rows-module.ts";
import type { SampleBatch } from "../../model/sample-batch.ts";
import { SECOND_LIMIT } from "../../model/columns.ts";
import type { JmeterColumns } from "./jmeter-csv-columns.ts";

/** Functions of kernel/rows. */
interface Functions extends JmeterSumFunctions {
  read(from: number, to: number, firstRow: number): number;
  learn(table: number, from: number, length: number, value: number): void;
  useMinute(length: number, start: number): void;
  clearRequest(): void;
  forget(): void;
  forgetFacets(): void;
}

/** Kind of rows whose kind was not learnt, and value of unknown labels. */
export const UNKNOWN = 0xffffffff;
/** Replaces the lengths of absent texts in keys of codes. */
const NO_TEXT = 0xffffffff;
const MEASURES = 4;
/** Values of `requestAt` other than positions. */
const UNCHANGED = 0;
const FORGOTTEN = 1;
const MINUTE_BYTES_MAX = 16;
const RESERVE_SECONDS = 2 ** 18;

type LabelOf = (from: number, to: number) => number;
const noLabel: LabelOf = () => UNKNOWN;

type FacetsOf = (row: number) => number;
const noFacets: FacetsOf = () => NO_FACETS;

/** Rows by index in the batch and position in memory, with the kind learnt for their texts or `UNKNOWN`. */
interface KindRows {
  readonly row: Uint32Array;
  readonly at: Uint32Array;
  readonly kind: Uint32Array;
}

/** `at` is a position in the window; `kind` is `undefined` if none was learnt. */
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

/** Fast-path reader in WebAssembly, with its own window and batch. Reads rows of labels and hosts that it has learnt. */
export class JmeterKernel {
  static readonly #pool = new KernelPool(() => new JmeterKernel());
  readonly window: Buffer;
  readonly batch: SampleBatch;
  /** Returns what `labelValue` does for a label at a place in the window, of a request; or `UNKNOWN`. */
  labelOf: LabelOf = noLabel;
  /** Returns the number of the facets of the row at a place in the window. */
  facetsOf: FacetsOf = noFacets;
  /** By row of the batch. */
  readonly facets: Uint32Array;
  readonly #kernel = new Kernel<Functions>(rowsModule, {
    read: { labelOf: (...label: Parameters<LabelOf>) => this.labelOf(...label) },
    facets: { facetsOf: (row: number) => this.facetsOf(row) },
  });
  readonly #failed: KindRows;
  readonly #codes: KindRows;
  readonly #measured: readonly Int32Array[];
  readonly sums: JmeterSums;
  /** Columns of measures by row of the batch; `undefined` for those that the source does not have. */
  measured: readonly (Int32Array | undefined)[] = [];
  readonly #users: Uint32Array;
  /** Milliseconds within its second, by row of the batch. */
  readonly millis: Uint32Array;
  readonly #rowAt: Uint32Array;
  readonly #windowAt = this.#kernel.number("WINDOW");

  private constructor() {
    const kernel = this.#kernel;
    const { buffer } = kernel;
    const rows = kernel.number("BATCH_ROWS");
    this.window = Buffer.from(buffer, this.#windowAt, this.#kernel.number("WINDOW_BYTES"));
    this.batch = {
      rows: 0,
      label: new Int32Array(buffer, kernel.number("LABEL"), rows),
      second: kernel.words("SECOND", rows),
      elapsedMicros: kernel.doubles("ELAPSED_MICROS", rows),
      receivedBytes: kernel.doubles("RECEIVED_BYTES", rows),
      requests: kernel.words("REQUESTS", rows),
      failedRequests: kernel.words("FAILED_REQUESTS", rows),
    };
    const words = (place: string) => kernel.words(place, rows);
    this.#failed = {
      row: words("FAILED_ROW"),
      at: words("FAILED_AT"),
      kind: words("FAILED_KIND"),
    };
    this.facets = words("ROW_FACETS");
    this.#codes = { row: words("CODE_ROW"), at: words("CODE_AT"), kind: words("CODE_KIND") };
    this.#measured = Array.from({ length: MEASURES }, (_, each) => {
      return new Int32Array(buffer, this.#kernel.number("MEASURED") + each * rows * 4, rows);
    });
    this.sums = new JmeterSums(kernel, this.#measured);
    this.millis = words("MILLIS");
    this.#rowAt = words("ROW_AT");
    this.#users = kernel.words("USERS", rows * 3);
  }

  /** Returns a reset kernel from the pool; see `giveBack`. */
  static take(): JmeterKernel {
    return JmeterKernel.#pool.take();
  }

  /** `facets`: their columns. */
  useColumns(columns: JmeterColumns, facets: readonly number[]): void {
    this.#kernel.functions.forgetFacets();
    const { threadName } = columns;
    const hasThread = threadName !== undefined && facets.includes(threadName);
    const further = facets.filter((column) => column !== threadName);
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
      hasThread ? threadName : undefined,
      further.length,
      ...further,
    ];
    const view = new Int32Array(this.#kernel.buffer, this.#kernel.number("COLUMNS"), places.length);
    view.set(places.map((place) => place ?? -1));
    const measured = columns.measures.map((column, each) => {
      return column === undefined ? undefined : this.#measured[each];
    });
    this.measured = measured.every((values) => values === undefined) ? [] : measured;
  }

  /**
   * Appends rows from position `from` of the window to the batch. Stops when that is full, and before a row that is left to
   * the exact reader or does not end before `to`. Returns the start of the first unread row.
   */
  read(from: number, to: number): number {
    const base = this.#windowAt;
    const next = this.#kernel.functions.read(base + from, base + to, this.batch.rows);
    this.batch.rows = this.#kernel.number("rows");
    return (next >>> 0) - base;
  }

  /** Where a row of the batch that the last `read` has read begins in the window. */
  placeOf(row: number): number {
    return (this.#rowAt[row] as number) - this.#windowAt;
  }

  /** Line feeds within quotes in the rows of the last `read`. */
  get innerLines(): number {
    return this.#kernel.number("lines");
  }

  /** Calls `take` for each failed row of the last `read`, with the kind learnt for such rows. */
  eachFailure(take: TakeRow): void {
    this.#each(this.#failed, this.#kernel.number("failures"), take);
  }

  /** Calls `take` for each passed row of the last `read` with a code other than 200, with the number learnt for it. */
  eachCode(take: TakeRow): void {
    this.#each(this.#codes, this.#kernel.number("codes"), take);
  }

  /** Calls `take` for each user count of the last `read`; `second` is a UNIX second. */
  eachUsers(take: (generator: number, second: number, active: number) => void): void {
    const users = this.#users;
    const end = this.#kernel.number("users") * 3;
    for (let at = 0; at < end; at += 3) {
      take(users[at] as number, users[at + 1] as number, users[at + 2] as number);
    }
  }

  /** Returns the last request since the previous call: `undefined` if none, `forgotten` if a row repeating others followed. */
  takeRequest(): OpenRequest | "forgotten" | undefined {
    const at = this.#kernel.number("requestAt");
    this.#kernel.functions.clearRequest();
    if (at === UNCHANGED) return undefined;
    if (at === FORGOTTEN) return "forgotten";
    return {
      at: at - this.#windowAt,
      label: this.#kernel.number("requestLabel"),
      second: this.#kernel.number("requestSecond") >>> 0,
      millis: this.#kernel.number("requestMillis"),
      elapsedMicros: this.#kernel.number("requestElapsedMicros"),
    };
  }

  /** Adds the label at `[from, to)` of the window; its role is an index into `ROLES`. */
  learnLabel(from: number, to: number, { label, role }: { label: number; role: number }): void {
    const value = labelValue(label, role);
    this.#kernel.functions.learn(
      this.#kernel.number("LABELS"),
      this.#windowAt + from,
      to - from,
      value,
    );
  }

  /** Adds the host at `[from, to)` of the window with its generator. */
  learnHost(from: number, to: number, generator: number): void {
    this.#kernel.functions.learn(
      this.#kernel.number("HOSTS"),
      this.#windowAt + from,
      to - from,
      generator,
    );
  }

  /** Sets the kind of failed rows with this label and these texts: code, message and failure message as written. */
  learnKind(label: number, texts: readonly Uint8Array[], kind: number): void {
    this.#learnByTexts([label, ...texts.map(({ length }) => length)], texts, kind);
  }

  /** Sets the number of passed rows with this label and this code as written. */
  learnCode(label: number, code: Uint8Array, number: number): void {
    this.#learnByTexts([label, code.length, NO_TEXT, NO_TEXT], [code], number);
  }

  /** `head`: the label, then the lengths of three texts. */
  #learnByTexts(head: readonly number[], texts: readonly Uint8Array[], kind: number): void {
    const key = Buffer.concat([new Uint8Array(new Uint32Array(head).buffer), ...texts]);
    if (key.length > this.#kernel.number("KIND_BYTES_MAX")) return;
    this.#kernel.write("KIND_KEY", key);
    this.#kernel.functions.learn(
      this.#kernel.number("KINDS"),
      this.#kernel.number("KIND_KEY"),
      key.length,
      kind,
    );
  }

  /** Sets the minute of text timestamps that can be read, and the UNIX second at which it begins. */
  learnMinute({ text, start }: { readonly text: Uint8Array; readonly start: number }): void {
    // A minute may begin before 1970 in a zone with seconds.
    const isStorable = start >= 0 && start <= SECOND_LIMIT - RESERVE_SECONDS;
    if (text.length > MINUTE_BYTES_MAX || !isStorable) return;
    this.#kernel.write("MINUTE", text);
    this.#kernel.functions.useMinute(text.length, start);
  }

  /** Resets the kernel and returns it to the pool. Must be called at the end of the source. */
  giveBack(): void {
    this.#kernel.functions.forget();
    this.labelOf = noLabel;
    this.facetsOf = noFacets;
    this.sums.forget();
    this.batch.rows = 0;
    JmeterKernel.#pool.giveBack(this);
  }

  #each({ row, at, kind }: KindRows, rows: number, take: TakeRow): void {
    for (let each = 0; each < rows; each++) {
      const learnt = kind[each] as number;
      const start = (at[each] as number) - this.#windowAt;
      take(row[each] as number, start, learnt === UNKNOWN ? undefined : learnt);
    }
  }
}

/** What the kernel knows of a label; its role is an index into `ROLES`. */
export function labelValue(label: number, role: number): number {
  return (label << 2) | role;
}
