import { HYPHEN, POINT } from "../bytes/ascii.ts";
import { isDigit } from "../bytes/exact-number.ts";
import { Kernel, KernelPool } from "../../kernel/kernel-pool.ts";
import { linesModule } from "../../kernel/lines-module.ts";
import type { MeasuredValues } from "../../model/measures/measure-table.ts";
import { createSampleBatch, type SampleBatch } from "../../model/sample-batch.ts";
import { type Instant, readInstant } from "../bytes/k6-instant.ts";
import { type K6SumFunctions, K6Sums } from "./k6-sums.ts";

/** Functions of kernel/lines. */
interface Functions extends K6SumFunctions {
  read(from: number, to: number, firstRow: number): number;
  locate(at: number): number;
  allowZeros(allows: boolean): void;
  useForm(length: number): void;
  learnMinute(from: number, to: number, zoneLength: number, start: bigint): void;
  forgetMinutes(): void;
  learnMetric(length: number, kind: number): number;
  learnTags(from: number, length: number, label: number, flags: number): number;
  learnShape(this: void, name: number, nameTo: number, url: number, urlTo: number): void;
  textOfTags(tags: number): number;
  lengthOfTags(tags: number): number;
  isFull(): number;
  forgetMetrics(): void;
  forgetTags(): void;
}

/** Layout of a sample line: metric, time, value, comma, tags. */
export interface K6LineForm {
  readonly beforeMetric: string;
  /** Begins with a byte that no metric name contains. */
  readonly beforeTime: string;
  /** Begins with a byte that no time contains; at most 16 bytes. */
  readonly beforeValue: string;
  /** Whether numbers may have leading zeros. */
  readonly allowsZeros: boolean;
}

/** Meaning of tags. Without a label, lines that need one are left to the exact reader. */
export interface K6KernelTags {
  readonly label: number | undefined;
  readonly failed: boolean;
  readonly isMarked: boolean;
  readonly hasStatus: boolean;
  readonly isEmptyLabel: boolean;
  readonly isUsual: boolean;
}

/** Counts of the requests of the last `read`. */
export type K6Counts = Readonly<Record<"unmarked" | "unlabelled" | "coarse" | "fine", number>>;

/** Kinds of lines, in the order of kernel/lines/metrics.ts. Lines of `other` are skipped. */
const KINDS = ["request", "outcome", "users", "phase", "value", "other"] as const;

export type K6LineKind = (typeof KINDS)[number];

/** Number of tags that were not learnt, as there is no room. */
export const NO_NUMBER = 0xffffffff;
/** Number of the metric of passed requests. */
export const PASSED = 0xffffffff;

type LabelOf = (from: number, to: number, like: number) => number;
const noLabel: LabelOf = () => NO_NUMBER;

const TEXT_BYTES_MAX = 240;
const MINUTE_LENGTH = "0000-00-00T00:00:".length;

/** Fast-path reader in WebAssembly, with its own window and batch. Reads lines of metrics and tags that it has learnt. */
export class K6Kernel {
  static readonly #pool = new KernelPool(() => new K6Kernel());
  readonly window: Buffer;
  readonly batch: SampleBatch;
  /** The waiting request, in the layout of kernel/lines/requests.ts. */
  readonly waiting: Uint32Array;
  /** Returns the label of a name at a place in the window, for tags like those with the number `like`; or `NO_NUMBER`. */
  labelOf: LabelOf = noLabel;
  readonly #kernel = new Kernel<Functions>(linesModule, {
    tags: { labelOf: (...name: Parameters<LabelOf>) => this.labelOf(...name) },
  });
  /** Lets the tags learnt last have any name and URL instead of those at these places in the window. */
  readonly learnShape = this.#kernel.functions.learnShape;
  readonly sums = new K6Sums(this.#kernel);
  /** Of the rows that the last `read` opened: numbers of their tags, and milliseconds within the second of their start. */
  readonly rowTags: Uint32Array;
  readonly millis: Uint32Array;
  readonly #failedRow: Uint32Array;
  readonly #failedTags: Uint32Array;
  readonly #users: Uint32Array;
  readonly #measuredMetric: Uint32Array;
  readonly #measuredTags: Uint32Array;
  readonly #measuredMillis: Float64Array;
  readonly #measuredValue: Float64Array;
  readonly #series: Int32Array;
  readonly #windowAt = this.#kernel.number("WINDOW");
  readonly #instant: Instant = { second: 0, nanos: 0, hasParts: false };

  private constructor() {
    const kernel = this.#kernel;
    const rows = kernel.number("BATCH_ROWS");
    this.window = Buffer.from(kernel.buffer, this.#windowAt, kernel.number("WINDOW_BYTES"));
    this.batch = {
      ...createSampleBatch(),
      label: new Int32Array(kernel.buffer, kernel.number("LABEL"), rows),
      second: kernel.words("SECOND", rows),
      elapsedMicros: kernel.doubles("ELAPSED_MICROS", rows),
      failedRequests: kernel.words("FAILED_REQUESTS", rows),
    };
    this.batch.requests.fill(1);
    this.waiting = kernel.words("WAITING", 10);
    this.#failedRow = kernel.words("FAILED_ROW", rows);
    this.#failedTags = kernel.words("FAILED_TAGS", rows);
    this.rowTags = kernel.words("ROW_TAGS", rows);
    this.millis = kernel.words("MILLIS", rows);
    this.#users = kernel.words("USERS", rows * 2);
    const values = kernel.number("MEASURED_MAX");
    this.#measuredMetric = kernel.words("MEASURED_METRIC", values);
    this.#measuredTags = kernel.words("MEASURED_TAGS", values);
    this.#measuredMillis = kernel.doubles("MEASURED_MILLIS", values);
    this.#measuredValue = kernel.doubles("MEASURED_VALUE", values);
    this.#series = new Int32Array(values);
  }

  /** Returns a reset kernel from the pool for lines of this form; see `giveBack`. */
  static take({ beforeValue, allowsZeros }: K6LineForm): K6Kernel {
    const kernel = K6Kernel.#pool.take();
    const { functions } = kernel.#kernel;
    functions.useForm(kernel.#kernel.write("BEFORE_VALUE", Buffer.from(beforeValue)));
    functions.allowZeros(allowsZeros);
    return kernel;
  }

  /**
   * Reads lines from position `from` of the window and appends requests to the batch. Stops when that is full or
   * `hasStopped`, and before a line that is left to the exact reader or does not end before `to`. Returns the start of the
   * first unread line.
   */
  read(from: number, to: number): number {
    const base = this.#windowAt;
    const next = this.#kernel.functions.read(base + from, base + to, this.batch.rows);
    this.batch.rows = this.#kernel.number("rows");
    return next - base;
  }

  /** Number of lines of the last `read`. */
  get lines(): number {
    return this.#kernel.number("lines");
  }

  get counts(): K6Counts {
    const [unmarked, unlabelled] = [
      this.#kernel.number("unmarked"),
      this.#kernel.number("unlabelled"),
    ];
    return {
      unmarked,
      unlabelled,
      coarse: this.#kernel.number("coarse"),
      fine: this.#kernel.number("fine"),
    };
  }

  /** Calls `take` for each failed row of the last `read`: index in the batch, number of the tags. */
  eachFailure(take: (row: number, tags: number) => void): void {
    const failures = this.#kernel.number("failures");
    for (let each = 0; each < failures; each++) {
      take(this.#failedRow[each] as number, this.#failedTags[each] as number);
    }
  }

  /** Calls `take` for each user count of the last `read`; `second` is a UNIX second. */
  eachUsers(take: (second: number, active: number) => void): void {
    const end = this.#kernel.number("users") * 2;
    for (let at = 0; at < end; at += 2) {
      take(this.#users[at] as number, this.#users[at + 1] as number);
    }
  }

  /** Whether the last `read` stopped because its values or sums had to be taken first. */
  get hasStopped(): boolean {
    return this.sums.isBlocked || this.#kernel.functions.isFull() !== 0;
  }

  /**
   * Returns the values of the last `read`, as views that are valid until the next one. `seriesOf` returns the series for the
   * numbers of metric (or `PASSED`) and tags.
   */
  measured(seriesOf: (metric: number, tags: number) => number): MeasuredValues {
    const length = this.#kernel.number("measured");
    const [metric, tags, series] = [this.#measuredMetric, this.#measuredTags, this.#series];
    for (let at = 0; at < length; at++) {
      series[at] = seriesOf(metric[at] as number, tags[at] as number);
    }
    return {
      series: series.subarray(0, length),
      unixMillis: this.#measuredMillis.subarray(0, length),
      value: this.#measuredValue.subarray(0, length),
    };
  }

  /**
   * Adds a metric whose lines begin with `begin`. Metrics are numbered from 0. Returns false if there is no room; lines of
   * such metrics are left to the exact reader.
   */
  learnMetric(begin: string, kind: K6LineKind): boolean {
    const bytes = Buffer.from(begin);
    if (bytes.length > TEXT_BYTES_MAX) return false;
    return (
      this.#kernel.functions.learnMetric(this.#kernel.write("TEXT", bytes), KINDS.indexOf(kind)) !==
      0
    );
  }

  /** Returns the text of the tags with this number, in the kernel's memory. */
  textOfTags(tags: number): Buffer {
    const { buffer, functions } = this.#kernel;
    return Buffer.from(buffer, functions.textOfTags(tags), functions.lengthOfTags(tags));
  }

  /**
   * Adds the tags and sets the minute of the line `[from, to)`, which excludes its line feed. Returns the number of the tags:
   * `NO_NUMBER` if there is no room, `undefined` if the line has another form.
   */
  learn(from: number, to: number, tags: K6KernelTags): number | undefined {
    const timeFrom = this.#kernel.functions.locate(this.#windowAt + from);
    if (timeFrom === 0) return undefined;
    this.#learnMinute(timeFrom - this.#windowAt, this.#kernel.number("timeTo") - this.#windowAt);
    const tagsFrom = this.#kernel.number("tagsFrom");
    const length = this.#windowAt + to - tagsFrom;
    if (length < 0) return undefined;
    return this.#kernel.functions.learnTags(tagsFrom, length, tags.label ?? 0, flagsOf(tags)) >>> 0;
  }

  forgetTags(): void {
    this.#kernel.functions.forgetTags();
  }

  /** Resets the kernel and returns it to the pool. Must be called at the end of the source. */
  giveBack(): void {
    this.#kernel.functions.forgetTags();
    this.#kernel.functions.forgetMetrics();
    this.#kernel.functions.forgetMinutes();
    this.labelOf = noLabel;
    this.sums.forget();
    this.batch.rows = 0;
    K6Kernel.#pool.giveBack(this);
  }

  /** Teaches the minute and zone of the RFC 3339 time at `[from, to)`. */
  #learnMinute(from: number, to: number): void {
    const [bytes, base] = [this.window, this.#windowAt];
    if (bytes[from + 4] !== HYPHEN || !readInstant(bytes, from, to, this.#instant)) return;
    const secondsAt = from + MINUTE_LENGTH;
    const ofMinute = Number(bytes.toString("latin1", secondsAt, secondsAt + 2));
    let zone = secondsAt + 2;
    if (bytes[zone] === POINT) zone += 1;
    while (isDigit(bytes[zone])) zone += 1;
    const start = BigInt(this.#instant.second - ofMinute);
    this.#kernel.functions.learnMinute(base + from, base + to, to - zone, start);
  }
}

function flagsOf({ label, isEmptyLabel, ...tags }: K6KernelTags): number {
  const { failed, isMarked, hasStatus, isUsual } = tags;
  const flags = [label !== undefined, failed, isMarked, !hasStatus, isEmptyLabel, isUsual];
  return flags.reduce((sum, flag, bit) => sum | (Number(flag) << bit), 0);
}
