import { KernelPool, openKernel, rowsModule } from "../../kernel/kernel-pool.ts";
import type { SampleBatch } from "../../model/sample-batch.ts";
import type { JmeterColumns } from "./jmeter-csv-columns.ts";

/** What kernel/rows exports: places and sizes, what the last reading has left, and functions. */
type Exports = Readonly<Record<Place | Result, WebAssembly.Global>> & {
  readonly memory: WebAssembly.Memory;
  read(from: number, to: number, firstRow: number): number;
  learn(table: number, from: number, length: number, value: number): void;
  useMinute(length: number, start: number): void;
  clearRequest(): void;
  forget(): void;
};

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
  | "USERS"
  | "COLUMNS"
  | "MINUTE"
  | "WINDOW"
  | "WINDOW_BYTES"
  | "LABELS"
  | "HOSTS";

type Result =
  | "rows"
  | "failures"
  | "users"
  | "requestAt"
  | "requestLabel"
  | "requestSecond"
  | "requestMillis"
  | "requestElapsedMicros";

/** What `requestAt` says besides where a row begins. */
const UNCHANGED = 0;
const FORGOTTEN = 1;
const MINUTE_BYTES_MAX = 16;
/** Before it, and some days before, seconds can be stored. */
const SECOND_LIMIT = 2 ** 32;
const RESERVE_SECONDS = 2 ** 18;

/** The last request that was read, until it was asked for. */
export interface OpenRequest {
  /** Where its row begins. */
  readonly at: number;
  readonly label: number;
  readonly second: number;
  readonly millis: number;
  readonly elapsedMicros: number;
}

/**
 * The reader of plain rows in WebAssembly, with the memory that it works in: a window of bytes, whose
 * positions it shares, and a batch. It knows the labels and hosts that it was told of.
 */
export class JmeterKernel {
  static readonly #pool = new KernelPool(() => new JmeterKernel());
  readonly window: Buffer;
  readonly batch: SampleBatch;
  readonly #exports = openKernel(rowsModule) as unknown as Exports;
  readonly #failedRow: Uint32Array;
  readonly #failedAt: Uint32Array;
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
    this.#failedRow = new Uint32Array(buffer, this.#at("FAILED_ROW"), rows);
    this.#failedAt = new Uint32Array(buffer, this.#at("FAILED_AT"), rows);
    this.#users = new Uint32Array(buffer, this.#at("USERS"), rows * 3);
  }

  /** One that knows nothing, until `giveBack`. */
  static take(): JmeterKernel {
    return JmeterKernel.#pool.take();
  }

  /** Reads rows with these columns from now on. */
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
    ];
    const view = new Int32Array(this.#exports.memory.buffer, this.#at("COLUMNS"), places.length);
    view.set(places.map((place) => place ?? -1));
  }

  /**
   * Reads rows behind those of the batch, from position `from` of the window on: until it is full, or
   * to the first one that is odd or does not end before `to`. Returns where that one begins.
   */
  read(from: number, to: number): number {
    const base = this.#windowAt;
    const next = this.#exports.read(base + from, base + to, this.batch.rows);
    this.batch.rows = this.#at("rows");
    return (next >>> 0) - base;
  }

  /** Gives the rows of the last reading that have failed: their place in the batch, and in the window. */
  eachFailure(take: (row: number, at: number) => void): void {
    const failures = this.#at("failures");
    for (let each = 0; each < failures; each++) {
      take(this.#failedRow[each] as number, (this.#failedAt[each] as number) - this.#windowAt);
    }
  }

  /** Gives what the rows of the last reading have told of users. */
  eachUsers(take: (generator: number, second: number, active: number) => void): void {
    const users = this.#users;
    const end = this.#at("users") * 3;
    for (let at = 0; at < end; at += 3) {
      take(users[at] as number, users[at + 1] as number, users[at + 2] as number);
    }
  }

  /**
   * The last request of all readings since this was asked before: `undefined` if there was none,
   * `forgotten` if a row came behind it that repeats others.
   */
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

  /** Tells the label at `[from, to)` of the window, and what its rows are: an index into `ROLES`. */
  learnLabel(from: number, to: number, { label, role }: { label: number; role: number }): void {
    const value = (label << 2) | role;
    this.#exports.learn(this.#at("LABELS"), this.#windowAt + from, to - from, value);
  }

  /** Tells the generator of the host at `[from, to)` of the window. */
  learnHost(from: number, to: number, generator: number): void {
    this.#exports.learn(this.#at("HOSTS"), this.#windowAt + from, to - from, generator);
  }

  /** Tells how the timestamps of a minute begin, if they are text, and its UNIX second. */
  learnMinute({ text, start }: { readonly text: Uint8Array; readonly start: number }): void {
    // In a zone that is off by seconds, a minute can begin before 1970 and end after it.
    const isStorable = start >= 0 && start <= SECOND_LIMIT - RESERVE_SECONDS;
    if (text.length > MINUTE_BYTES_MAX || !isStorable) return;
    new Uint8Array(this.#exports.memory.buffer, this.#at("MINUTE"), MINUTE_BYTES_MAX).set(text);
    this.#exports.useMinute(text.length, start);
  }

  /** To be called when the source has ended: the next one gets this kernel. */
  giveBack(): void {
    this.#exports.forget();
    this.batch.rows = 0;
    JmeterKernel.#pool.giveBack(this);
  }

  #at(name: Place | Result): number {
    return this.#exports[name].value as number;
  }
}
